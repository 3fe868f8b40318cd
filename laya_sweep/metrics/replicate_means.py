"""Replicates of means and of the ECE: matrix products of weights with sums by source.

A mean in replicate r is sum_s w_rs t_s / sum_s w_rs n_s, with t_s and n_s the sums of terms and rows of
source s. So all means of a slice are columns of one matrix [sources, columns] that the weights [replicates,
sources] are multiplied with.

The ECE is the mean of (confidence - correct) times the sign of its bin's gap. Replicates keep the signs of
the data: taking absolute values anew would add the noise of resampling to a figure that the noise of the data
has already raised, and the interval would lie above the truth. By how much the data's noise is expected to
have raised it is given apart, as `excess`.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.calibration import bin_rows
from laya_sweep.metrics.metric import Mean, Metric
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.threshold import Cut


def sums_by_source(code: NDArray[np.integer], terms: Floats | None, n_sources: int) -> Floats:
    """float64[n_sources]: the sum of `terms` (None: the number of rows) of each source."""
    return np.bincount(code, weights=terms, minlength=n_sources).astype(np.float64, copy=False)


class MeanReplicates:
    """The means among `metrics` (index in the catalogue -> metric) and the ECE of one slice.

    Args:
        code: population -> source code in 0 .. n_sources - 1 of each of its decisions.
    """

    def __init__(
        self,
        view: SliceView,
        metrics: Mapping[int, Metric],
        code: Mapping[str, NDArray[np.integer]],
        n_sources: int,
        bins: int,
    ) -> None:
        self._columns: list[Floats] = []
        self._totals: dict[tuple[str, Cut | None], int] = {}
        self._ratios: dict[int, tuple[int, int]] = {}
        self.excess: dict[int, float] = {}
        self._code, self._sources, self._view = code, n_sources, view
        for at, metric in metrics.items():
            if metric.mean is not None:
                self._ratios[at] = self._add_mean(metric.mean)
            elif metric.family == "ece":
                self._ratios[at], self.excess[at] = self._add_gaps(bins)
        self._matrix = np.stack(self._columns, axis=1) if self._columns else np.empty((n_sources, 0))
        self._columns.clear()

    def _push(self, column: Floats) -> int:
        self._columns.append(column)
        return len(self._columns) - 1

    def _total(self, population: str, cut: Cut | None) -> int:
        """The column that counts the rows of a population, shared by all its means."""
        key = (population, cut)
        if key not in self._totals:
            self._totals[key] = self._push(sums_by_source(self._kept_code(*key), None, self._sources))
        return self._totals[key]

    def _kept_code(self, population: str, cut: Cut | None) -> NDArray[np.integer]:
        code = self._code[population]
        return code if cut is None else code[self._view.accepted(cut)]

    def _add_mean(self, mean: Mean) -> tuple[int, int]:
        terms = mean.values(self._view).astype(np.float64, copy=False)
        column = sums_by_source(self._kept_code(mean.population, mean.cut), terms, self._sources)
        return self._push(column), self._total(mean.population, mean.cut)

    def _add_gaps(self, bins: int) -> tuple[tuple[int, int], float]:
        """The signed gap as a mean like others, and the excess of the ECE over the truth."""
        view, code = self._view, self._code["answered"]
        found = bin_rows(view.column("confidence", "answered"), view.correct("answered"), bins, view.nan)
        kept = code if found.kept is None else code[found.kept]
        cells = sums_by_source(kept * bins + found.bins, found.gap, self._sources * bins)
        gaps = cells.reshape(self._sources, bins)
        total = self._total("answered", None)
        excess = gap_excess(gaps) / float(self._columns[total].sum())
        return (self._push(gaps @ np.sign(gaps.sum(axis=0))), total), excess

    def run(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        """Metric index -> its value in each replicate; `weights` is [replicates, sources]."""
        if not self._matrix.shape[1]:
            return {}
        sums = weights.astype(np.float64) @ self._matrix
        with np.errstate(invalid="ignore", divide="ignore"):
            return {at: sums[:, top] / sums[:, total] for at, (top, total) in self._ratios.items()}


def gap_excess(gaps: Floats) -> float:
    """How much noise is expected to add to sum_b |gap_b|.

    A bin with true gap m and a standard error s is seen as |m + s z|, whose mean exceeds |m| by s g(|m| / s)
    with g(t) = 2 (phi(t) - t Phi(-t)): 0.8 s for a calibrated bin, next to nothing from m = 3 s on. Here m is
    the gap itself, and s comes from its sources.

    Args:
        gaps: float64[sources, bins], sum of confidence - correct by source.

    >>> round(gap_excess(np.array([[1.0], [-1.0]])), 3)
    1.128
    """
    total = gaps.sum(axis=0)
    error = np.sqrt(((gaps - gaps.mean(axis=0)) ** 2).sum(axis=0))
    normal = NormalDist()
    pairs = ((abs(float(m)) / float(s), float(s)) for m, s in zip(total, error, strict=True) if s > 0)
    return sum(2.0 * s * (normal.pdf(t) - t * normal.cdf(-t)) for t, s in pairs)
