"""The ONNX engine: an exported graph loaded by the runtime, read at its logits. CPU only.

A graph that was exported in full precision computes a row as if it were alone, so rows of one shape share a call.
Dynamic quantisation takes the range of a whole tensor: rows of one call, and their padding, move each other. Such a
graph, and any that `export-onnx` did not check, is asked as the runtime asks it: the questions of a case in one call,
padded to the longest of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
from laya.common import QTYPES
from laya.onnx_agent import ONNXAgent
from numpy.typing import NDArray

from laya_sweep.checkpoints.checkpoint import Checkpoint, stage
from laya_sweep.checkpoints.onnx_file import OUTPUTS
from laya_sweep.domain.layout import Shape
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.encoding import encode_question
from laya_sweep.engines.engine import DeviceError, EncodedQuestion, EngineInfo, Forward
from laya_sweep.engines.memo_tokenizer import MemoTokenizer
from laya_sweep.engines.public_answers import public_answers

_CPU = "CPUExecutionProvider"


class OnnxEngine:
    """One exported graph with the config and tokenizer of its checkpoint."""

    def __init__(self, checkpoint: Checkpoint, device: str, threads: int) -> None:
        """Load config, tokenizer and graph.

        Raises:
            DeviceError: a device other than the CPU, or the session did not stay on it.
        """
        if device not in checkpoint.engine.devices:
            raise DeviceError(f"an ONNX export runs on the CPU here, not on {device}")
        assert checkpoint.file is not None
        graph = str(checkpoint.file.path)
        self._layout, self._budgets = checkpoint.layout, (checkpoint.max_len, checkpoint.head_max_len)
        with stage(checkpoint.folder) as twin, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self._agent = ONNXAgent(twin, onnx_path=graph)
        self._warnings = tuple(dict.fromkeys(str(warning.message) for warning in caught))
        # The runtime's session takes every core and may take a GPU; the agent answers through this one instead.
        self._agent.session = self._session = make_session(graph, threads)
        self._tokenizer = MemoTokenizer(self._agent.tok)

    def info(self) -> EngineInfo:
        """See `Engine.info`; threads as the session holds them."""
        agent = self._agent
        served = {name: float(agent.temperature[index]) for name, index in QTYPES.items()}
        served |= {bucket: float(value) for bucket, value in agent.temperature_by_options.items()}
        threads = self._session.get_session_options().intra_op_num_threads
        return EngineInfo("cpu", threads, served, self._warnings, self._layout.rows_together)

    def encode(self, variant: Variant, qid: str) -> EncodedQuestion:
        """See `Engine.encode`."""
        return encode_question(self._tokenizer, variant, qid, self._budgets, self._layout)

    def encode_unshared(self, variant: Variant, qid: str) -> EncodedQuestion:
        """`encode` through the bare tokenizer: the reference a sample of every shard is compared with."""
        return encode_question(self._agent.tok, variant, qid, self._budgets, self._layout)

    def forward(self, rows: Sequence[EncodedQuestion]) -> Forward:
        """See `Engine.forward`; rows of a case are padded to the longest and widest of them."""
        shape = Shape(max(row.shape.length for row in rows), max(row.shape.options for row in rows))
        logits, act = run_graph(self._session, feed_of([row.item for row in rows], shape, self._agent.tok.pad_token_id))
        return Forward(
            [logits[i, : len(row.slots)].copy() for i, row in enumerate(rows)],
            # One row at a time, so that the bits of a row are its own.
            np.array([_first_probability(row) for row in act], np.float32),
        )

    def predict(self, variant: Variant, min_confidence: float | dict[str, float] | None) -> dict[str, dict[str, Any]]:
        """See `Engine.predict`."""
        return public_answers(self._agent, variant, self._budgets, min_confidence)


def make_session(graph: str | bytes, threads: int) -> onnxruntime.InferenceSession:
    """A session on the CPU with so many threads, at the optimisation level that the runtime asks for.

    Raises:
        DeviceError: the session runs elsewhere.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph, sess_options=options, providers=[_CPU])
    if session.get_providers() != [_CPU]:
        raise DeviceError(f"expected {_CPU} alone, got {session.get_providers()}")
    return session


def feed_of(items: Sequence[dict[str, Any]], shape: Shape, pad_id: int) -> dict[str, NDArray[Any]]:
    """Encoded questions as the graph's inputs, padded to a shape."""
    rows = len(items)
    feed: dict[str, NDArray[Any]] = {
        "input_ids": np.full((rows, shape.length), pad_id, np.int64),
        "attention_mask": np.zeros((rows, shape.length), np.int64),
        "marker_pos": np.zeros((rows, shape.options), np.int64),
        "marker_mask": np.zeros((rows, shape.options), bool),
        "qtype": np.array([item["qtype"] for item in items], np.int64),
    }
    for i, item in enumerate(items):
        feed["input_ids"][i, : len(item["ids"])] = item["ids"]
        feed["attention_mask"][i, : len(item["ids"])] = 1
        feed["marker_pos"][i, : len(item["markers"])] = item["markers"]
        feed["marker_mask"][i, : len(item["markers"])] = True
    return feed


def run_graph(
    session: onnxruntime.InferenceSession, feed: dict[str, NDArray[Any]]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits (rows x option slots) and act logits (rows x actions).

    Raises:
        RuntimeError: the graph cannot compute these rows.
    """
    try:
        logits, act = session.run(list(OUTPUTS), feed)
    except Exception as error:
        raise RuntimeError(f"onnxruntime: {error}") from error
    return np.asarray(logits), np.asarray(act)


def _first_probability(act_logits: NDArray[np.float32]) -> np.float32:
    raised = np.exp(act_logits - act_logits.max())
    return np.float32(raised[0] / raised.sum())
