"""What `calibrate` writes: the runtime's own files, with a key beside its keys that tells of the fit.

The runtime warns where a map names another checkpoint than the one that loads it, if it says which (version 2 of its
format). Where the config of the checkpoint cannot be had here, a map is written in version 1, which does not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from laya_sweep.calibration.fit import FittedMap, Floors
from laya_sweep.calibration.overlap import DatasetRow, rows_document
from laya_sweep.checkpoints.checkpoint import BUNDLED
from laya_sweep.checkpoints.temperatures import TEMPERATURE_FIELDS
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.domain.calibration_map import OWN_KEY
from laya_sweep.domain.identity import canonical_json, digest_text, library_versions, value_digest
from laya_sweep.errors import UsageError
from laya_sweep.files.hub import Hub
from laya_sweep.files.json_file import read_object
from laya_sweep.store.stored_run import StoredResult

_CONFIG = "rl_agent_config.json"


def map_document(
    fitted: FittedMap, checkpoint: Mapping[str, Any], own: Mapping[str, Any], config: Mapping[str, Any] | None
) -> dict[str, Any]:
    """A map file; `checkpoint` is as in a report, `config` the checkpoint's own where it could be had."""
    document = fitted.calibration.document()
    if config is not None:
        kept = {key: value for key, value in config.items() if key not in TEMPERATURE_FIELDS}
        named = {"model_id_or_path": _loaded_as(checkpoint["source"]), "subfolder": checkpoint["subfolder"]}
        document = {"version": 2, **document, **named, "config": kept}
    return {**document, OWN_KEY: dict(own)}


def languages_document(fitted: Mapping[str, tuple[FittedMap, Sequence[DatasetRow]]]) -> dict[str, Any]:
    """A file of overrides by language: the runtime's `lang_temperatures`, each entry with the rows of its fit."""
    return {
        language: {
            **own.calibration.temperatures.document(),
            OWN_KEY: {**fit_document(own), "fitted_on": rows_document(rows)},
        }
        for language, (own, rows) in sorted(fitted.items())
    }


def fit_document(fitted: FittedMap) -> dict[str, Any]:
    """Rows by bucket, and what each temperature was fitted on."""
    return {
        "rows_by_bucket": dict(fitted.rows),
        "fits": {name: fit.document() for name, fit in fitted.fits.items()},
    }


def own_document(
    result: StoredResult, fitted: FittedMap, rows: Sequence[DatasetRow], floors: Floors, seed: int | None
) -> dict[str, Any]:
    """What a map tells beside what the runtime reads."""
    checkpoint = result.run.config["checkpoints"][result.checkpoint]
    return {
        "fitted_by": library_versions(("laya-sweep",)),
        "checkpoint": result.checkpoint,
        "checkpoint_digest": digest_text(canonical_json(checkpoint["digests"])),
        "split": result.run.config["dataset"].get("split") or None,
        "held_out_seed": seed,
        "least_rows": {"bucket": floors.bucket, "type": floors.type, "binning": floors.binning},
        **fit_document(fitted),
        "fitted_on": rows_document(rows),
    }


def checkpoint_config(checkpoint: Mapping[str, Any], hub: Hub) -> dict[str, Any] | None:
    """The config of a checkpoint of a run, where it is still what the run saw; None where it cannot be had."""
    try:
        folder = _folder(checkpoint, hub)
        config = read_object(folder / (checkpoint["subfolder"] or "") / _CONFIG, "checkpoint")
    except UsageError:
        return None
    kept = {key: value for key, value in config.items() if key not in TEMPERATURE_FIELDS}
    return config if value_digest(kept) == checkpoint["digests"].get("config") else None


def _folder(checkpoint: Mapping[str, Any], hub: Hub) -> Path:
    source, commit = checkpoint["source"], checkpoint["commit"]
    if commit is None:
        return Path(_loaded_as(source)).expanduser()
    prefix = f"{checkpoint['subfolder']}/" if checkpoint["subfolder"] else ""
    return hub.download(source, commit, [prefix + _CONFIG])


def _loaded_as(source: str) -> str:
    """By what name the runtime loads a checkpoint: it knows none of those that ship here."""
    bundled = source.startswith(BUNDLED)
    return str(CHECKPOINTS_FOLDER / source.removeprefix(BUNDLED)) if bundled else source
