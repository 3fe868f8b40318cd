"""Loading an engine; what is heavy is imported when it is asked for."""

from __future__ import annotations

import importlib
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.engines.engine import Engine
from laya_sweep.engines.exported_graph import Exported


def load_engine(checkpoint: Checkpoint, device: str, threads: int) -> Engine:
    """A checkpoint loaded in this process by its engine, on the device asked for (imports torch).

    Raises:
        DeviceError: the engine is not on that device.
    """
    module, _, name = checkpoint.engine.loader.partition(":")
    engine: Engine = getattr(importlib.import_module(module), name)(checkpoint, device, threads)
    return engine


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
