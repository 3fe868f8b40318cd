"""Metrics over the case documents of a `laya-evals-report/1`: the runtime's rounded answers, upstream's names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from laya_sweep.metrics import DecisionColumns, SliceColumn, summarise
from laya_sweep.scoring import QUESTION_TYPES, answer_is_right

CaseDocument = Mapping[str, Any]

#: Slice dimensions of an upstream report: name -> the values a case belongs to.
DIMENSIONS: dict[str, Callable[[CaseDocument], Sequence[str]]] = {
    "language": lambda case: [] if case["language"] is None else [case["language"]],
    "model": lambda case: [case["model"]],
    "qid": lambda case: [case["qid"]],
    "tag": lambda case: [*dict.fromkeys(case["tags"])],
}

_NAMES = (
    "choice_accuracy",
    "noul_accuracy",
    "score_mae",
    "ece",
    "brier",
    "aurc",
    "selective_accuracy@50",
    "selective_accuracy@80",
)
_LEVELS = 10_000


def case_scores(answer: Mapping[str, Any], expected: Any, tolerances: Sequence[float]) -> dict[str, float | None]:  # noqa: ANN401 - label, number or bool
    """What each metric gives for one answer; None where it does not apply."""
    right, error = answer_is_right(answer, expected), _score_error(answer, expected)
    score = None if right is None else float(right)
    scores = {
        "choice_accuracy": score if answer["type"] == "choice" else None,
        "noul_accuracy": score if answer["type"] == "noul" else None,
        "score_mae": None if error is None else abs(error),
        "mean_confidence": answer["answer_confidence"],
    }
    within = {f"score_within_{value:g}": None if error is None else float(abs(error) <= value) for value in tolerances}
    return scores | within


def overall_metrics(cases: Sequence[CaseDocument], tolerances: Sequence[float]) -> dict[str, float]:
    """Every metric that has a value, over all cases."""
    return _metrics(cases, tolerances, ()).get(("overall", ""), {})


def slice_metrics(cases: Sequence[CaseDocument], tolerances: Sequence[float]) -> dict[str, dict[str, dict[str, float]]]:
    """The same by dimension and value; a dimension without values is left out."""
    slices: dict[str, dict[str, dict[str, float]]] = {}
    for (dimension, value), metrics in _metrics(cases, tolerances, [*DIMENSIONS]).items():
        if dimension in DIMENSIONS:
            slices.setdefault(dimension, {})[value] = metrics
    return slices


def _metrics(
    cases: Sequence[CaseDocument], tolerances: Sequence[float], dimensions: Sequence[str]
) -> dict[tuple[str, str], dict[str, float]]:
    """(dimension, value) -> metric -> value."""
    if not cases:
        return {}
    rows = summarise(
        case_columns(cases),
        slices=dimensions,
        score_within=tolerances,
        metrics=[*_NAMES, *(f"score_within_{value:g}" for value in tolerances)],
        replicates=0,
        nan="compatible",
    )
    found = {place: {"mean_confidence": mean} for place, mean in _mean_confidences(cases, dimensions).items()}
    for row in rows:
        if row.value is not None and not row.slice_dimension.startswith("macro:"):
            found[row.slice_dimension, row.slice_value][row.metric] = row.value
    return found


def _mean_confidences(cases: Sequence[CaseDocument], dimensions: Sequence[str]) -> dict[tuple[str, str], float]:
    """Over every case, also where the expected answer is of a kind that makes it neither right nor wrong."""
    groups: dict[tuple[str, str], list[float]] = {}
    for case in cases:
        places = [("overall", ""), *((name, value) for name in dimensions for value in DIMENSIONS[name](case))]
        for place in places:
            groups.setdefault(place, []).append(case["confidence"])
    return {place: math.fsum(values) / len(values) for place, values in groups.items()}


def case_columns(cases: Sequence[CaseDocument]) -> DecisionColumns:
    """Case documents as the columns that metrics read; what the asked-for metrics do not read is filled in."""
    n = len(cases)
    confidence = np.array([case["confidence"] for case in cases], dtype=np.float64)
    errors = [_score_error(case["answer"], case["expected"]) for case in cases]
    nothing = np.full(n, -1, dtype=np.int32)
    return DecisionColumns(
        question_type=np.array([QUESTION_TYPES.index(case["answer"]["type"]) for case in cases], np.int8),
        n_options=np.array([len(case["answer"].get("probabilities", "ft")) for case in cases], np.int32),
        confidence=confidence,
        level=np.where(np.isfinite(confidence), np.rint(np.nan_to_num(confidence) * _LEVELS), -1).astype(np.int32),
        correct=np.array([-1 if case["correct"] is None else int(case["correct"]) for case in cases], np.int8),
        pred_index=nothing,
        gold_index=nothing,
        pred_label=nothing,
        gold_label=nothing,
        p_gold=np.full(n, np.nan),
        score_error=np.array([math.nan if error is None else error for error in errors], np.float64),
        source=np.arange(n, dtype=np.int32),
        slices={name: _slice(cases, values_of) for name, values_of in DIMENSIONS.items()},
    )


def _slice(cases: Sequence[CaseDocument], values_of: Callable[[CaseDocument], Sequence[str]]) -> SliceColumn:
    pairs = [(row, value) for row, case in enumerate(cases) for value in values_of(case)]
    values = sorted({value for _, value in pairs})
    code = {value: i for i, value in enumerate(values)}
    return SliceColumn(
        np.array([code[value] for _, value in pairs], dtype=np.int32),
        tuple(values),
        np.array([row for row, _ in pairs], dtype=np.int64),
    )


def _score_error(answer: Mapping[str, Any], expected: Any) -> float | None:  # noqa: ANN401 - label, number or bool
    if answer["type"] != "score" or isinstance(expected, bool) or not isinstance(expected, int | float):
        return None
    return float(answer["score"]) - float(expected)
