"""The figures of the published 51-language tables, re-derived from the decisions of one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.domain.slices import MACRO
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.summary import summarise
from laya_sweep.results.columns import decision_columns

#: Published name -> name in our metrics table. The published macro-F1 is over slot indices.
METRICS = {
    "accuracy": "accuracy",
    "macro_f1": "macro_f1_slot",
    "ece": "ece",
    "mean_confidence": "mean_confidence",
    "acc_at_50_coverage": "acc_at_50_coverage",
}

_PARTIAL = "_partial"


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """Unrounded figures by language under their published names, and macro means over languages.

    `macro` is over every language that was asked for; where one has no figure, the mean over the others is in
    `partial` and the metric is missing from `macro`.
    """

    languages: dict[str, dict[str, float | int | None]]
    macro: dict[str, float]
    partial: dict[str, float]


def published_figures(decisions: pa.Table, asked: Sequence[str]) -> PublishedFigures:
    """Figures of the decisions of one result; `asked` are the languages a macro must cover."""
    if not decisions.num_rows:
        return PublishedFigures({}, {}, {})
    rows = summarise(
        decision_columns(decisions),
        slices=("language",),
        metrics=[*METRICS.values()],
        expected={"language": asked},
        replicates=0,
    )
    values = {(row.slice_dimension, row.slice_value, row.metric): row for row in rows}
    codes = [*dict.fromkeys(decisions["language"].to_pylist())]
    return PublishedFigures(
        {code: _language(code, values, decisions) for code in codes}, _macro(values, ""), _macro(values, _PARTIAL)
    )


def _language(
    code: str, values: Mapping[tuple[str, str, str], MetricRow], decisions: pa.Table
) -> dict[str, float | int | None]:
    figures: dict[str, float | int | None] = {"n": values["language", code, "accuracy"].n}
    figures |= {name: values["language", code, ours].value for name, ours in METRICS.items()}
    own = decisions.filter(pc.equal(decisions["language"], code))
    temperatures = set(own["temperature"].to_pylist())
    figures["temperature"] = temperatures.pop() if len(temperatures) == 1 else None
    return figures


def _macro(values: Mapping[tuple[str, str, str], MetricRow], suffix: str) -> dict[str, float]:
    found = {name: values.get((*MACRO, ours + suffix)) for name, ours in METRICS.items()}
    return {name: row.value for name, row in found.items() if row is not None and row.value is not None}
