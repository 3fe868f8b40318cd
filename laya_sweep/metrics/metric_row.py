"""One figure with its interval: a row of the `metrics` table."""

from __future__ import annotations

from dataclasses import dataclass

from laya_sweep.domain.slices import SlicePlace
from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.metrics.limits import Limits
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.value import Measure


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One figure of a summary.

    Attributes:
        slice_dimension, slice_value: "overall" and ""; a dimension and one of its values; or
            "macro:<dimension>" and "" for the unweighted mean over its values.
        min_confidence: the threshold of coverage, abstention_rate and selective_precision, else None.
        metric: its name. "<metric>_partial" is the mean over the slices that have a value, where not all do.
        definition: 2 for metrics that cut at a coverage, 1 for all others; see `selective`.
        value: the figure, or None.
        n, n_clusters: decisions (or pairs, readings, cases) that enter it, and distinct sources among them.
        low, high: limits of the interval, both or neither.
        reason: why there is no value; or, starting with "no interval: ", why a value has no interval.
    """

    slice_dimension: str
    slice_value: str
    min_confidence: MinConfidence
    metric: str
    definition: int
    value: float | None
    n: int
    n_clusters: int
    low: float | None
    high: float | None
    reason: str | None


def row_of(
    place: SlicePlace, metric: Metric, measure: Measure, n_clusters: int, limits: Limits, suffix: str = ""
) -> MetricRow:
    """The row of a figure; `suffix` is added to the metric's name."""
    return MetricRow(
        slice_dimension=place.dimension,
        slice_value=place.value,
        min_confidence=metric.min_confidence,
        metric=metric.name + suffix,
        definition=metric.definition,
        value=measure.value,
        n=measure.n,
        n_clusters=n_clusters,
        low=limits.low,
        high=limits.high,
        reason=limits.reason,
    )
