"""A loaded checkpoint with what scoring must know of it: its name, and its temperatures by option bucket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from laya_sweep.checkpoints.checkpoint import Checkpoint, locate
from laya_sweep.checkpoints.engine_spec import ONNX, TORCH
from laya_sweep.checkpoints.temperatures import resolve_temperatures
from laya_sweep.domain.bucket import SIZE_COUNTS, option_bucket
from laya_sweep.domain.regime import BucketTemperature
from laya_sweep.domain.settings import CheckpointSettings
from laya_sweep.engines.engine import Engine
from laya_sweep.engines.loading import load_engine
from laya_sweep.files.hub import HuggingFaceHub


@dataclass(frozen=True, slots=True)
class LoadedEngine:
    """An engine and its checkpoint. `checkpoint` is None for an engine that somebody handed over as it is."""

    engine: Engine
    name: str | None
    temperatures: Mapping[str, BucketTemperature]
    checkpoint: Checkpoint | None = None


def open_engine(
    source: str | Path,
    *,
    name: str | None = None,
    subfolder: str | None = None,
    revision: str | None = None,
    device: str = "cpu",
    threads: int = 1,
    max_len: int | None = None,
    head_max_len: int | None = None,
    onnx: str | Path | None = None,
) -> LoadedEngine:
    """Load a checkpoint for `evaluate`, which may then be called many times (imports torch).

    Args:
        source: a folder, which is never changed, a Hub repository, or `bundled:demo_english` and its like.
        name: of the checkpoint in figures; the last part of the source if not given.
        subfolder, revision: where the checkpoint is in its repository.
        device: "cpu" or "cuda"; never guessed.
        threads: of torch in this process.
        max_len, head_max_len: token budgets; the checkpoint's own if not given.
        onnx: a graph that `export-onnx` made of the checkpoint, to answer in place of torch.

    Raises:
        CheckpointError: there is no Laya checkpoint, or the graph is none of it.
        UsageError: the repository cannot be reached.
    """
    title = name or str(source).rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]
    graph = None if onnx is None else Path(onnx)
    answering = TORCH if graph is None else ONNX
    settings = CheckpointSettings(
        title, str(source), subfolder, revision, max_len, head_max_len, engine=answering.name, onnx=graph
    )
    found = locate(settings, HuggingFaceHub())
    engine = load_engine(found, device, threads)
    temperatures = {
        fact.bucket: BucketTemperature(fact.raw, fact.served, fact.source)
        for fact in resolve_temperatures(found.temperatures)
    }
    return LoadedEngine(engine, title, temperatures, found)


def loaded(engine: LoadedEngine | Engine | str | Path) -> LoadedEngine:
    """Any of the forms of an engine, loaded."""
    if isinstance(engine, LoadedEngine):
        return engine
    if isinstance(engine, str | Path):
        return open_engine(engine)
    return LoadedEngine(engine, None, _served(engine))


def is_engine(runner: object) -> TypeGuard[LoadedEngine | Engine | str | Path]:
    """Whether decisions come from logits: an engine of ours, or what one is loaded from."""
    if isinstance(runner, LoadedEngine | str | Path):
        return True
    return all(callable(getattr(runner, name, None)) for name in ("info", "encode", "forward"))


def _served(engine: Engine) -> dict[str, BucketTemperature]:
    """The temperatures in force; what the checkpoint ships is not known."""
    told = engine.info().served_temperatures
    kinds = {name.split(":")[0] for name in told}
    buckets = {option_bucket(kind, count): kind for kind in kinds for count in SIZE_COUNTS}
    return {
        bucket: BucketTemperature(None, told.get(bucket, told.get(kind, 1.0)), bucket if bucket in told else kind)
        for bucket, kind in buckets.items()
    }
