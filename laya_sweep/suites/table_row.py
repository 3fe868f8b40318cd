"""One row of a text/label file: its cells -> a state, a label and what ties and slices it, or its faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, InstanceOf, JsonValue

from laya_sweep.domain.checked import Name, Refusal, Refuser, Takes, refuser
from laya_sweep.domain.settings import TableMapping
from laya_sweep.files.strict_json import FieldFault
from laya_sweep.suites.question_check import is_blank, saying
from laya_sweep.suites.row_check import field_fault

_STATE = refuser(
    Annotated[
        str | InstanceOf[dict[str, Any]] | InstanceOf[list[Any]],
        AfterValidator(saying),
        Takes("a text, an object or a list that is not empty", whole=True),
    ]
)
_INSIDE = refuser(Annotated[JsonValue, Takes("values that JSON has", whole=True)])
_FIELD = refuser(Annotated[JsonValue, Takes("a value that JSON has and that is not null", whole=True)])
_LABEL = refuser(Annotated[Name | int, Takes("a label: a text, or a whole number", whole=True)])
_CODE = refuser(Annotated[Name, Takes("a code", whole=True)])
_ID = refuser(Annotated[Name | int, Takes("a text or a whole number", whole=True)])
_TAG = refuser(Annotated[str | int | bool, Takes("a text, a whole number or a bool", whole=True)])


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


def cell_faults(mapping: TableMapping, cells: Mapping[str, Any]) -> list[FieldFault]:
    """Every fault of a row's cells; none means that `table_row` takes them."""
    found = [*_state_refusals(mapping.text, cells), *_refused(_LABEL, mapping.label, cells)]
    for column, kind in ((mapping.language, _CODE), (mapping.id, _ID), *((name, _TAG) for name in mapping.tags)):
        if column is not None and _cell(column, cells) is not None:
            found += _refused(kind, column, cells)
    return [field_fault(refusal) for refusal in found]


def table_row(mapping: TableMapping, cells: Mapping[str, Any]) -> TableRow:
    """A row from cells without faults. A tag is `column=value`, so that two columns may have the same values."""
    row_id, language = _cell(mapping.id, cells), _cell(mapping.language, cells)
    tags = [(name, _cell(name, cells)) for name in mapping.tags]
    return TableRow(
        state=_state(mapping.text, cells),
        label=str(cells[mapping.label]),
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


def _state_refusals(text: str | tuple[tuple[str, str], ...], cells: Mapping[str, Any]) -> list[Refusal]:
    """A state is a text, an object or a list; fields of an object may be empty or numbers, but not all be empty."""
    if isinstance(text, str):
        return _refused(_STATE, text, cells) or _refused(_INSIDE, text, cells)
    found = [refusal for _, column in text for refusal in _refused(_FIELD, column, cells)]
    if all(is_blank(cells.get(column)) for _, column in text):
        found.append(Refusal((text[0][1],), "a text in at least one of the text columns", None, got="none"))
    return found


def _refused(kind: Refuser, column: str, cells: Mapping[str, Any]) -> list[Refusal]:
    return [one._replace(place=(column,)) for one in kind(cells.get(column, MISSING))]


def _tag(value: Any) -> str:  # noqa: ANN401 - a text, a whole number or a bool
    return str(value).lower() if isinstance(value, bool) else str(value)
