"""The mapping `dataset`: which suite, and what it draws from."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from laya_sweep.config.fields import Fields
from laya_sweep.config.table_mapping import read_mapping
from laya_sweep.domain.checked import Text
from laya_sweep.domain.settings import DatasetSettings
from laya_sweep.suites.label_set import Labels, labels_of
from laya_sweep.suites.suite import SUITES


def read_dataset(fields: Fields) -> DatasetSettings:
    name = fields.value("name", Literal[(*SUITES,)])
    suite = SUITES[name or "massive"]
    names = suite.options
    if name == "table" and fields.get("n_opts") is None:
        names = tuple(key for key in names if key != "n_opts")
    options = fields.options(DatasetSettings, names)
    options["labels"] = _labels(fields) if "labels" in names else None
    settings = DatasetSettings(name=name or "", mapping=read_mapping(fields) if name == "table" else None, **options)
    if suite.file is not None and fields.get("path") is None:
        fields.complain("path", suite.file, None, "set dataset.path=FILE")
    fields.close()
    if name and suite.hub and fields.get("path") is None and fields.get("repo") is None:
        fields.complain("path", "a folder, or a Hub repository in dataset.repo", None, "set one of the two")
    if name == "demo" and settings.path is not None:
        step = "use dataset=massive for your own folder"
        fields.complain("path", "null for the bundled corpus", str(settings.path), step)
    return settings


def _labels(fields: Fields) -> Labels | Path | None:
    raw = fields.get("labels")
    if raw is None:
        return None
    if isinstance(raw, str):
        return Path(raw).expanduser() if raw else fields.value("labels", Text)
    labels, found = labels_of(raw)
    for one in found:
        fields.complain("labels", one.words, one.value, "correct dataset.labels; in a JSON file every label is a text")
    return labels
