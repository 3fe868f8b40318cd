"""The rows of a table file as dictionaries, and what is wrong with the file as such.

A reader of a format takes bytes and the columns that somebody wants, and gives `Cells`. Nothing is converted: a cell
of a text format is its text, so `001`, `no` and `nan` are these words, and a typed format keeps its types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from laya_sweep.errors import name_list
from laya_sweep.files.strict_json import name_of
from laya_sweep.suites.labelled import Fault

_BOM = "\ufeff"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class Cells:
    """Rows as (line, cells by column) and the faults of all others; a missing cell is not in its row."""

    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def decoded(data: bytes, cells: Cells) -> str:
    """The text of a file; where it is not plain UTF-8 there is a fault, and what remains may be empty."""
    if data.startswith(_UTF16):
        cells.faults.append(Fault(0, "", "UTF-8", "UTF-16"))
        return ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = 1 + len(data[: error.start + 1].splitlines()[:-1])
        cells.faults.append(Fault(line, "", "UTF-8", f"byte 0x{data[error.start]:02x}"))
        return ""
    if text.startswith(_BOM):
        cells.faults.append(Fault(1, "", "no byte order mark", "one"))
    return text.removeprefix(_BOM)


def column_faults(columns: Sequence[str], wanted: Iterable[str]) -> list[Fault]:
    """Columns that are wanted and missing, or there more than once."""
    faults = []
    for name in dict.fromkeys(wanted):
        count = columns.count(name)
        if count == 0:
            listed = name_list([name_of(column) for column in columns], name)[:300] or "none"
            faults.append(Fault(0, name_of(name), f"a column of this name (there are {listed})", "none"))
        elif count > 1:
            faults.append(Fault(0, name_of(name), "one column of this name", f"{count} of them"))
    return faults
