"""Graphs for tests: tiny ones that compute nothing, and the demo checkpoint exported once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from builders import NoHub, checkpoint_settings

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.checkpoints.onnx_file import INPUTS, OUTPUTS
from laya_sweep.engines.exported_graph import Exported


def tiny_graph(inputs=INPUTS, outputs=OUTPUTS, notes=None, weights=(1.0, 2.0)) -> onnx.ModelProto:
    """A valid model of the names given: each output is the same constant."""
    kinds = {
        name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in (*inputs, *outputs)
    }
    tensor = onnx.numpy_helper.from_array(np.array(weights, np.float32), "w")
    nodes = [onnx.helper.make_node("Identity", ["w"], [name]) for name in outputs]
    graph = onnx.helper.make_graph(
        nodes, "tiny", [kinds[name] for name in inputs], [kinds[name] for name in outputs], [tensor]
    )
    model = onnx.helper.make_model(graph)
    onnx.helper.set_model_props(model, notes or {})
    return model


def write_graph(path: Path, **changes: Any) -> Path:
    """A tiny graph as a file."""
    path.write_bytes(tiny_graph(**changes).SerializeToString())
    return path


class Graphs(NamedTuple):
    """The bundled English checkpoint as files, in full precision and in INT8, and what the export said."""

    fp32: Path
    int8: Path
    exported: dict[str, Exported]
    loaded: Any
    traced: onnx.ModelProto


def export_demo(folder: Path) -> Graphs:
    """Trace once, since that is what takes the time; check and write both precisions."""
    from laya_sweep.engines import onnx_export

    loaded = onnx_export.load(locate(checkpoint_settings("bundled:demo_english"), NoHub()))
    traced = onnx_export.trace(loaded)
    kept = onnx.ModelProto()
    kept.CopyFrom(traced)
    exported = {
        precision: onnx_export.finish(loaded, traced, int8=precision == "int8") for precision in ("fp32", "int8")
    }
    for precision, one in exported.items():
        (folder / f"{precision}.onnx").write_bytes(one.data)
    return Graphs(folder / "fp32.onnx", folder / "int8.onnx", exported, loaded, kept)
