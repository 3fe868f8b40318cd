"""An evaluation as a `laya-evals-report/1`: the answers as they were given, and upstream's metrics over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from laya_sweep.evaluation.dataset import Dataset
from laya_sweep.evaluation.outcome import Answered, Outcome
from laya_sweep.gates.metric_kinds import is_confidence
from laya_sweep.identity import library_versions
from laya_sweep.metrics import COVERAGE_METRIC_DEFINITION
from laya_sweep.published import EVALS_SCHEMA
from laya_sweep.published.case_metrics import case_scores, overall_metrics, slice_metrics
from laya_sweep.scoring import answer_is_right

Cases = Sequence[Mapping[str, Any]]


def report_document(
    dataset: Dataset, outcome: Outcome, tolerances: Sequence[float], config: Mapping[str, Any]
) -> dict[str, Any]:
    """The report of an outcome; `config` adds to what every report records."""
    cases = [*_cases(dataset, outcome, tolerances)]
    return {
        "config": _config(outcome, tolerances, config),
        "overall": _overall(cases, tolerances) | outcome.figures,
        "slices": _slices(cases, tolerances),
        "cases": cases,
    }


def _cases(dataset: Dataset, outcome: Outcome, tolerances: Sequence[float]) -> Iterator[dict[str, Any]]:
    """One case per labelled question that was answered, in the order of the rows and of their labels."""
    answered = {(one.index, one.qid): one for one in outcome.answered}
    for index, case in enumerate(dataset.cases):
        for qid, expected in case.expected.items():
            if (index, qid) in answered:
                one = answered[index, qid]
                yield {
                    "qid": qid,
                    "language": case.language or None,
                    "model": one.model,
                    "tags": list(case.tags),
                    "expected": expected,
                    "answer": one.answer,
                    "confidence": one.confidence,
                    "correct": answer_is_right(one.answer, expected),
                    "scores": _scores(one, expected, tolerances),
                    **one.extras,
                }


def _scores(one: Answered, expected: Any, tolerances: Sequence[float]) -> dict[str, float | None]:  # noqa: ANN401
    return case_scores({**one.answer, "answer_confidence": one.confidence}, expected, tolerances)


def _overall(cases: Cases, tolerances: Sequence[float]) -> dict[str, float]:
    sure = _sure(cases)
    if len(sure) == len(cases):
        return overall_metrics(cases, tolerances)
    return _merged(overall_metrics([*map(_unsure, cases)], tolerances), overall_metrics(sure, tolerances))


def _slices(cases: Cases, tolerances: Sequence[float]) -> dict[str, dict[str, dict[str, float]]]:
    sure = _sure(cases)
    if len(sure) == len(cases):
        return slice_metrics(cases, tolerances)
    every, known = slice_metrics([*map(_unsure, cases)], tolerances), slice_metrics(sure, tolerances)
    return {
        dimension: {
            value: _merged(figures, known.get(dimension, {}).get(value, {})) for value, figures in groups.items()
        }
        for dimension, groups in every.items()
    }


def _sure(cases: Cases) -> Cases:
    """Cases whose answer tells a confidence: the others enter accuracies, and no figure of confidence."""
    return [case for case in cases if case["confidence"] is not None]


def _unsure(case: Mapping[str, Any]) -> Mapping[str, Any]:
    return case if case["confidence"] is not None else {**case, "confidence": 0.0}


def _merged(every: Mapping[str, float], sure: Mapping[str, float]) -> dict[str, float]:
    """Figures of confidence from the cases that tell one, all others from every case."""
    kept = {name: value for name, value in every.items() if not _of_confidence(name)}
    return kept | {name: value for name, value in sure.items() if _of_confidence(name)}


def _of_confidence(metric: str) -> bool:
    return is_confidence(metric) or metric == "mean_confidence"


@cache
def _versions() -> dict[str, str]:
    return library_versions(("laya", "laya-sweep"))


def _config(outcome: Outcome, tolerances: Sequence[float], config: Mapping[str, Any]) -> dict[str, Any]:
    versions = _versions()
    document = {
        "schema": EVALS_SCHEMA,
        **config,
        "coverage_metric_definition": COVERAGE_METRIC_DEFINITION,
        "laya_version": versions["laya"],
        "laya_sweep_version": versions["laya-sweep"],
        "thresholds": {"min": {}, "max": {}, "baseline_tolerance": {}},
        "timing": outcome.timing,
    }
    document |= {"score_within": [*tolerances]} if tolerances else {}
    return document | ({"errored": [error.document() for error in outcome.errors]} if outcome.errors else {})
