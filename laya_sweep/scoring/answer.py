"""Facts -> the runtime's answer documents, in the runtime's own float32 arithmetic and 4 decimals.

What the runtime would have said is needed where figures must equal those of reports it was measured for. The numbers
are those of `rounding`, which decisions under `rounding: runtime` hold too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.thresholds import MinConfidence, threshold_at
from laya_sweep.scoring.probability import RUNTIME_DECIMALS, abstains
from laya_sweep.scoring.rounding import bin_value, expected_level, runtime_entropy_confidence, runtime_probabilities

#: The mark of an answer below its threshold.
ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One question with what the model gave for it.

    Attributes:
        question: in the runtime's form, with `type` and `criteria`.
        logits: raw, in canonical option order.
        presented_order: canonical index of the option in each marker slot.
        temperature: the one in force.
        act_probability: the model's, None where it is not known.
        bins: of a binning map, where one holds for the question; see `Regime.bins`.
    """

    question: Mapping[str, Any]
    logits: Sequence[float]
    presented_order: Sequence[int]
    temperature: float
    act_probability: float | None
    bins: tuple[float, ...] | None = None


def runtime_answers(
    questions: Sequence[AnsweredQuestion], min_confidence: MinConfidence = None
) -> list[dict[str, Any]]:
    """The answers the runtime gives, abstention marks included where a threshold is set.

    Args:
        questions: in any order; the answers keep it.
        min_confidence: the runtime's threshold, or its map by bucket; None writes no marks at all, 0.0 marks every
            answer as passed.
    """
    return [_gated(_answer(question), min_confidence) for question in questions]


def abstention(gate: float, threshold: float) -> str:
    """The runtime's word for a 4-decimal answer_confidence at a threshold; one that is no number cannot be judged.

    >>> abstention(0.7, 0.7), abstention(0.6999, 0.7), abstention(math.nan, 0.7)
    ('passed', 'abstained', 'unevaluated')
    """
    if math.isnan(gate):
        return "unevaluated"
    return ABSTAINED if abstains(np.array([gate]), threshold)[0] else "passed"


def criterion_text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A criterion as the model reads it: a text as it stands, anything else as JSON.

    >>> criterion_text({"at least": 2})
    '{"at least": 2}'
    """
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _answer(asked: AnsweredQuestion) -> dict[str, Any]:
    p = _probabilities(asked)
    kind, criteria = asked.question["type"], asked.question.get("criteria")
    shared = {
        "answer_confidence": _rounded(bin_value(asked.bins, _clipped(float(p.max())))),
        "action": {"act_probability": None if asked.act_probability is None else _rounded(asked.act_probability)},
    }
    if kind == "noul":
        true = float(p[1])
        return {"type": "noul", "noul": _rounded(true), "confidence": _rounded(max(true, 1.0 - true)), **shared}
    confidence = {"confidence": _rounded(float(runtime_entropy_confidence(p[None, :])[0])), **shared}
    if kind == "score":
        levels = list(criteria or ())
        return {
            "type": "score",
            "score": _rounded(float(expected_level(p[None, :])[0])),
            "legend": {str(level): criterion_text(text) for level, text in enumerate(levels)},
            "probabilities": {str(level): _rounded(float(value)) for level, value in enumerate(p)},
            **confidence,
        }
    labels = list(dict.fromkeys(criteria or ()))
    return {
        "type": "choice",
        "choice": labels[int(p.argmax())],
        "probabilities": {label: _rounded(float(value)) for label, value in zip(labels, p, strict=True)},
        **confidence,
    }


def _probabilities(asked: AnsweredQuestion) -> NDArray[np.float32]:
    """float32, canonical order."""
    logits = np.asarray(asked.logits, dtype=np.float32)[None, :]
    order = np.asarray(asked.presented_order, dtype=np.intp)[None, :]
    p: NDArray[np.float32] = runtime_probabilities(logits, np.array([asked.temperature]), order)[0]
    return p


def _clipped(value: float) -> float:
    """The value within [0, 1]; NaN stays NaN, which min and max would not promise."""
    return 0.0 if value < 0.0 else 1.0 if value > 1.0 else value


def _gated(answer: dict[str, Any], min_confidence: MinConfidence) -> dict[str, Any]:
    """The answer with its abstention marks, at the threshold of its bucket."""
    if min_confidence is None:
        return answer
    # The runtime counts the options that it reports, and a noul reports none: it has two sides.
    options = len(answer.get("probabilities", ())) or 2
    threshold = threshold_at(min_confidence, option_bucket(answer["type"], options))
    state = abstention(answer["answer_confidence"], threshold)
    marks = {"low_confidence": True} if state == ABSTAINED else {}
    return {**answer, **marks, "abstention": state, "abstention_threshold": float(threshold)}


def _rounded(value: float) -> float:
    return round(value, RUNTIME_DECIMALS)
