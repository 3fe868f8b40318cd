"""Reading a check's texts from its part of the document; every fault is noted, then all are shown at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from laya_sweep.errors import Problem, name_list, one_line

#: Levels of one score question that a document may ask for.
MOST_LEVELS = 20


class Words(NamedTuple):
    """The two label words of a noul question, as the model is shown them."""

    false: str
    true: str


class Missing(str):
    """What was got instead, in words and not as a value."""

    __slots__ = ()


class Block:
    """One mapping of the document; a reader that finds a fault notes it and gives something empty."""

    def __init__(self, raw: object, where: str, problems: list[Problem]) -> None:
        self._where = where
        self._problems = problems
        self._seen: set[str] = set()
        self._raw: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        if not isinstance(raw, Mapping):
            self.complain("", "an object", raw)

    def complain(self, key: str, expected: str, got: object) -> None:
        """Note one fault of `key`."""
        what = f"{self._where}.{key}" if key else self._where
        shown = got if isinstance(got, Missing) else one_line(repr(got))
        self._problems.append(Problem(what, expected, str(shown), "correct the document"))

    def get(self, key: str) -> Any:  # noqa: ANN401 - any JSON value
        """The raw value, None where it is missing."""
        self._seen.add(key)
        return self._raw.get(key)

    def inner(self, key: str) -> Block:
        """The mapping under a key."""
        return Block(self.get(key), f"{self._where}.{key}", self._problems)

    def keys(self) -> list[str]:
        """Keys of the mapping, in the order written."""
        return [*self._raw]

    def text(self, key: str) -> str:
        """A text that is not blank."""
        value = self.get(key)
        if _is_text(value):
            return str(value)
        self.complain(key, "a text", value)
        return ""

    def texts(self, key: str, least: int = 1, most: int = MOST_LEVELS) -> tuple[str, ...]:
        """Distinct texts."""
        value = self.get(key)
        if isinstance(value, list) and all(map(_is_text, value)) and _fits(value, least, most):
            return tuple(value)
        self.complain(key, f"{least} to {most} distinct texts", value)
        return ()

    def counts(self, key: str) -> tuple[int, ...]:
        """Distinct numbers of levels."""
        value = self.get(key)
        if isinstance(value, list) and all(map(_is_count, value)) and _fits(value, 1, MOST_LEVELS):
            return tuple(value)
        self.complain(key, f"distinct numbers of levels, each from 2 to {MOST_LEVELS}", value)
        return ()

    def word_pairs(self, key: str) -> tuple[Words, ...]:
        """Pairs of two distinct words."""
        value = self.get(key)
        if isinstance(value, list) and value and all(map(_is_pair, value)) and _fits(value, 1, MOST_LEVELS):
            return tuple(Words(*pair) for pair in value)
        self.complain(key, "distinct pairs of two distinct words", value)
        return ()

    def close(self) -> None:
        """Complain about every key that nobody read."""
        for key in self._raw:
            if key not in self._seen:
                known = name_list(sorted(self._seen), str(key))
                self.complain(one_line(key), f"one of the known keys ({known})", self._raw[key])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= MOST_LEVELS


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value)) and value[0] != value[1]


def _fits(values: list[Any], least: int, most: int) -> bool:
    distinct = all(value not in values[:i] for i, value in enumerate(values))
    return distinct and least <= len(values) <= most
