"""Reported answers -> decisions: what a runner's 4 decimals say, in the columns that metrics read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from laya_sweep.domain.case import Case
from laya_sweep.domain.question import label_index, target_of
from laya_sweep.evaluation.dataset import Dataset
from laya_sweep.evaluation.outcome import EVALUATED, Answered
from laya_sweep.scoring.narrowed import narrowing_of, over_all
from laya_sweep.scoring.probability import margin


def reported_decisions(dataset: Dataset, answered: Iterable[Answered]) -> pa.Table:
    """One row an answer, in their order; temperatures and what an answer leaves out are null."""
    rows = [_keys(dataset.cases[one.index], one) | _decision(dataset.cases[one.index], one) for one in answered]
    return pa.Table.from_pylist(rows, schema=EVALUATED)


def marks_of(answer: dict[str, Any]) -> dict[str, Any]:
    """The abstention marks as columns."""
    return {name: answer.get(name) for name in ("abstention", "abstention_threshold")}


def _keys(case: Case, one: Answered) -> dict[str, Any]:
    return {
        "checkpoint": one.model,
        "model": one.model,
        "language": case.language,
        "transform": "baseline",
        "case_id": case.case_id,
        "question": one.qid,
        "regime": "runner",
        "temperature_source": "runner",
        "source_id": case.source_id,
        "row_index": case.row_index,
        "tags": list(case.tags),
    }


def _decision(case: Case, one: Answered) -> dict[str, Any]:
    question = case.questions[one.qid]
    target = target_of(question, case.expected.get(one.qid))
    narrowing = one.narrowing or {}
    kept = narrowing.get("kept")
    labels = [*question["criteria"]] if question["type"] == "choice" else target.options
    p = _probabilities(one.answer, labels if kept is None else [labels[i] for i in kept])
    gap = None if p is None else float(margin(np.array([p]))[0])
    pred = _predicted(one.answer, question, p)
    if p is not None and kept is not None:
        p = over_all(np.array(p), kept, len(target.options)).tolist()
    gold = target.gold_index
    score = float(one.answer["score"]) if question["type"] == "score" else None
    confidence = math.nan if one.confidence is None else one.confidence
    entropy = one.answer.get("confidence") if question["type"] != "noul" else None
    return {
        "question_type": question["type"],
        "n_options": len(target.options) if kept is None else len(kept),
        "options": list(target.options),
        "probabilities": p,
        "pred_index": pred,
        "pred_label": target.options[pred],
        "gold_index": gold,
        "gold_label": None if gold is None else target.options[gold],
        "p_pred": None if p is None else p[pred],
        "p_gold": None if p is None or gold is None else p[gold],
        "answer_confidence": confidence,
        "gate_confidence": confidence if math.isfinite(confidence) else None,
        "entropy_confidence": None if entropy is None else float(entropy),
        "margin": gap,
        "correct": None if gold is None else pred == gold,
        "score_value": score,
        "score_error": None if score is None or target.gold_score is None else score - target.gold_score,
        **marks_of(one.answer),
        **narrowing_of(narrowing, gold, pred),
    }


def _probabilities(answer: dict[str, Any], labels: Sequence[Any]) -> list[float] | None:
    """In canonical order; None where the answer has none. A label is found by itself, else by its text."""
    if answer["type"] == "noul":
        true = float(answer["noul"])
        return [1.0 - true, true]
    given = answer.get("probabilities") or {}
    by_text = {str(name): float(value) for name, value in given.items()}
    return [float(given[label]) if label in given else by_text[str(label)] for label in labels] if given else None


def _predicted(answer: dict[str, Any], question: dict[str, Any], p: list[float] | None) -> int:
    """The reported option; of a score, whose answer lies between levels, the most probable or nearest level."""
    if question["type"] == "noul":
        return int(float(answer["noul"]) >= 0.5)
    if question["type"] == "choice":
        given = answer["choice"]
        found = label_index(question["criteria"], given)
        assert found is not None  # the answer was checked
        return found
    nearest = round(float(answer["score"]))
    return min(max(nearest, 0), len(question["criteria"]) - 1) if p is None else int(np.argmax(p))
