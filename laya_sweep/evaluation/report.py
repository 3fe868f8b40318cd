"""An evaluation as a `laya-evals-report/1`: the answers as they were given, and upstream's metrics over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.documents.evals_config import evals_config
from laya_sweep.documents.evals_figures import EvalsFigures, case_scores, evals_figures
from laya_sweep.documents.narrowed import narrowed_case, narrowed_config
from laya_sweep.domain.identity import library_versions
from laya_sweep.evaluation.dataset import Dataset
from laya_sweep.evaluation.outcome import Outcome
from laya_sweep.evaluation.reported import reported_decisions
from laya_sweep.metrics.lookup import nature_of


def report_document(
    dataset: Dataset,
    outcome: Outcome,
    tolerances: Sequence[float],
    config: Mapping[str, Any],
    narrowing: Mapping[str, Any] | None = None,
    checkpoint_id: str | None = None,
) -> dict[str, Any]:
    """The report of an outcome; `config` adds to what every report records, `narrowing` to that of a narrowed one."""
    decisions = reported_decisions(dataset, outcome.answered)
    overall, slices = _figures(decisions, tolerances)
    described = evals_config(
        config,
        versions=library_versions(("laya", "laya-sweep")),
        timing=outcome.timing,
        tolerances=tolerances,
        errored=[error.document() for error in outcome.errors],
    )
    return {
        "config": described | narrowed_config(narrowing, decisions, checkpoint_id),
        "overall": overall | outcome.figures,
        "slices": slices,
        "cases": [*_cases(dataset, outcome, decisions.to_pylist(), tolerances)],
    }


def _cases(
    dataset: Dataset, outcome: Outcome, decisions: Sequence[Mapping[str, Any]], tolerances: Sequence[float]
) -> Iterator[dict[str, Any]]:
    """One case per labelled question that was answered, in the order of the rows and of their labels."""
    answered = {
        (one.index, one.qid): (one, decision) for one, decision in zip(outcome.answered, decisions, strict=True)
    }
    for index, case in enumerate(dataset.cases):
        for qid, expected in case.expected.items():
            if (index, qid) in answered:
                one, decision = answered[index, qid]
                yield {
                    "qid": qid,
                    "language": case.language or None,
                    "model": one.model,
                    "tags": list(case.tags),
                    "expected": expected,
                    "answer": one.answer,
                    "confidence": one.confidence,
                    "correct": decision["correct"],
                    "scores": case_scores({**decision, "answer_confidence": one.confidence}, tolerances),
                    **one.extras,
                    **_status(decision),
                }


def _status(decision: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in narrowed_case(decision).items() if name.endswith("_status")}


def _figures(decisions: pa.Table, tolerances: Sequence[float]) -> EvalsFigures:
    """Figures of confidence from the answers that tell one, all others from every answer."""
    told = pc.is_finite(decisions["answer_confidence"])
    every = evals_figures(decisions, tolerances)
    if not decisions.num_rows or pc.all(told).as_py():
        return every
    sure = evals_figures(decisions.filter(told), tolerances)
    slices = {
        dimension: {
            value: _merged(figures, sure.slices.get(dimension, {}).get(value, {})) for value, figures in groups.items()
        }
        for dimension, groups in every.slices.items()
    }
    return EvalsFigures(_merged(every.overall, sure.overall), slices)


def _merged(every: Mapping[str, float], sure: Mapping[str, float]) -> dict[str, float]:
    kept = {name: value for name, value in every.items() if not _of_confidence(name)}
    return kept | {name: value for name, value in sure.items() if _of_confidence(name)}


def _of_confidence(metric: str) -> bool:
    return nature_of(metric).of_pairs or metric == "mean_confidence"
