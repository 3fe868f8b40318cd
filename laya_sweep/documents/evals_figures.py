"""The figures of a `laya-evals-report/1`: decisions in the runtime's rounding, under upstream's names and slices."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.documents.narrowed import NARROWED_METRICS
from laya_sweep.documents.recorded_regime import recorded_regime
from laya_sweep.domain.question import target_of
from laya_sweep.domain.regime import regime_of
from laya_sweep.domain.slices import DIMENSIONS
from laya_sweep.metrics.catalogue import EVALS_METRICS, catalogue
from laya_sweep.metrics.summary import summarise
from laya_sweep.results.columns import decision_columns
from laya_sweep.scoring.decision import decide_again
from laya_sweep.store.stored_run import StoredResult

#: How the names of metrics begin that count scores near to the right one; the tolerance follows.
SCORE_WITHIN = "score_within_"

Figures = dict[str, float]


class EvalsFigures(NamedTuple):
    """Every figure that has a value: overall, and by dimension and slice."""

    overall: Figures
    slices: dict[str, dict[str, Figures]]


def runtime_decisions(result: StoredResult) -> pa.Table:
    """A result's decisions in the runtime's rounding, one a row of `result.decisions` and in its order.

    Under `rounding: runtime` they are the run's own, so its metrics and its exports are of one table.
    """
    decisions = result.decisions
    if result.run.rounding == "runtime":
        return decisions
    facts = result.facts
    rows = {place: i for i, place in enumerate(_places(facts))}
    places = _places(decisions)
    cases = {(case["language"], case["case_id"]): case for case in result.run.cases}
    read = {key: (json.loads(case["questions_json"]), json.loads(case["expected_json"])) for key, case in cases.items()}
    targets = []
    for language, case_id, _, qid in places:
        questions, expected = read[language, case_id]
        targets.append(target_of(questions[qid], expected.get(qid)))
    regime = regime_of(result.regime, recorded_regime(result))
    return decide_again(decisions, facts.take([rows[place] for place in places]), targets, "runtime", regime)


def evals_figures(decisions: pa.Table, tolerances: Sequence[float]) -> EvalsFigures:
    """Upstream's figures of decisions that are in the runtime's rounding.

    Args:
        decisions: of one result.
        tolerances: in levels; each gives `score_within_<tolerance>`.
    """
    overall: Figures = {}
    slices: dict[str, dict[str, Figures]] = {}
    if not decisions.num_rows:
        return EvalsFigures(overall, slices)
    columns = decision_columns(decisions)
    known = {metric.name for metric in catalogue(flags=columns.flags)}
    rows = summarise(
        columns,
        slices=DIMENSIONS,
        score_within=tolerances,
        metrics=[
            *EVALS_METRICS,
            *(f"{SCORE_WITHIN}{value:g}" for value in tolerances),
            *(name for name in NARROWED_METRICS if name in known),
        ],
        replicates=0,
        nan="compatible",
    )
    for row in rows:
        if row.value is None:
            continue
        if row.slice_dimension == "overall":
            overall[row.metric] = row.value
        elif row.slice_dimension in DIMENSIONS and row.slice_value:  # a case without a language is in none
            slices.setdefault(row.slice_dimension, {}).setdefault(row.slice_value, {})[row.metric] = row.value
    return EvalsFigures(overall, slices)


def is_evals_metric(name: str) -> bool:
    """Whether upstream's reports have a figure of this name, apart from timings."""
    return name in (*EVALS_METRICS, *NARROWED_METRICS) or name.startswith(SCORE_WITHIN)


def case_scores(decision: Mapping[str, Any], tolerances: Sequence[float]) -> dict[str, float | None]:
    """What each metric gives for one decision in the runtime's rounding; None where it does not apply."""
    kind, right, error = decision["question_type"], decision["correct"], decision["score_error"]
    scores = {
        "choice_accuracy": float(right) if kind == "choice" else None,
        "noul_accuracy": float(right) if kind == "noul" else None,
        "score_mae": None if error is None else abs(error),
        "mean_confidence": decision["answer_confidence"],
    }
    within = {f"{SCORE_WITHIN}{value:g}": None if error is None else float(abs(error) <= value) for value in tolerances}
    return scores | within


def _places(table: pa.Table) -> list[tuple[str, str, str, str]]:
    names = ("language", "case_id", "variant", "question")
    return [*zip(*(table[name].to_pylist() for name in names), strict=True)]
