"""Reading one mapping of the configuration: typed values, and complaints that are collected."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from laya_sweep.errors import Problem, name_list

T = TypeVar("T")


class Fields:
    """Reads one mapping of the configuration; complaints go to a list shared by all readers."""

    def __init__(self, raw: object, where: str, problems: list[Problem]) -> None:
        self._where = where
        self._problems = problems
        self._seen: set[str] = set()
        self._raw: Mapping[Any, Any] = raw if isinstance(raw, Mapping) else {}
        if not isinstance(raw, Mapping):
            self.complain("", "a mapping", raw, "write it as key: value pairs")

    def complain(self, key: str, expected: str, got: object, next_step: str) -> None:
        """Note one fault of `key`."""
        what = ".".join(part for part in (self._where, key) if part) or "the configuration"
        self._problems.append(Problem(what, expected, f"{got!r}", next_step))

    def inner(self, key: str, raw: object) -> Fields:
        """A reader of a mapping inside this one."""
        return Fields(raw, f"{self._where}.{key}", self._problems)

    def get(self, key: str) -> object:
        """The raw value, None where it is missing."""
        self._seen.add(key)
        return self._raw.get(key)

    def text(self, key: str) -> str:
        """A string that is not empty."""
        value = self.get(key)
        if isinstance(value, str) and value:
            return value
        self.complain(key, "a text", value, quote_hint(value))
        return ""

    def optional_text(self, key: str) -> str | None:
        """A string that is not empty, or null."""
        return None if self.get(key) is None else self.text(key)

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        """One of the allowed names."""
        value = self.get(key)
        if isinstance(value, str) and value in allowed:
            return value
        self.complain(key, "one of " + name_list(allowed, str(value)), value, f"set {key} to one of them")
        return ""

    def integer(self, key: str, least: int) -> int:
        """A whole number of at least `least`; a bool is no number."""
        value = self.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        self.complain(key, f"a whole number of at least {least}", value, "correct the value")
        return least

    def optional_integer(self, key: str, least: int) -> int | None:
        """A whole number of at least `least`, or null."""
        return None if self.get(key) is None else self.integer(key, least)

    def number(self, key: str, least: float, *, above: bool = False) -> float:
        """A finite number of at least (or above) `least`."""
        value = self.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and reaches(value, least, above):
            return float(value)
        word = "above" if above else "of at least"
        self.complain(key, f"a finite number {word} {least:g}", value, "correct the value")
        return least

    def flag(self, key: str) -> bool:
        """true or false."""
        value = self.get(key)
        if isinstance(value, bool):
            return value
        self.complain(key, "true or false", value, "correct the value")
        return False

    def optional_path(self, key: str, kind: str = "a folder") -> Path | None:
        """A file or folder, or null."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, str) and value:
            return Path(value).expanduser()
        # A number is not the folder that was written: Hydra reads 2026_11_30 as 20261130.
        self.complain(key, kind, value, f"write {kind} that looks like a number with a path: ./NAME")
        return None

    def close(self) -> None:
        """Complain about every key that nobody read."""
        for key in self._raw:
            if key not in self._seen:
                known = name_list(sorted(self._seen), str(key))
                self.complain(str(key), f"one of the known keys ({known})", self._raw[key], "remove or correct the key")


def reaches(value: float, least: float, above: bool) -> bool:
    return math.isfinite(value) and (value > least or (value == least and not above))


def quote_hint(value: object) -> str:
    if isinstance(value, bool):
        return "in a YAML file quote words such as 'no' and 'on'"
    return "give it as a text"


def named_entries(
    fields: Fields, key: str, problems: list[Problem], build: Callable[[str, Fields], T]
) -> tuple[T, ...]:
    """The entries of a `name: {...}` mapping, in the order of the names: order is never identity."""
    raw = fields.get(key)
    if not isinstance(raw, Mapping) or not raw:
        fields.complain(key, "at least one entry", raw, f"choose one, for example {_EXAMPLES[key]}")
        return ()
    return tuple(build(str(name), Fields(raw[name], f"{key}.{name}", problems)) for name in sorted(raw, key=str))


_EXAMPLES = {
    "checkpoints": "'checkpoint=[english]' or +checkpoints.mine.source=FOLDER",
    "regime": "'regime=[served,raw]'",
    "transform": "'transform=[baseline]'",
}
