"""A checkpoint -> an ONNX graph: exported with free sizes, checked against torch, quantised where asked.

The runtime ships no exporter. The graph has the names and the layout that its `ONNXAgent` feeds: at least two option
slots, since the head takes the two most probable ones, and any number of rows, tokens and options otherwise.
"""

from __future__ import annotations

import contextlib
import io
import logging
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch.export import Dim

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.graph import require_sequential
from laya_sweep.checkpoints.onnx_file import INPUTS, OUTPUTS, PRECISION_NOTE, ROWS_NOTE, TOGETHER, WEIGHTS_NOTE
from laya_sweep.engines.exported_graph import Exported
from laya_sweep.engines.onnx_check import Loaded, measure_drift, require_parity, rows_are_independent
from laya_sweep.engines.onnx_engine import make_session
from laya_sweep.engines.torch_engine import load_agent
from laya_sweep.errors import CheckpointError, Problem

#: A protobuf message ends here; a larger checkpoint would need its weights in a second file.
_MOST_BYTES = 2**31 - 1


def export(checkpoint: Checkpoint, *, int8: bool) -> Exported:
    """Export, check and, with `int8`, quantise the weights; activations are quantised as they come.

    Raises:
        ParityError: full precision differs by more than 1e-4 from torch, or a graph gives numbers that are none.
        CheckpointError: this checkpoint has no ONNX form.
    """
    loaded = load(checkpoint)
    return finish(loaded, trace(loaded), int8=int8)


def finish(loaded: Loaded, graph: onnx.ModelProto, *, int8: bool) -> Exported:
    """Check a traced graph, quantise it where asked, and note in the file what it is; raises as `export`."""
    full = make_session(graph.SerializeToString(), 1)
    require_parity(loaded, full)
    together = not int8 and rows_are_independent(loaded, full)
    if int8:
        graph = _quantised(graph)
    drift = measure_drift(loaded, make_session(graph.SerializeToString(), 1) if int8 else full)
    precision = "int8" if int8 else "fp32"
    notes = {PRECISION_NOTE: precision, WEIGHTS_NOTE: str(loaded.checkpoint.weights)}
    onnx.helper.set_model_props(graph, notes | ({ROWS_NOTE: TOGETHER} if together else {}))
    return Exported(graph.SerializeToString(), precision, together, drift)


def load(checkpoint: Checkpoint) -> Loaded:
    """The checkpoint in torch, in float32.

    Raises:
        CheckpointError: it has no ONNX form.
    """
    agent, _ = load_agent(checkpoint.folder, "cpu")
    require_sequential(f"checkpoint {checkpoint.source}", agent.cfg)
    model = agent.model.float().eval()
    size = sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
    if size >= _MOST_BYTES:
        expected = "weights of less than 2 GiB, what one ONNX file holds"
        step = "use engine=torch for this one"
        raise CheckpointError(Problem(f"checkpoint {checkpoint.source}", expected, f"{size / 2**30:.1f} GiB", step))
    return Loaded(checkpoint, model, agent.tok, int(model.encoder.config.vocab_size))


def trace(loaded: Loaded) -> onnx.ModelProto:
    """The graph with free numbers of rows, tokens and options, without the traces of where it was made."""
    rows, tokens, options = (Dim.DYNAMIC,) * 3
    free = {
        "input_ids": {0: rows, 1: tokens},
        "attention_mask": {0: rows, 1: tokens},
        "marker_pos": {0: rows, 1: options},
        "marker_mask": {0: rows, 1: options},
        "qtype": {0: rows},
    }
    with _quiet():
        program = torch.onnx.export(
            loaded.model,
            tuple(_example().values()),
            dynamo=True,
            dynamic_shapes=free,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            verbose=False,
        )
    if program is None:
        raise RuntimeError("torch exported nothing")
    graph: onnx.ModelProto = program.model_proto
    for node in graph.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    return graph


def _example() -> dict[str, torch.Tensor]:
    """Inputs to trace: no size of theirs is 1 or equal to another, or the tracer would fix it."""
    kept = torch.ones(2, 24, dtype=torch.int64)
    kept[1, 20:] = 0
    return {
        "input_ids": torch.arange(48).reshape(2, 24) % 7,
        "attention_mask": kept,
        "marker_pos": torch.tensor([[3, 6, 9], [2, 4, 6]]),
        "marker_mask": torch.tensor([[True, True, True], [True, True, False]]),
        "qtype": torch.tensor([0, 1]),
    }


def _quantised(graph: onnx.ModelProto) -> onnx.ModelProto:
    with tempfile.TemporaryDirectory(prefix="laya_sweep_int8_") as folder:
        path = Path(folder) / "int8.onnx"
        with _quiet():
            quantize_dynamic(graph, str(path), weight_type=QuantType.QInt8)
        return onnx.load(path)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hides what exporters say of their own passes; errors are exceptions and still come through."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)
