"""The mapping `dataset`: which suite, and what it draws from."""

from __future__ import annotations

from typing import Literal

from laya_sweep.config.fields import Fields
from laya_sweep.config.table_mapping import read_mapping
from laya_sweep.domain.settings import PRESENTATION, DatasetSettings

_DRAWN = ("path", "repo", "revision", "split", "per_lang", "n_opts", "seed", "sampling")

#: Datasets by name, and the options that each has; those of a table's mapping come on top.
DATASETS = {
    "demo": _DRAWN,
    "massive": _DRAWN,
    "massive_scenario": _DRAWN,
    "jsonl": ("path", "per_lang"),
    PRESENTATION: ("path",),
    "table": ("path", "per_lang", "n_opts", "seed", "sampling"),
    "xnli": ("path", "repo", "revision", "split", "per_lang"),
}

#: What the path of a dataset is that has no other place.
_FILES = {"jsonl": "a JSONL file", "table": "a CSV, TSV, JSONL or Parquet file"}


def read_dataset(fields: Fields) -> DatasetSettings:
    name = fields.value("name", Literal[(*DATASETS,)])
    names = DATASETS[name or "massive"]
    if name == "table" and fields.get("n_opts") is None:
        names = tuple(key for key in names if key != "n_opts")
    options = fields.options(DatasetSettings, names)
    settings = DatasetSettings(name=name or "", mapping=read_mapping(fields) if name == "table" else None, **options)
    if name in _FILES and fields.get("path") is None:
        fields.complain("path", _FILES[name], None, "set dataset.path=FILE")
    fields.close()
    if name in ("massive", "massive_scenario", "xnli") and fields.get("path") is None and fields.get("repo") is None:
        fields.complain("path", "a folder, or a Hub repository in dataset.repo", None, "set one of the two")
    if name == "demo" and settings.path is not None:
        step = "use dataset=massive for your own folder"
        fields.complain("path", "null for the bundled corpus", str(settings.path), step)
    return settings
