"""Hydra's plain dictionary -> `Settings`; every fault is collected, then all are shown at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from laya_sweep.checkpoints.engine_spec import ENGINES
from laya_sweep.checkpoints.pins import pin
from laya_sweep.config.axes import read_languages, read_metrics, read_min_confidence
from laya_sweep.config.checkpoint import read_checkpoint
from laya_sweep.config.dataset import read_dataset
from laya_sweep.config.executor import read_executor, read_store
from laya_sweep.config.fields import Fields, named_entries
from laya_sweep.config.gate import read_gate
from laya_sweep.config.presentation import read_narrowing, read_transforms
from laya_sweep.config.regime import read_regime
from laya_sweep.domain.option import every_option
from laya_sweep.domain.settings import (
    BASELINE,
    CHECKPOINT_EMBEDDER,
    PRESENTATION,
    CheckpointSettings,
    RouterSettings,
    Settings,
)
from laya_sweep.errors import ConfigError, Problem, name_list

#: Keys that somebody may look for and that are no options: what holds instead, and what to do.
REFUSED = {
    "window": (
        "null, since states are read in one piece and windows are not supported",
        "raise +checkpoints.NAME.max_len, or split long texts into rows of one id; docs/suites.md says why",
    )
}

#: Groups whose options stand in the files of conf/, as they are several, or each of a kind with options of its own.
_PRESETS = (
    "checkpoints",
    "regimes",
    "transforms",
    "dataset",
    "dataset.mapping",
    "narrowing",
    "routers",
    "routers.routes",
)

_CHECKPOINTS = "'checkpoint=[english]' or +checkpoints.mine.source=FOLDER"


def written_defaults() -> dict[str, Any]:
    """The declared defaults as a configuration has them, of all options that are no part of an entry or a preset."""
    found: dict[str, Any] = {}
    for option in every_option(Settings):
        group, _, key = option.name.rpartition(".")
        if group not in _PRESETS and option.default is not MISSING:
            default = option.default
            value = (
                list(default) if isinstance(default, tuple) else str(default) if isinstance(default, Path) else default
            )
            (found.setdefault(group, {}) if group else found)[key] = value
    return found


def build_settings(raw: Mapping[str, Any]) -> Settings:
    """Settings from the composed configuration.

    Raises:
        ConfigError: with every fault found, when there is at least one.
    """
    problems: list[Problem] = []
    fields = Fields({key: value for key, value in raw.items() if key not in REFUSED or value is not None}, "", problems)
    dataset = read_dataset(fields.group("dataset"))
    entries = named_entries(fields, "checkpoints", _CHECKPOINTS, read_checkpoint)
    asked = pin(entries, fields.get("revision"), fields.complain)
    settings = Settings(
        checkpoints=tuple(entry for entry in asked if isinstance(entry, CheckpointSettings)),
        routers=tuple(entry for entry in asked if isinstance(entry, RouterSettings)),
        languages=read_languages(fields, dataset.name),
        regimes=named_entries(fields, "regime", "'regime=[served,raw]'", read_regime),
        transforms=read_transforms(fields),
        min_confidence=read_min_confidence(fields),
        dataset=dataset,
        executor=read_executor(fields.group("executor")),
        store=read_store(fields.group("store")),
        gate=read_gate(fields.group("gate")),
        metrics=read_metrics(fields.group("metrics")),
        narrowing=read_narrowing(fields.group("narrowing")),
        **fields.options(Settings),
    )
    for key in [key for key in REFUSED if fields.get(key) is not None]:
        expected, step = REFUSED[key]
        fields.complain(key, expected, raw[key], step)
    _refuse_narrowed_transforms(fields, settings)
    fields.close()
    _check_presentation(fields, settings)
    _check_together(fields, settings)
    if problems:
        raise ConfigError(*problems)
    return settings


def _refuse_narrowed_transforms(fields: Fields, settings: Settings) -> None:
    """What is kept of a question is of the case as it stands: other presentations would each keep something else."""
    names = [transform.name for transform in settings.transforms]
    if settings.narrowing.name != "none" and names not in ([], [BASELINE]):
        step = "'transform=[baseline]', or narrowing=none"
        fields.complain("transform", f"baseline alone with narrowing={settings.narrowing.name}", names, step)
    if settings.narrowing.name != "none" and settings.dataset.name == PRESENTATION:
        fields.complain("narrowing", "none with dataset=presentation", settings.narrowing.name, "leave narrowing out")


def _check_presentation(fields: Fields, settings: Settings) -> None:
    """The checks present every order themselves, and their gates gate nothing else."""
    checks = settings.dataset.name == PRESENTATION
    if checks and [transform.name for transform in settings.transforms] != ["baseline"]:
        fields.complain("transform", "[baseline] with dataset=presentation", "another", "leave transform out")
    if settings.gate.checks and not checks:
        fields.complain("gate.checks", "dataset=presentation", settings.dataset.name, "remove gate.checks")


def _check_together(fields: Fields, settings: Settings) -> None:
    """Faults between keys that are right by themselves."""
    for checkpoint in settings.checkpoints:
        if settings.executor.device not in (devices := ENGINES[checkpoint.engine].devices):
            expected = f"0 with checkpoint {checkpoint.name}, whose engine {checkpoint.engine} runs on {devices[0]}"
            fields.complain("executor.num_gpus", expected, settings.executor.num_gpus, "sweep it in a run of its own")
        if settings.narrowing.embedder == CHECKPOINT_EMBEDDER and not ENGINES[checkpoint.engine].embeds:
            engine = f"whose engine {checkpoint.engine} has no encoder of its own"
            expected = f"package.module:function with checkpoint {checkpoint.name}, {engine}"
            fields.complain("narrowing.embedder", expected, CHECKPOINT_EMBEDDER, "name a function")
    names = [checkpoint.name for checkpoint in settings.checkpoints] + [router.name for router in settings.routers]
    if settings.drift is not None and settings.drift not in names:
        expected = f"null, or one of the checkpoints of this run ({name_list(names, settings.drift)})"
        fields.complain("drift", expected, settings.drift, "name one of them")
