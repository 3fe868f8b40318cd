"""The interval of a figure, or the reason why it has none."""

from __future__ import annotations

from typing import NamedTuple

from laya_sweep.metrics.draws import NO_REPLICATES, Draws, draws_interval
from laya_sweep.metrics.interval import Interval, wilson
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.value import Measure


class Limits(NamedTuple):
    """An interval, or why there is none."""

    low: float | None
    high: float | None
    reason: str | None


def limits_of(
    metric: Metric,
    measure: Measure,
    n_clusters: int,
    *,
    draws: Draws | str = NO_REPLICATES,
    trials: float | None = None,
    confidence: float = 0.95,
) -> Limits:
    """The limits of a figure.

    Args:
        metric: what is declared of it.
        measure: its value; without one, its reason is passed on.
        n_clusters: distinct sources behind it; fewer than two tell nothing about the next one.
        draws: its replicates; or why nothing was resampled.
        trials: how many independent units a proportion is worth, which then has Wilson's interval. None for all else,
            and for a mean over slices, which is no proportion of anything.
        confidence: level of the interval.
    """
    if measure.value is None:
        return Limits(None, None, measure.reason)
    interval = _interval(metric, measure, measure.value, n_clusters, draws, trials, confidence)
    if isinstance(interval, str):
        return Limits(None, None, f"no interval: {interval}")
    return Limits(interval.low, interval.high, None)


def _interval(
    metric: Metric,
    measure: Measure,
    value: float,
    n_clusters: int,
    draws: Draws | str,
    trials: float | None,
    confidence: float,
) -> Interval | str:
    if metric.no_interval is not None and (metric.none_of_any or n_clusters > 1):
        return metric.no_interval
    if n_clusters < 2:
        return f"one {metric.unit}" if measure.n == 1 else "one cluster"
    if metric.proportion and trials is not None:
        return wilson(value * trials, trials, confidence) or f"no independent {metric.unit}s"
    return draws if isinstance(draws, str) else draws_interval(draws, value, confidence)
