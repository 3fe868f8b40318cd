"""Loading an engine; what is heavy is imported when it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.engines.engine import (
    Engine,
)
from laya_sweep.engines.exported_graph import Exported


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
