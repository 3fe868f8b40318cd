"""The mapping `dataset`: which suite, and what it draws from."""

from __future__ import annotations

from pathlib import Path

from laya_sweep.config.fields import Fields
from laya_sweep.config.mapped_dataset import READERS
from laya_sweep.domain.settings import PRESENTATION, DatasetSettings
from laya_sweep.suites.sampling import SAMPLINGS


def read_dataset(fields: Fields) -> DatasetSettings:
    if fields.get("name") == "jsonl":
        return _labelled_dataset(fields)
    if fields.get("name") in READERS:
        return READERS[str(fields.get("name"))](fields)
    if fields.get("name") == PRESENTATION:
        return _presentation_dataset(fields)
    settings = DatasetSettings(
        name=fields.choice("name", ["demo", "massive", "massive_scenario", "jsonl", PRESENTATION, *READERS]),
        path=fields.optional_path("path"),
        repo=fields.optional_text("repo"),
        revision=fields.optional_text("revision"),
        split=fields.text("split"),
        per_lang=fields.optional_integer("per_lang", 1),
        n_opts=fields.integer("n_opts", 2),
        seed=fields.integer("seed", 0),
        sampling=fields.choice("sampling", [*SAMPLINGS]),
    )
    fields.close()
    if settings.name.startswith("massive") and settings.path is None and settings.repo is None:
        fields.complain("path", "a folder, or a Hub repository in dataset.repo", None, "set one of the two")
    if settings.name == "demo" and settings.path is not None:
        fields.complain(
            "path", "null for the bundled corpus", str(settings.path), "use dataset=massive for your own folder"
        )
    return settings


def _labelled_dataset(fields: Fields) -> DatasetSettings:
    """A labelled file: what an intent suite draws by is no key of it."""
    path, per_lang = fields.optional_path("path"), fields.optional_integer("per_lang", 1)
    settings = _unsampled("jsonl", path, per_lang)
    if fields.get("path") is None:
        fields.complain("path", "a JSONL file", None, "set dataset.path=FILE")
    fields.close()
    return settings


def _presentation_dataset(fields: Fields) -> DatasetSettings:
    """The document of the checks: the bundled one where no path is named."""
    settings = _unsampled(PRESENTATION, fields.optional_path("path"), None)
    fields.close()
    return settings


def _unsampled(name: str, path: Path | None, per_lang: int | None) -> DatasetSettings:
    return DatasetSettings(
        name=name,
        path=path,
        repo=None,
        revision=None,
        split="",
        per_lang=per_lang,
        n_opts=0,
        seed=0,
        sampling="",
    )
