"""Hydra's plain dictionary -> `Settings`; every fault is collected, then all are shown at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.checkpoints.pins import pin
from laya_sweep.config.axes import read_languages, read_metrics, read_min_confidence
from laya_sweep.config.checkpoint import read_checkpoint
from laya_sweep.config.dataset import read_dataset
from laya_sweep.config.executor import read_executor, read_store
from laya_sweep.config.fields import Fields, named_entries
from laya_sweep.config.gate import read_gate
from laya_sweep.config.presentation import read_narrowing, read_transforms
from laya_sweep.config.regime import read_regime
from laya_sweep.domain.settings import BASELINE, PRESENTATION, CheckpointSettings, RouterSettings, Settings
from laya_sweep.errors import ConfigError, Problem, name_list


def build_settings(raw: Mapping[str, Any]) -> Settings:
    """Settings from the composed configuration.

    Raises:
        ConfigError: with every fault found, when there is at least one.
    """
    problems: list[Problem] = []
    fields = Fields(raw, "", problems)
    dataset = read_dataset(Fields(fields.get("dataset"), "dataset", problems))
    asked = pin(
        named_entries(fields, "checkpoints", problems, read_checkpoint), fields.get("revision"), fields.complain
    )
    settings = Settings(
        checkpoints=tuple(entry for entry in asked if isinstance(entry, CheckpointSettings)),
        languages=read_languages(fields, dataset.name),
        regimes=named_entries(fields, "regime", problems, read_regime),
        transforms=read_transforms(fields, problems),
        min_confidence=read_min_confidence(fields),
        dataset=dataset,
        executor=read_executor(Fields(fields.get("executor"), "executor", problems)),
        store=read_store(Fields(fields.get("store"), "store", problems)),
        gate=read_gate(Fields(fields.get("gate"), "gate", problems)),
        baseline=fields.optional_path("baseline"),
        on_error=fields.choice("on_error", ["fail", "skip"]),
        out_dir=fields.optional_path("out_dir"),
        batch_tokens=fields.integer("batch_tokens", 1),
        batch_size=fields.optional_integer("batch_size", 1),
        shard_cases=fields.integer("shard_cases", 1),
        dry_run=fields.flag("dry_run"),
        metrics=read_metrics(Fields(fields.get("metrics"), "metrics", problems)),
        drift=fields.optional_text("drift"),
        sort_by_length=fields.flag("sort_by_length"),
        narrowing=read_narrowing(Fields(fields.get("narrowing"), "narrowing", problems)),
        routers=tuple(entry for entry in asked if isinstance(entry, RouterSettings)),
    )
    _refuse_window(fields)
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
    onnx = [checkpoint.name for checkpoint in settings.checkpoints if checkpoint.engine == "onnx"]
    if onnx and settings.executor.device != "cpu":
        expected = f"0 with an ONNX checkpoint ({', '.join(onnx)}), which runs on the CPU"
        fields.complain("executor.num_gpus", expected, settings.executor.num_gpus, "sweep it in a run of its own")
    names = [checkpoint.name for checkpoint in settings.checkpoints] + [router.name for router in settings.routers]
    if settings.drift is not None and settings.drift not in names:
        expected = f"null, or one of the checkpoints of this run ({name_list(names, settings.drift)})"
        fields.complain("drift", expected, settings.drift, "name one of them")


def _refuse_window(fields: Fields) -> None:
    """Reading a long state in windows would have to be the runtime's `predict_long`, which this house does not do."""
    value = fields.get("window")
    if value is not None:
        step = "raise +checkpoints.NAME.max_len, or split long texts into rows of one id; docs/suites.md says why"
        fields.complain("window", "null, since states are read in one piece and windows are not supported", value, step)
