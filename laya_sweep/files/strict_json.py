"""The one JSON reader: no duplicate keys, no NaN, no number beyond a float, no depth without end, no half characters.

Python's reader is more lenient: of two equal keys the last silently wins, `NaN` and `1e999` become numbers that no
JSON document can hold; a document read that way can pass a gate that nobody meant. Here each of these is a fault with
what was expected and what was got.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

#: Levels of nesting that are read. Python's own limit moves with the depth of the call stack; this one does not.
MAX_DEPTH = 200

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


def parse_strict(text: str, *, any_number: bool = False, digits: int | None = None) -> Parsed:
    """The JSON value of a text; never raises.

    Args:
        text: the document, decoded from UTF-8.
        any_number: read NaN and Infinity too, which upstream reports may hold: whoever reads a number then says
            whether it may be one of those.
        digits: those of the longest whole number; None takes any that Python reads.
    """
    reader = _Reader(digits)
    hooks: dict[str, Any] = {} if any_number else {"parse_constant": reader.constant, "parse_float": reader.number}
    if digits is not None:
        hooks["parse_int"] = reader.whole
    try:
        value = json.loads(text, object_pairs_hook=reader.pairs, **hooks)
    except RecursionError:
        return Parsed(None, [_too_deep("more")], True)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}" if "\n" in text else f"column {error.colno}"
        return Parsed(None, [FieldFault("", "JSON", f"{error.msg} at {place}")], True)
    except ValueError as error:
        return Parsed(None, [FieldFault("", "JSON", str(error)[:_SHOWN])], True)
    # No value is deeper than its text has brackets that open, and few rows have so many.
    depth = _depth(value) if text.count("{") + text.count("[") > MAX_DEPTH else 0
    if depth > MAX_DEPTH:
        return Parsed(None, [*reader.faults, _too_deep(str(depth))], True)
    # Text that came from UTF-8 has half characters where they are escaped, and nowhere else.
    return Parsed(value, [*reader.faults, *(_surrogates(value) if "\\u" in text else ())], False)


def shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value in a message: as Python writes it, so that "1" and 1 differ; cut, and printable on any terminal."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def name_of(key: str) -> str:
    """A key in the name of a field: as it is where it can be printed in one line."""
    return key if key.isprintable() and 0 < len(key) <= _SHOWN else shown(key)


class _Reader:
    """The hooks of one reading, and the faults that they saw."""

    def __init__(self, digits: int | None) -> None:
        self._digits = digits
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

    def whole(self, text: str) -> int:
        """A whole number; a longer one than `digits` would fail later, in the middle of some arithmetic."""
        if self._digits is None or len(text) <= self._digits:
            return int(text)
        self.faults.append(FieldFault("", "numbers that a 64-bit float holds", f"an integer of {len(text)} digits"))
        return 0


def _depth(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """Objects and lists inside each other, without recursion: 0 for a plain value."""
    depth, level = 0, [value]
    while level := [holder for holder in level if isinstance(holder, dict | list)]:
        level = [child for holder in level for child in (holder.values() if isinstance(holder, dict) else holder)]
        depth += 1
    return depth


def _surrogates(value: Any) -> Iterator[FieldFault]:  # noqa: ANN401 - any JSON value
    """Half characters, which JSON can escape and no UTF-8 text can hold; by top-level field."""
    parts = value.items() if isinstance(value, dict) else [("", value)]
    for key, part in parts:
        text = key + (part if isinstance(part, str) else json.dumps(part, ensure_ascii=False))
        if any("\ud800" <= character <= "\udfff" for character in text):
            yield FieldFault(name_of(key) if key else "", "texts of whole Unicode characters", "a lone surrogate")


def _too_deep(levels: str) -> FieldFault:
    return FieldFault("", f"at most {MAX_DEPTH} levels of nesting", levels)
