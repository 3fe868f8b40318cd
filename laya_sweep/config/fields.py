"""Reading one mapping of the configuration by its declaration; complaints are collected."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING
from typing import Any, TypeVar

from laya_sweep.domain.checked import checked, shown
from laya_sweep.domain.option import declared, group_of
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
        said = repr(got) if isinstance(got, str) else shown(got)  # a path is shown whole: a person must find it
        self._problems.append(Problem(self.named(key), expected, said, next_step))

    def named(self, key: str) -> str:
        """The whole name of a key."""
        return ".".join(part for part in (self._where, key) if part) or "the configuration"

    def inner(self, key: str, raw: object) -> Fields:
        """A reader of a mapping inside this one."""
        return Fields(raw, self.named(key), self._problems)

    def group(self, key: str) -> Fields:
        """The reader of the mapping under a key."""
        return self.inner(key, self.get(key))

    def get(self, key: str) -> object:
        """The raw value, None where it is missing."""
        self._seen.add(key)
        return self._raw.get(key)

    def value(self, key: str, hint: Any) -> Any:  # noqa: ANN401 - of the hint's type
        """The value of a declared type, None with a complaint where it is none."""
        return self.held(key, hint, self.get(key))

    def held(self, key: str, hint: Any, document: object) -> Any:  # noqa: ANN401 - of the hint's type
        """What the file under a key holds, as `value`."""
        return checked(hint, document, self.named(key), self._problems)

    def options(self, kind: type, names: Collection[str] | None = None) -> dict[str, Any]:
        """The options of a declaration, each checked by itself; a faulty one has its default, or None.

        Options that a function of their own reads, and those outside `names`, are left out. One that is not written
        has its default; with `names` each of them must be written, if only as null.
        """
        found: dict[str, Any] = {}
        for field in declared(kind):
            option, key = field.option, field.name
            if option is None or option.found or option.written or group_of(field.hint) is not None:
                continue
            if names is None and key not in self._raw and field.default is not MISSING:
                self._seen.add(key)
                found[key] = field.default
            elif names is None or key in names:
                before = len(self._problems)
                found[key] = self.value(key, field.hint)
                if len(self._problems) > before and field.default is not MISSING:
                    found[key] = field.default
        return found

    def close(self) -> None:
        """Complain about every key that nobody read."""
        for key in self._raw:
            if key not in self._seen:
                known = name_list(sorted(self._seen), str(key))
                self.complain(str(key), f"one of the known keys ({known})", self._raw[key], "remove or correct the key")


def named_entries(fields: Fields, key: str, example: str, build: Callable[[str, Fields], T]) -> tuple[T, ...]:
    """The entries of a `name: {...}` mapping, in the order of the names: order is never identity."""
    raw = fields.get(key)
    if not isinstance(raw, Mapping) or not raw:
        fields.complain(key, "at least one entry", raw, f"choose one, for example {example}")
        return ()
    return tuple(build(str(name), fields.inner(f"{key}.{name}", raw[name])) for name in sorted(raw, key=str))
