"""All metrics of one result, overall and by slice, with intervals: the rows of the `metrics` table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.metrics.arrays import Flags, NanPolicy, nan_policy, whole_number
from laya_sweep.metrics.bootstrap import REPLICATES, SEED
from laya_sweep.metrics.calibration import BINS
from laya_sweep.metrics.catalogue import SELECTIVE_COVERAGES, catalogue
from laya_sweep.metrics.columns import DecisionColumns
from laya_sweep.metrics.draws import Draws, mean_draws
from laya_sweep.metrics.interval import normal_quantile
from laya_sweep.metrics.limits import Limits, limits_of
from laya_sweep.metrics.macro import macro_of
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.population_view import Rows, population_masks
from laya_sweep.metrics.resample import resample
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.slicing import slice_rows
from laya_sweep.metrics.threshold import cut_of
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
    min_confidence: MinConfidence
    metric: str
    definition: int
    value: float | None
    n: int
    n_clusters: int
    low: float | None
    high: float | None
    reason: str | None


@dataclass(frozen=True)
class _Estimated:
    """A slice with the measure and (when resampled) the replicates of each metric, in catalogue order."""

    view: SliceView
    measures: list[Measure]
    draws: list[Draws | None]


def _slice_metric_rows(
    dimension: str, value: str, estimated: _Estimated, metrics: Sequence[Metric], confidence: float
) -> list[MetricRow]:
    rows = []
    for at, metric in enumerate(metrics):
        measure = estimated.measures[at]
        clusters = metric.n_clusters(estimated.view)
        limits = limits_of(metric, measure, estimated.draws[at], clusters, confidence, estimated.view)
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
        clusters = metric.n_clusters(whole)
        parts = [(metric.name, found.macro)]
        if found.partial is not None:
            parts.append((f"{metric.name}_partial", found.partial))
        for name, measure in parts:
            draws = mean_draws([s.draws[at] for s in slices.values() if s.measures[at].value is not None])
            limits = limits_of(metric, measure, draws, clusters, confidence)
            rows.append(_row(f"macro:{dimension}", "", metric, name, measure, clusters, limits))
    return rows


def _estimate(
    views: Sequence[SliceView], metrics: Sequence[Metric], *, replicates: int, seed: int, bins: int
) -> list[_Estimated]:
    measures = [[metric.measure(view) for metric in metrics] for view in views]
    if replicates:
        draws = resample(views, metrics, measures, replicates=replicates, seed=seed, bins=bins)
    else:
        draws = [[None] * len(metrics) for _ in views]
    return [_Estimated(*parts) for parts in zip(views, measures, draws, strict=True)]


def summarise(
    columns: DecisionColumns,
    *,
    slices: Sequence[str] = ("language",),
    score_within: Sequence[float] = (),
    min_confidence: Sequence[MinConfidence] = (),
    bins: int = BINS,
    replicates: int = REPLICATES,
    seed: int = SEED,
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
        min_confidence: thresholds, or maps of them by bucket, for coverage, abstention_rate and
            selective_precision, all over the labelled choice and noul answers. None is no threshold; 0.0 is the
            control arm and is reported.
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
        Integers do not depend on the order of the decisions, other numbers by less than
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
        bins=bins,
        score_within=score_within,
        coverages=coverages,
        min_confidence=min_confidence,
        only=metrics,
        flags=columns.flags,
    )
    masks, policy = population_masks(columns), nan_policy(nan)
    found = {name: slice_rows(columns.slices[name]) for name in dimensions}
    places = [(name, value) for name in dimensions for value in found[name]]
    found_cuts = {cut_of(value) for value in min_confidence if value is not None}
    cuts = tuple(sorted(cut for cut in found_cuts if isinstance(cut, int)))
    parts: list[Rows | None] = [None, *(found[name][value] for name, value in places)]
    views = [SliceView(columns, masks, part, policy, cuts) for part in parts]
    first, *rest = _estimate(views, chosen, replicates=replicates, seed=seed, bins=bins)
    rows = _slice_metric_rows(OVERALL, "", first, chosen, confidence)
    for name in dimensions:
        own = {value: part for (at, value), part in zip(places, rest, strict=True) if at == name}
        for value, part in own.items():
            rows += _slice_metric_rows(name, value, part, chosen, confidence)
        whole = _whole(columns, masks, found[name], views[0], cuts)
        rows += _macro_rows(name, whole, own, expected.get(name, ()), chosen, confidence)
    return rows


def _whole(
    columns: DecisionColumns,
    masks: dict[str, Flags],
    found: Mapping[str, Rows],
    overall: SliceView,
    cuts: tuple[int, ...],
) -> SliceView:
    """The decisions that belong to any slice of a dimension; nearly always that is all of them."""
    inside = np.zeros(len(columns), dtype=np.bool_)
    for rows in found.values():
        inside[rows] = True
    return overall if inside.all() else SliceView(columns, masks, np.flatnonzero(inside), overall.nan, cuts)
