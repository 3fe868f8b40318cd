"""Checkpoint -> raw logits. Importing this package imports no torch; `load_engine` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laya_sweep.engines.checkpoint import Checkpoint, locate, locate_all, require_one_commit
from laya_sweep.engines.engine import (
    ALONE_VERSION,
    LAYOUT_VERSION,
    LEAST_OPTIONS,
    LENGTH_MULTIPLE,
    DeviceError,
    EncodedQuestion,
    EncodingError,
    Engine,
    EngineInfo,
    Forward,
    OutOfMemoryError,
    Shape,
    own_shape,
    padded_shape,
)
from laya_sweep.engines.exported_graph import Drift, Exported
from laya_sweep.engines.marks import runtime_marks
from laya_sweep.engines.onnx_file import OnnxFile, read_onnx_file
from laya_sweep.engines.temperature import TemperatureFact, resolve_temperatures


def load_engine(
    folder: Path, device: str, threads: int, max_len: int, head_max_len: int, onnx: Path | None = None
) -> Engine:
    """A checkpoint loaded in this process on the device asked for (imports torch); `onnx` is a graph to answer."""
    if onnx is not None:
        from laya_sweep.engines.onnx_engine import OnnxEngine

        return OnnxEngine(folder, onnx, device, threads, max_len, head_max_len)
    from laya_sweep.engines.torch_engine import TorchEngine

    return TorchEngine(folder, device, threads, max_len, head_max_len)


def agent_engine(agent: Any) -> Engine:  # noqa: ANN401 - the runtime's Agent, which may be loaded or not
    """An engine around an agent that the caller loaded with the runtime (imports torch)."""
    from laya_sweep.engines.torch_engine import TorchEngine

    return TorchEngine.of_agent(agent)


def export_onnx(checkpoint: Checkpoint, *, int8: bool) -> Exported:
    """A checkpoint as an ONNX graph, checked against torch (imports torch and takes some seconds).

    Raises:
        ParityError: the graph does not answer as torch does.
        CheckpointError: this checkpoint has no ONNX form.
    """
    from laya_sweep.engines.onnx_export import export

    return export(checkpoint, int8=int8)


__all__ = [
    "ALONE_VERSION",
    "LAYOUT_VERSION",
    "LEAST_OPTIONS",
    "LENGTH_MULTIPLE",
    "Checkpoint",
    "DeviceError",
    "Drift",
    "EncodedQuestion",
    "EncodingError",
    "Engine",
    "EngineInfo",
    "Exported",
    "Forward",
    "OnnxFile",
    "OutOfMemoryError",
    "Shape",
    "TemperatureFact",
    "agent_engine",
    "export_onnx",
    "load_engine",
    "locate",
    "locate_all",
    "own_shape",
    "padded_shape",
    "read_onnx_file",
    "require_one_commit",
    "resolve_temperatures",
    "runtime_marks",
]
