"""All metrics of one result, overall and by slice, with intervals: the rows of the `metrics` table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, NanPolicy, nan_policy, whole_number
from laya_sweep.metrics.bootstrap import Draws, bootstrap_interval, mean_draws
from laya_sweep.metrics.catalogue import SELECTIVE_COVERAGES, Metric, catalogue
from laya_sweep.metrics.columns import DecisionColumns, SliceColumn
from laya_sweep.metrics.interval import normal_quantile, wilson
from laya_sweep.metrics.macro import macro_of
from laya_sweep.metrics.resample import resample
from laya_sweep.metrics.slice_view import SliceView, population_masks
from laya_sweep.metrics.value import Measure

OVERALL: Final = "overall"


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
        n, n_clusters: decisions that enter it, and distinct sources among them.
        low, high: limits of the interval, both or neither.
        reason: why there is no value; or, starting with "no interval: ", why a value has no interval.
    """

    slice_dimension: str
    slice_value: str
    min_confidence: float | None
    metric: str
    definition: int
    value: float | None
    n: int
    n_clusters: int
    low: float | None
    high: float | None
    reason: str | None


class Limits(NamedTuple):
    """An interval, or why there is none."""

    low: float | None
    high: float | None
    reason: str | None


@dataclass(frozen=True)
class _Estimated:
    """A slice with the measure and (when resampled) the replicates of each metric, in catalogue order."""

    view: SliceView
    measures: list[Measure]
    draws: list[Draws | None]


def slice_rows(column: SliceColumn) -> dict[str, NDArray[np.intp]]:
    """Slice value -> ascending row indices of its decisions; values without decisions are left out.

    >>> slice_rows(SliceColumn.of(["en", "de", "en"]))["en"]
    array([0, 2])
    """
    small = len(column.values) < 2**15
    # numpy sorts 16-bit integers by radix, in one pass; stable, so that rows keep their order.
    codes = column.codes.astype(np.int16) if small else column.codes
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(-1, len(column.values)), side="right")
    found = {}
    for value, code in sorted((value, code) for code, value in enumerate(column.values)):
        rows = order[ends[code] : ends[code + 1]]
        if len(rows):
            found[value] = rows if column.rows is None else np.unique(column.rows[rows]).astype(np.intp)
    return found


def _proportion_limits(metric: Metric, view: SliceView, measure: Measure, confidence: float) -> Limits:
    """Wilson's interval on the effective number of independent decisions."""
    assert metric.mean is not None
    assert measure.value is not None
    trials = metric.clusters(view).effective_n(metric.mean.values(view).astype(np.bool_))
    interval = wilson(measure.value * trials, trials, confidence)
    assert interval is not None
    return Limits(interval.low, interval.high, None)


def _limits(metric: Metric, estimated: _Estimated, at: int, n_clusters: int, confidence: float) -> Limits:
    measure, draws = estimated.measures[at], estimated.draws[at]
    if measure.value is None:
        return Limits(None, None, measure.reason)
    if n_clusters < 2:
        few = "one decision" if measure.n == 1 else "one cluster"
        return Limits(None, None, f"no interval: {few}")
    if metric.proportion:
        return _proportion_limits(metric, estimated.view, measure, confidence)
    if metric.no_interval is not None:
        return Limits(None, None, f"no interval: {metric.no_interval}")
    return _draw_limits(draws, measure.value, confidence)


def _draw_limits(draws: Draws | None, value: float, confidence: float) -> Limits:
    if draws is None:
        return Limits(None, None, "no interval: no bootstrap replicates were asked for")
    interval = bootstrap_interval(draws, value, confidence)
    if isinstance(interval, str):
        return Limits(None, None, f"no interval: {interval}")
    return Limits(interval.low, interval.high, None)


def _slice_metric_rows(
    dimension: str, value: str, estimated: _Estimated, metrics: Sequence[Metric], confidence: float
) -> list[MetricRow]:
    rows = []
    for at, metric in enumerate(metrics):
        measure = estimated.measures[at]
        clusters = metric.clusters(estimated.view).count
        limits = _limits(metric, estimated, at, clusters, confidence)
        rows.append(_row(dimension, value, metric, metric.name, measure, clusters, limits))
    return rows


def _row(
    dimension: str, value: str, metric: Metric, name: str, measure: Measure, clusters: int, limits: Limits
) -> MetricRow:
    return MetricRow(
        dimension,
        value,
        metric.min_confidence,
        name,
        metric.definition,
        measure.value,
        measure.n,
        clusters,
        limits.low,
        limits.high,
        limits.reason,
    )


def _macro_rows(
    dimension: str,
    whole: SliceView,
    slices: Mapping[str, _Estimated],
    wanted: Sequence[str],
    metrics: Sequence[Metric],
    confidence: float,
) -> list[MetricRow]:
    """The macro rows of a dimension; `whole` holds the decisions of all its slices."""
    rows = []
    names = sorted({*slices, *wanted})
    for at, metric in enumerate(metrics):
        found = macro_of({name: slices[name].measures[at] if name in slices else None for name in names})
        clusters = metric.clusters(whole).count
        parts = [(metric.name, found.macro)]
        if found.partial is not None:
            parts.append((f"{metric.name}_partial", found.partial))
        for name, measure in parts:
            draws = mean_draws([s.draws[at] for s in slices.values() if s.measures[at].value is not None])
            limits = _macro_limits(metric, measure, draws, clusters, confidence)
            rows.append(_row(f"macro:{dimension}", "", metric, name, measure, clusters, limits))
    return rows


def _macro_limits(metric: Metric, measure: Measure, draws: Draws | None, n_clusters: int, confidence: float) -> Limits:
    if measure.value is None:
        return Limits(None, None, measure.reason)
    if n_clusters < 2:
        return Limits(None, None, "no interval: one cluster")
    if metric.no_interval is not None:
        return Limits(None, None, f"no interval: {metric.no_interval}")
    return _draw_limits(draws, measure.value, confidence)


def _estimate(views: Sequence[SliceView], metrics: Sequence[Metric], replicates: int, seed: int) -> list[_Estimated]:
    measures = [[metric.measure(view) for metric in metrics] for view in views]
    if replicates:
        draws = resample(views, metrics, measures, replicates, seed)
    else:
        draws = [[None] * len(metrics) for _ in views]
    return [_Estimated(*parts) for parts in zip(views, measures, draws, strict=True)]


def summarise(
    columns: DecisionColumns,
    *,
    slices: Sequence[str] = ("language",),
    score_within: Sequence[float] = (),
    min_confidence: Sequence[float | None] = (),
    bins: int = 15,
    replicates: int = 1000,
    seed: int = 13,
    confidence: float = 0.95,
    expected: Mapping[str, Sequence[str]] = MappingProxyType({}),
    coverages: Sequence[float] = SELECTIVE_COVERAGES,
    metrics: Sequence[str] | None = None,
    nan: NanPolicy = "strict",
) -> list[MetricRow]:
    """Every metric of one result: overall, for each slice, and as unweighted mean over the slices.

    The "overall" rows are the micro figures (every decision counts alike), the "macro:<dimension>" rows the
    macro ones (every slice counts alike).

    Args:
        columns: the decisions of one result.
        slices: slice dimensions to report; `ValueError` names one that `columns` lacks.
        score_within: tolerances of score_within_<tolerance>, in levels.
        min_confidence: thresholds for coverage, abstention_rate and selective_precision, all over the
            labelled choice and noul answers. None is no threshold; 0.0 is the control arm and is reported.
        bins: of ece.
        replicates: bootstrap replicates; 0 gives Wilson intervals only, at a fraction of the time.
        seed: of the replicate weights, together with the replicate's index.
        confidence: level of the intervals.
        expected: dimension -> values asked for. A macro figure is given only when all of them have a value.
        coverages: of selective_accuracy@<percent>.
        metrics: names to report, in catalogue order; None is all of them.
        nan: "strict" gives no confidence metric where a confidence is not finite, "compatible" upstream's
            value.

    Returns:
        Rows in a fixed order: overall, then for each dimension its values in sorted order and its macro rows.
        Integers do not depend on the order of the decisions or on their sharding, other numbers by less than
        1e-12. One exception: acc_at_50_coverage breaks ties by row order, which is what it is kept for.

    A proportion has Wilson's interval on its effective number of independent decisions, everything else a
    bootstrap interval that resamples sources, all slices together.
    """
    dimensions = dict.fromkeys(slices)
    unknown = [name for name in (*dimensions, *expected) if name not in columns.slices]
    if unknown:
        raise ValueError(f"Expected slice dimensions among {sorted(columns.slices)}, but got {unknown}")
    whole_number(replicates, "replicates", least=0)
    whole_number(bins, "bins")
    normal_quantile(confidence)
    chosen = catalogue(
        bins=bins, score_within=score_within, coverages=coverages, min_confidence=min_confidence, only=metrics
    )
    masks, policy = population_masks(columns), nan_policy(nan)
    found = {name: slice_rows(columns.slices[name]) for name in dimensions}
    places = [(name, value) for name in dimensions for value in found[name]]
    overall = SliceView(columns, masks, None, policy)
    views = [overall, *(SliceView(columns, masks, found[name][value], policy) for name, value in places)]
    first, *rest = _estimate(views, chosen, replicates, seed)
    rows = _slice_metric_rows(OVERALL, "", first, chosen, confidence)
    for name in dimensions:
        own = {value: part for (at, value), part in zip(places, rest, strict=True) if at == name}
        for value, part in own.items():
            rows += _slice_metric_rows(name, value, part, chosen, confidence)
        whole = _whole(columns, masks, found[name], overall, policy)
        rows += _macro_rows(name, whole, own, expected.get(name, ()), chosen, confidence)
    return rows


def _whole(
    columns: DecisionColumns,
    masks: dict[str, Flags],
    found: Mapping[str, NDArray[np.intp]],
    overall: SliceView,
    nan: NanPolicy,
) -> SliceView:
    """The decisions that belong to any slice of a dimension; nearly always that is all of them."""
    inside = np.zeros(len(columns), dtype=np.bool_)
    for rows in found.values():
        inside[rows] = True
    return overall if inside.all() else SliceView(columns, masks, np.flatnonzero(inside), nan)
