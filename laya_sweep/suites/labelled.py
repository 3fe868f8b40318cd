"""A labelled file (JSONL): rows of a state, its questions and the right answers, read whole or not at all.

Every fault of the file is collected in one pass, so that a person mends it once. Blank lines and lines that start
with `#` are no rows. Bytes are parsed line by line, as `\\n`, `\\r\\n` and `\\r` end them; nothing else ends a line.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from laya_sweep.errors import DatasetError, Problem
from laya_sweep.files.strict_json import FieldFault, parse_strict
from laya_sweep.suites.row_check import FIELDS, row_faults

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Fault(NamedTuple):
    """One fault of a file: the line (from 1; 0 for the file), the dotted field, what was expected and got."""

    line: int
    field: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Example:
    """A row as it is asked: `line` in the file, tags once each; None where the row does not say."""

    line: int
    state: Any
    questions: dict[str, dict[str, Any]]
    expected: dict[str, Any]
    tags: tuple[str, ...]
    language: str | None
    model: str | None
    row_id: str | None


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A file without faults: its bytes' digest, its rows in order, and fields that nobody reads, with counts."""

    path: Path
    sha256: str
    examples: tuple[Example, ...]
    unread: dict[str, int]


def read_labelled(path: Path) -> LabelledSet:
    """Read and check a labelled file.

    Raises:
        DatasetError: it cannot be read, or with every fault of its rows.
    """
    return _labelled_set(path, _read(path), "line")


def labelled_rows(rows: Iterable[Any], name: str = "rows") -> LabelledSet:
    """Rows that a program made, held to the same rules as those of a file: JSON values, of which this is a copy.

    Args:
        rows: mappings with the fields of a row.
        name: of the set, in messages.

    Raises:
        DatasetError: with every fault of every row; a row's number stands in the place of a line.
    """
    data = b"".join(_written(row, name, number) for number, row in enumerate(rows, start=1))
    return _labelled_set(Path(name), data, "row")


def parse_labelled(data: bytes) -> tuple[list[tuple[int, dict[str, Any]]], list[Fault]]:
    """Rows without faults as (line, object), and the faults of all others, in order of lines."""
    if data.startswith(_UTF16):
        return [], [Fault(0, "", "UTF-8", "UTF-16")]
    rows: list[tuple[int, dict[str, Any]]] = []
    faults: list[Fault] = []
    if data.startswith(_BOM):
        faults.append(Fault(1, "", "no byte order mark", "one"))
        data = data[len(_BOM) :]
    for line, raw in enumerate(data.splitlines(), start=1):
        row, own = _parse_line(raw)
        faults += [Fault(line, *fault) for fault in own]
        if row is not None and not own:
            rows.append((line, row))
    if not rows and not faults:
        faults.append(Fault(0, "", "at least one row", "none"))
    return rows, faults


def _labelled_set(path: Path, data: bytes, unit: str) -> LabelledSet:
    rows, faults = parse_labelled(data)
    if faults:
        raise DatasetError(*(_problem(path, fault, unit) for fault in faults))
    unread = Counter(key for _, row in rows for key in row if key not in FIELDS)
    return LabelledSet(path, hashlib.sha256(data).hexdigest(), tuple(_example(*row) for row in rows), dict(unread))


def _written(row: Any, name: str, number: int) -> bytes:  # noqa: ANN401 - whatever a caller has
    """A row as a line of JSON."""
    try:
        return json.dumps(row).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        problem = Problem(f"{name}: row {number}", "JSON values", str(error), "correct the row")
        raise DatasetError(problem) from error


def _parse_line(raw: bytes) -> tuple[Any, list[FieldFault]]:
    """The row of a line, None where there is none."""
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError as error:
        return None, [FieldFault("", "UTF-8", f"byte 0x{raw[error.start]:02x} at byte {error.start + 1} of the line")]
    if not text or text.startswith("#"):
        return None, []
    parsed = parse_strict(text)
    if parsed.broken:
        return None, parsed.faults
    return parsed.value, [*parsed.faults, *row_faults(parsed.value)]


def _example(line: int, row: dict[str, Any]) -> Example:
    row_id = row.get("id")
    return Example(
        line=line,
        state=row["state"],
        questions=row["questions"],
        expected=row["expected"],
        tags=tuple(dict.fromkeys(row.get("tags") or ())),
        language=row.get("language"),
        model=row.get("model"),
        row_id=None if row_id is None else str(row_id),
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        got = error.strerror or type(error).__name__
        raise DatasetError(Problem(str(path), "a JSONL file that can be read", got, "correct the path")) from error


def _problem(path: Path, fault: Fault, unit: str) -> Problem:
    parts = [f"{unit} {fault.line}" if fault.line else "", fault.field]
    what = f"{path}: " + ", ".join(part for part in parts if part) if any(parts) else str(path)
    return Problem(what, fault.expected, fault.got, "correct the row" if fault.line else "correct the file")
