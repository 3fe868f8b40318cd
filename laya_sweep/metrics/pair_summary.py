"""The robustness of one result as rows of the `metrics` table: overall and by slice, with intervals.

Every figure is pair-weighted. A proportion has Wilson's interval on its effective number of independent pairs, a mean
a bootstrap interval; both take pairs of one source for what they are: one utterance in several languages and orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, Floats, same_length
from laya_sweep.metrics.bootstrap import REPLICATES, SEED, weight_chunks
from laya_sweep.metrics.cluster import Clusters
from laya_sweep.metrics.columns import SliceColumn
from laya_sweep.metrics.draws import NO_REPLICATES, bootstrap_interval
from laya_sweep.metrics.interval import Interval, wilson
from laya_sweep.metrics.nature import Nature
from laya_sweep.metrics.robustness import PairFigures, worst_confidence_increase
from laya_sweep.metrics.slicing import slice_rows
from laya_sweep.metrics.summary import OVERALL, MetricRow

Kind: TypeAlias = Literal["proportion", "mean", "extreme"]


@dataclass(frozen=True)
class PairColumns:
    """Pairs as columns of one length n.

    Attributes:
        figures: what changed in each pair.
        right_before, right_after: int8[n]; 1 right, 0 wrong, -1 where nothing can be right or wrong.
        source: int32[n]; cluster code of the source_id.
        slices: dimension -> which slice each pair belongs to.
    """

    figures: PairFigures
    right_before: NDArray[np.int8]
    right_after: NDArray[np.int8]
    source: NDArray[np.int32]
    slices: Mapping[str, SliceColumn]

    def __post_init__(self) -> None:
        same_length(
            figures=self.figures, right_before=self.right_before, right_after=self.right_after, source=self.source
        )


@dataclass(frozen=True, slots=True)
class PairMetric(Nature):
    """A figure: the term of each pair (float64[n], or bool[n] of a proportion), and whose pairs count."""

    name: str
    kind: Kind
    terms: Callable[[PairColumns], Floats | Flags]
    labelled: bool = False
    value: Callable[[PairFigures], float] | None = None


def _right(columns: PairColumns, before: int, after: int) -> Flags:
    return np.asarray((columns.right_before == before) & (columns.right_after == after))


#: In the order of reports: the names of REQUIREMENTS C4, then what the flips did to accuracy.
PAIR_METRICS: tuple[PairMetric, ...] = (
    PairMetric(
        "semantic_agreement_rate", "proportion", lambda c: c.figures.agreement, better="higher", short="agreement"
    ),
    PairMetric("flip_rate", "proportion", lambda c: ~c.figures.agreement, better="lower"),
    PairMetric(
        "mean_probability_drift", "mean", lambda c: c.figures.mean_probability_drift, better="lower", short="drift"
    ),
    PairMetric(
        "max_probability_drift",
        "extreme",
        lambda c: c.figures.max_probability_drift,
        value=lambda pairs: float(pairs.max_probability_drift.max()),
        better="lower",
    ),
    PairMetric("mean_js_divergence", "mean", lambda c: c.figures.js_divergence, better="lower", short="js"),
    PairMetric("mean_confidence_drift", "mean", lambda c: c.figures.confidence_drift, short="conf_drift"),
    PairMetric("mean_absolute_confidence_drift", "mean", lambda c: np.abs(c.figures.confidence_drift), better="lower"),
    PairMetric(
        "worst_confidence_increase_on_disagreement",
        "extreme",
        lambda c: c.figures.confidence_drift,
        value=worst_confidence_increase,
        better="lower",
    ),
    PairMetric(
        "accuracy_drop",
        "mean",
        lambda c: c.right_before.astype(np.float64) - c.right_after,
        labelled=True,
        better="lower",
    ),
    PairMetric("right_to_wrong_rate", "proportion", lambda c: _right(c, 1, 0), labelled=True, better="lower"),
    PairMetric("wrong_to_right_rate", "proportion", lambda c: _right(c, 0, 1), labelled=True, better="higher"),
)


class _View(NamedTuple):
    """The pairs of one slice."""

    dimension: str
    value: str
    rows: NDArray[np.intp]


def summarise_robustness(
    columns: PairColumns,
    *,
    expected: Mapping[str, Sequence[str]] = MappingProxyType({}),
    replicates: int = REPLICATES,
    seed: int = SEED,
    confidence: float = 0.95,
) -> list[MetricRow]:
    """Every robustness figure of the pairs: overall, then by each slice of `columns`.

    Args:
        columns: the pairs.
        expected: dimension -> values that get rows even where there is no pair, with `n` 0 and the reason.
        replicates, seed, confidence: of the intervals.
    """
    every = np.arange(len(columns.source), dtype=np.intp)
    views = [_View(OVERALL, "", every)]
    for dimension, column in columns.slices.items():
        found = slice_rows(column)
        values = sorted({*found, *expected.get(dimension, ())})
        views += [_View(dimension, value, every[found.get(value, slice(0, 0))]) for value in values]
    draws = _draw_means(columns, views, replicates, seed)
    return [
        _row(columns, view, metric, draws.get((at, metric.name)), confidence)
        for at, view in enumerate(views)
        for metric in PAIR_METRICS
    ]


def _row(columns: PairColumns, view: _View, metric: PairMetric, draws: Floats | None, confidence: float) -> MetricRow:
    rows = _counted(columns, view.rows, metric)
    clusters = Clusters(columns.source[rows])
    value, limits, reason = None, None, "no labelled pairs" if metric.labelled and len(view.rows) else "no pairs"
    if len(rows):
        terms = metric.terms(columns)[rows]
        value = float(terms.mean()) if metric.value is None else metric.value(columns.figures.take(rows))
        interval = _interval(metric, terms, value, clusters, draws, confidence)
        limits, reason = (None, f"no interval: {interval}") if isinstance(interval, str) else (interval, "")
    return MetricRow(
        slice_dimension=view.dimension,
        slice_value=view.value,
        min_confidence=None,
        metric=metric.name,
        definition=1,
        value=value,
        n=len(rows),
        n_clusters=clusters.count,
        low=None if limits is None else limits.low,
        high=None if limits is None else limits.high,
        reason=reason or None,
    )


def _interval(
    metric: PairMetric, terms: Floats | Flags, value: float, clusters: Clusters, draws: Floats | None, confidence: float
) -> Interval | str:
    if metric.kind == "extreme":
        return "resampling never draws beyond the largest"
    if clusters.count < 2:
        return "one pair" if len(terms) == 1 else "one cluster"
    if metric.kind == "proportion":
        trials = clusters.spread(terms.astype(np.bool_)).effective_n
        return wilson(value * trials, trials, confidence) or "no independent pairs"
    return NO_REPLICATES if draws is None else bootstrap_interval(draws, value, confidence)


def _counted(columns: PairColumns, rows: NDArray[np.intp], metric: PairMetric) -> NDArray[np.intp]:
    if not metric.labelled:
        return rows
    return rows[(columns.right_before[rows] >= 0) & (columns.right_after[rows] >= 0)]


def _draw_means(
    columns: PairColumns, views: Sequence[_View], replicates: int, seed: int
) -> dict[tuple[int, str], Floats]:
    """Replicates of each mean of each view, float64[replicates]; all of them draw the same sources."""
    known, code = np.unique(columns.source, return_inverse=True)
    means = [metric for metric in PAIR_METRICS if metric.kind == "mean"]
    if len(known) < 2 or not replicates:
        return {}
    keys = [(at, metric.name) for at in range(len(views)) for metric in means]
    sums, counts = np.zeros((len(known), len(keys))), np.zeros((len(known), len(keys)))
    terms = {metric.name: metric.terms(columns) for metric in means}
    for place, (view, metric) in enumerate((view, metric) for view in views for metric in means):
        rows = _counted(columns, view.rows, metric)
        sums[:, place] = np.bincount(code[rows], weights=terms[metric.name][rows], minlength=len(known))
        counts[:, place] = np.bincount(code[rows], minlength=len(known))
    drawn = []
    for chunk in weight_chunks(len(known), replicates, seed):
        weights = chunk.weights.astype(np.float64)
        total, rows_drawn = weights @ sums, weights @ counts
        drawn.append(np.divide(total, rows_drawn, out=np.full_like(total, np.nan), where=rows_drawn > 0))
    values = np.concatenate(drawn)
    return {key: values[:, place] for place, key in enumerate(keys)}
