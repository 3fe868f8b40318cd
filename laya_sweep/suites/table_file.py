"""A table file of any format that is read here: its bytes' digest and its rows, or every fault at once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from laya_sweep.errors import DatasetError, Problem
from laya_sweep.files.strict_json import parse_strict, shown
from laya_sweep.suites.cells import Cells, column_faults, decoded
from laya_sweep.suites.delimited import read_delimited
from laya_sweep.suites.labelled import Fault
from laya_sweep.suites.parquet_cells import read_parquet_cells

FORMATS = ("csv", "tsv", "jsonl", "parquet")

_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file as read: rows as (line, cells by column), and faults that leave them incomplete.

    `format` and `quoted` are what was done, whether or not somebody said so.
    """

    path: Path
    format: str
    quoted: bool
    sha256: str
    cells: Cells

    def error(self, faults: Iterable[Fault]) -> DatasetError:
        """The one error of all these faults."""
        return DatasetError(*(self._problem(fault) for fault in faults))

    def _problem(self, fault: Fault) -> Problem:
        unit = "row" if self.format == "parquet" else "line"
        parts = [f"{unit} {fault.line}" if fault.line else "", fault.field]
        named = ", ".join(part for part in parts if part)
        what = f"{self.path}: {named}" if named else str(self.path)
        step = "correct the row" if fault.line else "correct the file, or what the configuration says of it"
        return Problem(what, fault.expected, fault.got, step)


def read_table(path: Path, wanted: Sequence[str], kind: str | None = None, quoted: bool | None = None) -> TableFile:
    """The wanted columns of a file.

    Args:
        path: the file.
        wanted: columns to keep; a name that comes twice is one column.
        kind: one of `FORMATS`; None goes by the file's ending.
        quoted: of CSV and TSV: whether quotation marks enclose cells; None is the format's own rule.

    Raises:
        DatasetError: the file cannot be read at all, or its name does not say what it is. What is wrong inside is in
            `cells.faults`, beside the rows that are right.
    """
    chosen = kind or _format_of(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        got = error.strerror or type(error).__name__
        raise DatasetError(Problem(str(path), "a table file that can be read", got, "correct the path")) from error
    enclosed = chosen == "csv" if quoted is None else quoted
    cells = _read(data, wanted, chosen, enclosed, asked=quoted is None)
    if not cells.rows and not cells.faults:
        cells.faults.append(Fault(0, "", "at least one row", "none"))
    return TableFile(path, chosen, enclosed, hashlib.sha256(data).hexdigest(), cells)


def _read(data: bytes, wanted: Sequence[str], kind: str, quoted: bool, *, asked: bool) -> Cells:
    if kind == "parquet":
        return read_parquet_cells(data, wanted)
    if kind == "jsonl":
        return _read_jsonl(data, wanted)
    delimiter = "," if kind == "csv" else "\t"
    return read_delimited(data, wanted, delimiter, None if asked and not quoted else quoted)


def _read_jsonl(data: bytes, wanted: Sequence[str]) -> Cells:
    """Lines of one object each; blank lines and lines that start with # are no rows, null is a missing cell."""
    cells = Cells()
    seen: Counter[str] = Counter()
    # As bytes: a text would also end its lines at characters that JSON has inside its strings.
    for line, raw in enumerate(decoded(data, cells).encode().splitlines(), start=1):
        text = raw.decode().strip()
        if not text or text.startswith("#"):
            continue
        parsed = parse_strict(text)
        cells.faults += [Fault(line, *fault) for fault in parsed.faults]
        if parsed.faults:
            continue
        if not isinstance(parsed.value, dict):
            cells.faults.append(Fault(line, "", "an object", shown(parsed.value)))
            continue
        seen.update(parsed.value.keys())
        found = {name: parsed.value[name] for name in wanted if parsed.value.get(name) is not None}
        cells.rows.append((line, found))
    if cells.rows and (missing := column_faults([*seen], wanted)):
        # A field that no row has is one fault, not one a row.
        cells.faults += missing
        cells.rows = []
    return cells


def _format_of(path: Path) -> str:
    found = _ENDINGS.get(path.suffix.lower())
    if found is None:
        expected = f"a file that ends in one of {', '.join(_ENDINGS)}"
        step = f"set dataset.format to one of {', '.join(FORMATS)}"
        raise DatasetError(Problem(str(path), expected, repr(path.suffix), step))
    return found
