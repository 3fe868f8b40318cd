"""JSON as it is written down: no duplicate keys, no NaN, no number beyond a float, no depth without end.

Python's reader is more lenient: of two equal keys the last silently wins, `NaN` and `1e999` become numbers that no
JSON document can hold. Here each of these is a fault with what was expected and what was got.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

#: Levels of nesting that are read. Python's own limit moves with the depth of the call stack; this one does not.
MAX_DEPTH = 100

#: Characters of a value that a message shows.
_SHOWN = 100


class FieldFault(NamedTuple):
    """One fault of one row: the dotted field ("" for the row), what was expected, what was got."""

    field: str
    expected: str
    got: str


class Parsed(NamedTuple):
    """A value and its faults; with `broken` there is no value to look at."""

    value: Any
    faults: list[FieldFault]
    broken: bool


def parse_strict(text: str) -> Parsed:
    """The JSON value of a text; never raises."""
    reader = _Reader()
    try:
        value = json.loads(
            text, object_pairs_hook=reader.pairs, parse_constant=reader.constant, parse_float=reader.number
        )
    except RecursionError:
        return Parsed(None, [_too_deep("more")], True)
    except json.JSONDecodeError as error:
        return Parsed(None, [FieldFault("", "JSON", f"{error.msg} at column {error.colno}")], True)
    except ValueError as error:
        return Parsed(None, [FieldFault("", "JSON", str(error)[:_SHOWN])], True)
    depth = _depth(value)
    if depth > MAX_DEPTH:
        return Parsed(None, [*reader.faults, _too_deep(str(depth))], True)
    return Parsed(value, [*reader.faults, *_surrogates(value)], False)


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value in a message: as Python writes it, so that "1" and 1 differ; cut, and printable on any terminal."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def name_of(key: str) -> str:
    """A key in the name of a field: as it is where it can be printed in one line."""
    return key if key.isprintable() and 0 < len(key) <= _SHOWN else shown(key)


class _Reader:
    """The hooks of one reading, and the faults that they saw."""

    def __init__(self) -> None:
        self.faults: list[FieldFault] = []

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object; a key that comes twice is a fault."""
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                self.faults.append(FieldFault("", "each key once in an object", f"{shown(key)} twice"))
            made[key] = value
        return made

    def constant(self, name: str) -> float:
        """NaN, Infinity or -Infinity."""
        self.faults.append(FieldFault("", "numbers that JSON has", name))
        return math.nan

    def number(self, text: str) -> float:
        """A number with a fraction or an exponent."""
        value = float(text)
        if math.isinf(value):
            self.faults.append(FieldFault("", "numbers that a 64-bit float holds", text[:_SHOWN]))
        return value


def _depth(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """Objects and lists inside each other, without recursion: 0 for a plain value."""
    depth, level = 0, [value]
    while level := [holder for holder in level if isinstance(holder, dict | list)]:
        level = [child for holder in level for child in _children(holder)]
        depth += 1
    return depth


def _children(holder: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return holder.values() if isinstance(holder, dict) else holder


def _surrogates(value: Any) -> Iterator[FieldFault]:  # noqa: ANN401 - any JSON value
    """Half characters, which JSON can escape and no UTF-8 text can hold; by top-level field."""
    parts = value.items() if isinstance(value, dict) else [("", value)]
    for key, part in parts:
        text = key + (part if isinstance(part, str) else json.dumps(part, ensure_ascii=False))
        if any("\ud800" <= character <= "\udfff" for character in text):
            yield FieldFault(name_of(key) if key else "", "texts of whole Unicode characters", "a lone surrogate")


def _too_deep(levels: str) -> FieldFault:
    return FieldFault("", f"at most {MAX_DEPTH} levels of nesting", levels)
