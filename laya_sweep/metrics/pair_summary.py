"""The robustness of one result as rows of the `metrics` table: overall and by slice, with intervals.

Every figure is pair-weighted. A proportion has Wilson's interval on its effective number of independent pairs, a mean
a bootstrap interval; both take pairs of one source for what they are: one utterance in several languages and orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.metrics.bootstrap import REPLICATES, SEED
from laya_sweep.metrics.estimate import estimate
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.pair_catalogue import PAIR_METRICS
from laya_sweep.metrics.pair_view import PairColumns, PairView
from laya_sweep.metrics.replicate_means import MeanReplicates
from laya_sweep.metrics.resample import Scheme
from laya_sweep.metrics.slicing import slice_rows

SCHEME: Final[Scheme[PairView]] = Scheme((MeanReplicates,), whole=True)


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
    masks = columns.masks()
    places, views = [OVERALL], [PairView(columns, masks)]
    for dimension, column in columns.slices.items():
        found = slice_rows(column)
        for value in sorted({*found, *expected.get(dimension, ())}):
            places.append(SlicePlace(dimension, value))
            views.append(PairView(columns, masks, found.get(value, slice(0, 0))))
    estimated = estimate(views, PAIR_METRICS, SCHEME, replicates=replicates, seed=seed)
    return [
        row for place, part in zip(places, estimated, strict=True) for row in part.rows(place, PAIR_METRICS, confidence)
    ]
