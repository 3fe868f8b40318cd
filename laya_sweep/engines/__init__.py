"""Checkpoint -> raw logits. Importing this package imports no torch; `load_engine` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laya_sweep.engines.checkpoint import Checkpoint, locate
from laya_sweep.engines.engine import (
    LAYOUT_VERSION,
    LEAST_OPTIONS,
    LENGTH_MULTIPLE,
    EncodedQuestion,
    EncodingError,
    Engine,
    EngineInfo,
    Forward,
    OutOfMemoryError,
    Shape,
    padded_shape,
)
from laya_sweep.engines.marks import runtime_marks
from laya_sweep.engines.temperature import TemperatureFact, resolve_temperatures


def load_engine(folder: Path, device: str, threads: int, max_len: int, head_max_len: int) -> Engine:
    """A checkpoint loaded in this process on the device asked for (imports torch)."""
    from laya_sweep.engines.torch_engine import TorchEngine

    return TorchEngine(folder, device, threads, max_len, head_max_len)


def agent_engine(agent: Any) -> Engine:  # noqa: ANN401 - the runtime's Agent, which may be loaded or not
    """An engine around an agent that the caller loaded with the runtime (imports torch)."""
    from laya_sweep.engines.torch_engine import TorchEngine

    return TorchEngine.of_agent(agent)


__all__ = [
    "LAYOUT_VERSION",
    "LEAST_OPTIONS",
    "LENGTH_MULTIPLE",
    "Checkpoint",
    "EncodedQuestion",
    "EncodingError",
    "Engine",
    "EngineInfo",
    "Forward",
    "OutOfMemoryError",
    "Shape",
    "TemperatureFact",
    "agent_engine",
    "load_engine",
    "locate",
    "padded_shape",
    "resolve_temperatures",
    "runtime_marks",
]
