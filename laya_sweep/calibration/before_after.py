"""What a map does to figures on rows that it has not seen: the same decisions under both regimes, with intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.metrics.bootstrap import REPLICATES, SEED
from laya_sweep.metrics.summary import summarise
from laya_sweep.results.columns import decision_columns

#: Figures of the comparison, in this order.
METRICS = ("choice_accuracy", "noul_accuracy", "mean_confidence", "ece", "brier", "nll")


class Figure(NamedTuple):
    """A figure with its interval by source; None where it has none."""

    value: float | None
    low: float | None
    high: float | None


class Comparison(NamedTuple):
    """One metric of one language (`""`: all of them): before, after."""

    language: str
    metric: str
    n: int
    before: Figure
    after: Figure

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        own = {"language": self.language or None, "metric": self.metric, "n": self.n}
        return {**own, "before": self.before._asdict(), "after": self.after._asdict()}


def compare_regimes(before: pa.Table, after: pa.Table) -> list[Comparison]:
    """Every metric over all languages, and by language where there are several.

    Args:
        before, after: decisions of the same rows.
    """
    figures = [_figures(table) for table in (before, after)]
    return [
        Comparison(language, metric, n, figures[0][language, metric][0], figures[1][language, metric][0])
        for (language, metric), (_, n) in figures[0].items()
    ]


def _figures(decisions: pa.Table) -> dict[tuple[str, str], tuple[Figure, int]]:
    columns = decision_columns(decisions)
    languages = columns.slices["language"].values
    rows = summarise(
        columns,
        slices=("language",) if len(languages) > 1 else (),
        metrics=METRICS,
        replicates=REPLICATES,
        seed=SEED,
    )
    return {
        (row.slice_value, row.metric): (Figure(row.value, row.low, row.high), row.n)
        for row in rows
        if row.slice_dimension in ("overall", "language") and row.value is not None
    }
