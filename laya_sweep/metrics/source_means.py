"""Means of bootstrap replicates: products of weights with sums by source.

A mean in replicate r is sum_s w_rs t_s / sum_s w_rs n_s, with t_s and n_s the sum of the terms and the number of the
rows of source s. Whatever is a mean over rows is resampled here: metrics of decisions and of pairs, figures of checks,
differences of two runs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.bootstrap import weight_chunks


class SourceSums(NamedTuple):
    """Sums by source, float64[sources]; and how far the figure itself may lie above the truth, see `draws.Draws`."""

    sums: Floats
    excess: float = 0.0


def sums_by_source(code: NDArray[np.integer], terms: Floats | None, n_sources: int) -> Floats:
    """float64[n_sources]: the sum of `terms` (None: the number of rows) of each source."""
    return np.bincount(code, weights=terms, minlength=n_sources).astype(np.float64, copy=False)


class SourceMeans:
    """Means over rows, from the sums and the rows of each source.

    Several means are columns of one matrix; one mean is a product with two vectors. The last bit of a mean depends on
    which of the two it is, and on nothing else of its neighbours.

    Args:
        sums: float64[sources] of one mean, or [sources, k].
        counts: rows of the same, float64[sources], or [sources, c].
        column: intp[k]; which column of `counts` each mean is over; None where there is but one mean.

    >>> SourceMeans(np.array([2.0, 4.0]), np.array([1.0, 2.0])).replicates(3, 13)
    array([2., 2., 2.])
    """

    def __init__(self, sums: Floats, counts: Floats, column: NDArray[np.intp] | None = None) -> None:
        self._sources = len(sums)
        self._parts = (sums, counts) if column is None else (np.hstack([sums, counts]),)
        self._column = None if column is None else len(sums.T) + column

    def draw(self, weights: NDArray[Any]) -> Floats:
        """float64[b] or [b, k]: each mean in the replicates of `weights` [b, sources]; NaN where no row is drawn."""
        drawn = weights.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self._column is None:
                sums, counts = (drawn @ part for part in self._parts)
                return np.asarray(sums / counts)
            both = drawn @ self._parts[0]
            return np.asarray(both[:, : len(self._column)] / both[:, self._column])

    def replicates(self, replicates: int, seed: int) -> Floats:
        """float64[replicates] or [replicates, k]: all sources of all replicates are drawn."""
        chunks = weight_chunks(self._sources, replicates, seed)
        return np.concatenate([self.draw(chunk.weights) for chunk in chunks])
