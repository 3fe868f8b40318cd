"""The options of a text/label file: what its columns are, and what is asked about a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laya_sweep.config.fields import Fields
from laya_sweep.domain.checked import Text
from laya_sweep.domain.settings import TableMapping


def read_mapping(fields: Fields) -> TableMapping:
    """What the columns of the file are, and what is asked."""
    options = fields.options(TableMapping)
    return TableMapping(text=_text(fields), tags=_columns(fields, "tags"), **options)


def _text(fields: Fields) -> str | tuple[tuple[str, str], ...]:
    """A column; or pairs of (field, column) from a list of columns or a map of field to column."""
    raw = fields.get("text")
    if isinstance(raw, Mapping) and raw and all(map(_is_name, [*raw, *raw.values()])):
        return tuple((str(name), str(column)) for name, column in raw.items())
    if isinstance(raw, Sequence) and not isinstance(raw, str):
        columns = _columns(fields, "text")
        if not raw:
            fields.complain("text", "at least one column", raw, "name the column of the text")
        return tuple((column, column) for column in columns)
    if isinstance(raw, Mapping):
        fields.complain("text", "a map of field to column, both texts", raw, "correct the map")
        return ()
    return str(fields.value("text", Text) or "")


def _columns(fields: Fields, key: str) -> tuple[str, ...]:
    """A list of column names, or one; each once."""
    raw = fields.get(key)
    named = [raw] if isinstance(raw, str) else raw
    if not isinstance(named, Sequence):
        fields.complain(key, "a list of columns", raw, f"for example dataset.{key}=[COLUMN]")
        return ()
    for name in named:
        if not _is_name(name):
            fields.complain(key, "names of columns, as texts", name, "quote a name that looks like a number or a bool")
    return tuple(dict.fromkeys(str(name) for name in named))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)
