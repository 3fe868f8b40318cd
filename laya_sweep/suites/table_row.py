"""One row of a text/label file: its cells -> a state, a label and what ties and slices it, or its faults."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from laya_sweep.domain.settings import TableMapping
from laya_sweep.files.strict_json import FieldFault, name_of, shown
from laya_sweep.suites.label_set import label_text


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row as it is asked; `row_id` is None where the row does not say."""

    state: Any
    label: str
    language: str
    row_id: str | None
    tags: tuple[str, ...]


def columns_of(mapping: TableMapping) -> list[str]:
    """The columns that a mapping reads."""
    texts = [mapping.text] if isinstance(mapping.text, str) else [column for _, column in mapping.text]
    others = (mapping.label, mapping.language, mapping.id, *mapping.tags)
    return [*dict.fromkeys(name for name in (*texts, *others) if name is not None)]


def cell_faults(mapping: TableMapping, cells: Mapping[str, Any]) -> Iterator[FieldFault]:
    """Every fault of a row's cells; none means that `table_row` takes them."""
    yield from _state_faults(mapping.text, cells)
    if label_text(cells.get(mapping.label)) is None:
        yield _fault(mapping.label, "a label: a text, or a whole number", cells)
    for name, expected in ((mapping.language, "a code"), (mapping.id, "a text or a whole number")):
        value = _cell(name, cells)
        right = isinstance(value, str) and bool(value.strip())
        if name == mapping.id:
            right = right or (isinstance(value, int) and not isinstance(value, bool))
        if name is not None and value is not None and not right:
            yield _fault(name, expected, cells)
    for name in mapping.tags:
        if not isinstance(_cell(name, cells), str | int | None):
            yield _fault(name, "a text, a whole number or a bool", cells)


def table_row(mapping: TableMapping, cells: Mapping[str, Any]) -> TableRow:
    """A row from cells without faults. A tag is `column=value`, so that two columns may have the same values."""
    row_id, language = _cell(mapping.id, cells), _cell(mapping.language, cells)
    tags = [(name, _cell(name, cells)) for name in mapping.tags]
    return TableRow(
        state=_state(mapping.text, cells),
        label=label_text(cells[mapping.label]) or "",
        language=language or "",
        row_id=None if row_id is None else str(row_id),
        tags=tuple(f"{name}={_tag(value)}" for name, value in tags if value is not None),
    )


def _cell(name: str | None, cells: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """A cell that may be left out; an empty one is left out."""
    value = None if name is None else cells.get(name)
    return None if value == "" else value


def _state(text: str | tuple[tuple[str, str], ...], cells: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return cells[text] if isinstance(text, str) else {field: cells[column] for field, column in text}


def _state_faults(text: str | tuple[tuple[str, str], ...], cells: Mapping[str, Any]) -> Iterator[FieldFault]:
    """A state is a text, an object or a list; fields of an object may be empty or numbers, but not all be empty."""
    if isinstance(text, str):
        value = cells.get(text)
        if not isinstance(value, str | dict | list) or _is_blank(value):
            yield _fault(text, "a text, an object or a list that is not empty", cells)
        elif not _is_json(value):
            yield _fault(text, "values that JSON has", cells)
        return
    for _, column in text:
        if column not in cells or not _is_json(cells[column]):
            yield _fault(column, "a value that JSON has and that is not null", cells)
    if all(_is_blank(cells.get(column, " ")) for _, column in text):
        yield FieldFault(name_of(text[0][1]), "a text in at least one of the text columns", "none")


def _is_blank(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return not value.strip() if isinstance(value, str) else value in ([], {})


def _is_json(value: Any) -> bool:  # noqa: ANN401 - what a typed column holds
    if isinstance(value, dict):
        return all(_is_json(child) for child in value.values())
    if isinstance(value, list):
        return all(_is_json(child) for child in value)
    return not isinstance(value, float) or math.isfinite(value)


def _tag(value: Any) -> str:  # noqa: ANN401 - a text, a whole number or a bool
    return str(value).lower() if isinstance(value, bool) else str(value)


def _fault(column: str, expected: str, cells: Mapping[str, Any]) -> FieldFault:
    return FieldFault(name_of(column), expected, shown(cells[column]) if column in cells else "nothing")
