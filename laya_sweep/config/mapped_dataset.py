"""The configuration of datasets that have keys of their own: XNLI, and a text/label file with its mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from laya_sweep.config.fields import Fields
from laya_sweep.domain.settings import DatasetSettings, TableMapping
from laya_sweep.suites.label_set import labels_of
from laya_sweep.suites.sampling import SAMPLINGS
from laya_sweep.suites.table_file import FORMATS


def xnli_settings(fields: Fields) -> DatasetSettings:
    """`dataset=xnli`: rows and a split; question and options are fixed."""
    settings = DatasetSettings(
        name=fields.choice("name", ["xnli"]),
        path=fields.optional_path("path"),
        repo=fields.optional_text("repo"),
        revision=fields.optional_text("revision"),
        split=fields.text("split"),
        per_lang=fields.optional_integer("per_lang", 1),
        n_opts=0,
        seed=0,
        sampling="",
    )
    if fields.get("path") is None and fields.get("repo") is None:
        fields.complain("path", "a folder, or a Hub repository in dataset.repo", None, "set one of the two")
    fields.close()
    return settings


def table_settings(fields: Fields) -> DatasetSettings:
    """`dataset=table`: a file, what its columns are, what is asked, and how options are drawn."""
    if fields.get("path") is None:
        fields.complain("path", "a CSV, TSV, JSONL or Parquet file", None, "set dataset.path=FILE")
    settings = DatasetSettings(
        name=fields.choice("name", ["table"]),
        path=fields.optional_path("path"),
        repo=None,
        revision=None,
        split="",
        per_lang=fields.optional_integer("per_lang", 1),
        n_opts=fields.optional_integer("n_opts", 2) or 0,
        seed=fields.integer("seed", 0),
        sampling=fields.choice("sampling", [*SAMPLINGS]),
        mapping=_mapping(fields),
    )
    fields.close()
    return settings


def _mapping(fields: Fields) -> TableMapping:
    return TableMapping(
        format=None if fields.get("format") is None else fields.choice("format", FORMATS),
        quoted=None if fields.get("quoted") is None else fields.flag("quoted"),
        text=_text(fields),
        label=fields.text("label"),
        language=fields.optional_text("language"),
        id=fields.optional_text("id"),
        tags=_columns(fields, "tags"),
        labels=_labels(fields),
        question=fields.text("question"),
        instructions=fields.text("instructions"),
    )


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
    return fields.text("text")


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


def _labels(fields: Fields) -> tuple[tuple[str, str | None], ...] | Path | None:
    raw = fields.get("labels")
    if raw is None:
        return None
    if isinstance(raw, str):
        return fields.optional_path("labels")

    def complain(expected: str, got: object) -> None:
        fields.complain("labels", expected, got, "correct dataset.labels; in a JSON file every label is a text")

    return labels_of(raw, complain)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)


#: Datasets by name.
READERS: dict[str, Callable[[Fields], DatasetSettings]] = {"table": table_settings, "xnli": xnli_settings}
