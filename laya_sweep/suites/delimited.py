"""CSV and TSV with a header, read strictly: every row has the header's columns, every cell is a text.

Quoting is as RFC 4180 has it: a cell in quotation marks may hold delimiters and line ends, "" in it is one mark. A
TSV file has no rule that all keep to, so there a cell that starts with a quotation mark must be spoken for.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from laya_sweep.files.strict_json import name_of, shown
from laya_sweep.suites.cells import Cells, column_faults, decoded
from laya_sweep.suites.labelled import Fault

_QUOTE = '"'


def read_delimited(data: bytes, wanted: Sequence[str], delimiter: str, quoted: bool | None) -> Cells:
    """The wanted columns of a CSV (delimiter ",") or TSV (tab) file.

    Args:
        data: the file.
        wanted: columns to keep.
        delimiter: between cells.
        quoted: whether quotation marks enclose cells; None leaves it to the file, which must then not need an answer.
    """
    cells = Cells()
    text = decoded(data, cells)
    if not text:
        return cells
    with _any_length(text):
        lines = _lines(text, delimiter, quoted is True, cells)
        first = next(lines, None)
        if first is None:
            return cells
        columns = first[1]
        cells.faults += column_faults(columns, wanted)
        kept = [] if cells.faults else [(name, columns.index(name)) for name in dict.fromkeys(wanted)]
        for line, values in lines:
            if len(values) != len(columns):
                cells.faults.append(Fault(line, "", f"{len(columns)} cells, as in the header", f"{len(values)}"))
            elif kept:
                row = {name: values[place] for name, place in kept}
                _ask_for_quoting(cells, line, row, quoted)
                cells.rows.append((line, row))
    return cells


def _lines(text: str, delimiter: str, quoted: bool, cells: Cells) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, each with the line it starts on; a broken one is a fault and ends the reading."""
    source = io.StringIO(text, newline="")
    if quoted:
        reader = csv.reader(source, delimiter=delimiter, strict=True)
    else:
        reader = csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            got = f"{error}; what follows it is not read"
            cells.faults.append(Fault(line, "", "cells with quotation marks that are closed and doubled", got))
            return
        if values:
            yield line, values


def _ask_for_quoting(cells: Cells, line: int, row: dict[str, str], quoted: bool | None) -> None:
    """One fault a file: a mark at the start of a cell may enclose it or belong to it."""
    found = next((name for name, value in row.items() if value.startswith(_QUOTE)), None)
    if quoted is None and found is not None and not any("dataset.quoted" in fault.expected for fault in cells.faults):
        expected = "dataset.quoted=true or dataset.quoted=false, since a cell starts with a quotation mark"
        cells.faults.append(Fault(line, name_of(found), expected, shown(row[found])))


@contextmanager
def _any_length(text: str) -> Iterator[None]:
    """Lets a cell be as long as the file: the limit of the csv module is 128 Ki characters, and states are longer."""
    before = csv.field_size_limit(len(text) + 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)
