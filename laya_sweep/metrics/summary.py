"""All metrics of one result, overall and by slice, with intervals: the rows of the `metrics` table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.metrics.arrays import Flags, NanPolicy, nan_policy, whole_number
from laya_sweep.metrics.bootstrap import REPLICATES, SEED
from laya_sweep.metrics.calibration import BINS
from laya_sweep.metrics.catalogue import SELECTIVE_COVERAGES, DecisionMetric, catalogue
from laya_sweep.metrics.columns import DecisionColumns
from laya_sweep.metrics.draws import NO_REPLICATES, mean_draws
from laya_sweep.metrics.estimate import Estimated, estimate
from laya_sweep.metrics.interval import normal_quantile
from laya_sweep.metrics.limits import limits_of
from laya_sweep.metrics.macro import macro_of
from laya_sweep.metrics.metric_row import MetricRow, row_of
from laya_sweep.metrics.population_view import Rows
from laya_sweep.metrics.populations import population_masks
from laya_sweep.metrics.replicate_classes import ClassReplicates
from laya_sweep.metrics.replicate_means import MeanReplicates
from laya_sweep.metrics.replicate_ranking import RankingReplicates
from laya_sweep.metrics.resample import Scheme
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.slicing import slice_rows
from laya_sweep.metrics.threshold import cut_of

SCHEME: Final[Scheme[SliceView]] = Scheme((MeanReplicates, ClassReplicates), (RankingReplicates,))


def _macro_rows(
    dimension: str,
    whole: SliceView,
    slices: Mapping[str, Estimated[SliceView]],
    wanted: Sequence[str],
    metrics: Sequence[DecisionMetric],
    confidence: float,
) -> list[MetricRow]:
    """The macro rows of a dimension; `whole` holds the decisions of all its slices."""
    rows = []
    names = sorted({*slices, *wanted})
    for at, metric in enumerate(metrics):
        found = macro_of({name: slices[name].measures[at] if name in slices else None for name in names})
        clusters = metric.n_clusters(whole)
        draws = mean_draws([s.draws[at] for s in slices.values() if s.measures[at].value is not None]) or NO_REPLICATES
        for suffix, measure in (("", found.macro), ("_partial", found.partial)):
            if measure is not None:
                limits = limits_of(metric, measure, clusters, draws=draws, confidence=confidence)
                rows.append(row_of(SlicePlace(f"macro:{dimension}", ""), metric, measure, clusters, limits, suffix))
    return rows


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
        Integers do not depend on the order of the decisions, other numbers by less than 1e-12. One exception:
        acc_at_50_coverage breaks ties by row order, which is what it is kept for.

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
    first, *rest = estimate(views, chosen, SCHEME, replicates=replicates, seed=seed)
    rows = first.rows(OVERALL, chosen, confidence)
    for name in dimensions:
        own = {value: part for (at, value), part in zip(places, rest, strict=True) if at == name}
        for value, part in own.items():
            rows += part.rows(SlicePlace(name, value), chosen, confidence)
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
