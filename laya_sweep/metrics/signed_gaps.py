"""Replicates of the ECE.

The ECE is the mean of (confidence - correct) times the sign of its bin's gap. Replicates keep the signs of
the data: taking absolute values anew would add the noise of resampling to a figure that the noise of the data
has already raised, and the interval would lie above the truth. By how much the data's noise is expected to
have raised it is given apart, as `excess`.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.calibration import bin_rows
from laya_sweep.metrics.metric import Ratio
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.source_means import SourceSums, sums_by_source


@dataclass(frozen=True)
class SignedGaps(Ratio[SliceView]):
    """The signed gap of `bins` bins as a ratio like any mean, and the excess of the ECE over the truth."""

    bins: int

    def by_source(self, view: SliceView, code: NDArray[np.integer], n_sources: int) -> SourceSums:
        found = bin_rows(view.column("confidence", self.population), view.correct(self.population), self.bins, view.nan)
        kept = code if found.kept is None else code[found.kept]
        cells = sums_by_source(kept * self.bins + found.bins, found.gap, n_sources * self.bins)
        gaps = cells.reshape(n_sources, self.bins)
        return SourceSums(gaps @ np.sign(gaps.sum(axis=0)), gap_excess(gaps) / len(code))


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
