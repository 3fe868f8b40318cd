"""The engine of a summary: views and declared metrics -> measures, replicates and rows, whatever the rows are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from laya_sweep.domain.slices import SlicePlace
from laya_sweep.metrics.draws import NO_REPLICATES, Draws
from laya_sweep.metrics.limits import limits_of
from laya_sweep.metrics.metric import V, ViewMetric
from laya_sweep.metrics.metric_row import MetricRow, row_of
from laya_sweep.metrics.resample import Scheme, resample
from laya_sweep.metrics.value import Measure


@dataclass(frozen=True)
class Estimated(Generic[V]):
    """A slice with the measure and (when resampled) the replicates of each metric, in catalogue order."""

    view: V
    measures: list[Measure]
    draws: list[Draws | None]

    def rows(self, place: SlicePlace, metrics: Sequence[ViewMetric[V]], confidence: float) -> list[MetricRow]:
        """A row for each metric, with its interval."""
        rows = []
        for metric, measure, draws in zip(metrics, self.measures, self.draws, strict=True):
            clusters = metric.n_clusters(self.view)
            trials = metric.trials(self.view) if metric.proportion and measure.value is not None else None
            limits = limits_of(
                metric, measure, clusters, draws=draws or NO_REPLICATES, trials=trials, confidence=confidence
            )
            rows.append(row_of(place, metric, measure, clusters, limits))
        return rows


def estimate(
    views: Sequence[V], metrics: Sequence[ViewMetric[V]], scheme: Scheme[V], *, replicates: int, seed: int
) -> list[Estimated[V]]:
    """Every metric of every view; `views[0]` holds all rows. Without `replicates` nothing is resampled."""
    measures = [[metric.measure(view) for metric in metrics] for view in views]
    if replicates:
        draws = resample(views, metrics, measures, scheme, replicates=replicates, seed=seed)
    else:
        draws = [[None] * len(metrics) for _ in views]
    return [Estimated(*parts) for parts in zip(views, measures, draws, strict=True)]
