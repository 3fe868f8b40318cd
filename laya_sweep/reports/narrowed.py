"""What a report says of questions whose options were cut down: how often the right one was kept, and answered."""

from __future__ import annotations

from typing import Final

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.slices import BESIDE_LANGUAGE
from laya_sweep.metrics.metric_row import MetricRow

#: Shown where a result has them, in order; the first two tell whose fault a miss is.
NARROWED_COLUMNS: Final = (
    "shortlist_recall_at_k",
    "shortlist_accuracy_on_recalled",
    "shortlist_first_retrieved_accuracy",
    "tournament_survival_rate",
    "tournament_accuracy_on_survivors",
)

_END_TO_END: Final = "choice_accuracy"


def narrowed_table(result: ResultReport) -> tuple[list[str], list[list[str]]] | None:
    """Header and rows: overall, then every slice; None where nothing was cut down."""
    figures = {(row.slice_dimension, row.slice_value, row.metric): row for row in result.rows}
    columns = [name for name in NARROWED_COLUMNS if ("overall", "", name) in figures]
    if not columns:
        return None
    places = [("overall", ""), *(("language", code) for code in result.ran)]
    places += [(name, value) for name in BESIDE_LANGUAGE for value in result.slice_values(name)]
    rows = [
        [f"{name} {value}".strip(), *(_shown(figures.get((name, value, one))) for one in [*columns, _END_TO_END])]
        for name, value in places
    ]
    return ["slice", *columns, f"{_END_TO_END} (end to end)"], rows


def _shown(row: MetricRow | None) -> str:
    if row is None or row.value is None:
        return "none"
    limits = "" if row.low is None or row.high is None else f" [{row.low:.3f}, {row.high:.3f}]"
    return f"{row.value:.4f}{limits}, n={row.n}"
