"""Replicates of all means and other ratios of one slice: the columns of one matrix product."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.metric import V, ViewMetric
from laya_sweep.metrics.source_means import SourceMeans, sums_by_source

#: Whose rows a ratio is over; means over the same rows share the column that counts them.
_Who: TypeAlias = tuple[str, Callable[[Any], Any] | None]


class MeanReplicates(Generic[V]):
    """The ratios among `metrics` (index in the catalogue -> metric) of one slice.

    Args:
        code: population -> source code in 0 .. n_sources - 1 of each of its rows.

    Attributes:
        excess: metric index -> as in `draws.Draws`, of the figures that have one.
    """

    def __init__(
        self,
        view: V,
        metrics: Mapping[int, ViewMetric[V]],
        code: Mapping[str, NDArray[np.integer]],
        n_sources: int,
    ) -> None:
        self.excess: dict[int, float] = {}
        sums: list[Floats] = []
        counts: dict[_Who, Floats] = {}
        column: list[int] = []
        ratios = {at: metric.ratio for at, metric in metrics.items() if metric.ratio is not None}
        for at, ratio in ratios.items():
            own = code[ratio.population]
            if ratio.kept is not None:
                own = own[ratio.kept(view)]
            found = ratio.by_source(view, own, n_sources)
            sums.append(found.sums)
            if found.excess:
                self.excess[at] = found.excess
            who = (ratio.population, ratio.kept)
            if who not in counts:
                counts[who] = sums_by_source(own, None, n_sources)
            column.append([*counts].index(who))
        self._places = [*ratios]
        self._means = None
        if sums:
            self._means = SourceMeans(np.stack(sums, axis=1), np.stack([*counts.values()], axis=1), np.array(column))

    def run(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        """Metric index -> its value in each replicate; `weights` is [replicates, sources]."""
        if self._means is None:
            return {}
        return dict(zip(self._places, self._means.draw(weights).T, strict=True))
