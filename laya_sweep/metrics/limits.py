"""The interval of one figure of a summary, or the reason why it has none."""

from __future__ import annotations

from typing import NamedTuple

from laya_sweep.metrics.draws import NO_REPLICATES, Draws, draws_interval
from laya_sweep.metrics.interval import Interval, wilson
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.value import Measure


class Limits(NamedTuple):
    """An interval, or why there is none."""

    low: float | None
    high: float | None
    reason: str | None


def limits_of(
    metric: Metric,
    measure: Measure,
    draws: Draws | None,
    n_clusters: int,
    confidence: float,
    view: SliceView | None = None,
) -> Limits:
    """The limits of a figure.

    Args:
        measure: the figure; without value, its reason is passed on.
        draws: its replicates; None where nothing was resampled.
        n_clusters: distinct sources behind it; fewer than two tell nothing about the next one.
        view: the slice, whose proportions have Wilson's interval; None for a mean over slices, which is no
            proportion of anything.
    """
    if measure.value is None:
        return Limits(None, None, measure.reason)
    interval = _interval(metric, measure, draws, n_clusters, confidence, view)
    if isinstance(interval, str):
        return Limits(None, None, f"no interval: {interval}")
    return Limits(interval.low, interval.high, None)


def _interval(
    metric: Metric,
    measure: Measure,
    draws: Draws | None,
    n_clusters: int,
    confidence: float,
    view: SliceView | None,
) -> Interval | str:
    assert measure.value is not None
    if n_clusters < 2:
        return "one decision" if measure.n == 1 else "one cluster"
    if metric.no_interval is not None:
        return metric.no_interval
    if metric.proportion and view is not None:
        trials = metric.trials(view)
        found = wilson(measure.value * trials, trials, confidence)
        return "no independent decisions" if found is None else found
    if draws is None:
        return NO_REPLICATES
    return draws_interval(draws, measure.value, confidence)
