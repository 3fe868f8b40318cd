"""The runtime's own answers under a calibration map, to logits that it gave before: no model is needed for them.

The runtime's agent is made without its weights. It loads the map as `Agent.load_calibration` does and turns logits into
answers as its `predict` does. Imports laya.common, and with it torch.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from laya.agent import Agent
from laya.calibrate import apply_calibration_payload
from laya.common import resolve_lang_temperatures
from laya.onnx_agent import ONNXAgent

from laya_sweep.checkpoints.engine_spec import ONNX
from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.engines.question import internal_question


class StoredLogits(NamedTuple):
    """Logits of one question in the order in which its options were read, and the language that it was asked in."""

    question_type: str
    logits: Sequence[float]
    language: str


class MapFiles(NamedTuple):
    """A map and overrides by language as their files hold them; None where there is none."""

    document: Mapping[str, Any] | None
    languages: Mapping[str, Any] | None


def map_answers(
    rows: Sequence[StoredLogits], files: MapFiles, served: Mapping[str, float], engine: str
) -> list[dict[str, Any]]:
    """The unmarked answers of the runtime.

    Args:
        rows: what is answered.
        files: what it loads.
        served: the temperatures that it applies without them, by type and by bucket.
        engine: by name, whose agent answers.
    """
    agent = _agent(files, served, engine)
    return [_answer(agent, row) for row in rows]


def _agent(files: MapFiles, served: Mapping[str, float], engine: str) -> Any:  # noqa: ANN401 - the runtime's
    kind = ONNXAgent if engine == ONNX.name else Agent
    agent: Any = kind.__new__(kind)
    agent.temperature = [served[name] for name in QUESTION_TYPES]
    agent.temperature_by_options = {name: value for name, value in served.items() if ":" in name}
    agent.binning_map = None
    with warnings.catch_warnings():
        # What the runtime moves, and another checkpoint's map, the run has said.
        warnings.simplefilter("ignore")
        agent.lang_temperatures = resolve_lang_temperatures(
            None if files.languages is None else dict(files.languages), agent.temperature
        )
        if files.document is not None:
            # Version 1 asks for no identity, which this agent has none of.
            apply_calibration_payload(agent, {**files.document, "version": 1})
    return agent


def _answer(agent: Any, row: StoredLogits) -> dict[str, Any]:  # noqa: ANN401 - the runtime's
    count = len(row.logits)
    asked: dict[str, Any] = {"type": row.question_type, "instructions": "?"}
    if row.question_type != "noul":
        asked["criteria"] = [f"option {i}" for i in range(count)]
    logits = np.array([row.logits], np.float32)
    items = [{"markers": range(count)}]
    internal = {"q": internal_question(asked)}
    answers = agent._decode_answers(logits, np.zeros((1, 1), np.float32), items, ["q"], internal, 0, lang=row.language)
    answer: dict[str, Any] = answers["q"]
    return answer
