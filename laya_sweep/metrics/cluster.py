"""How many independent answers a set of clustered ones is worth.

The same utterance in 51 languages gives 51 answers that tend to be right or wrong together. Treated as
independent they would make intervals up to seven times too narrow, so rows are grouped by their source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, Floats
from laya_sweep.metrics.spread import Spread, spread_of


class Clusters:
    """The clusters of a set of rows: which are there, and sums over them.

    Args:
        source: integer cluster codes of at least 0, shape (n,).

    Attributes:
        code: a number in 0 .. codes - 1 for the cluster of each row; not each number need occur.
        count: clusters that occur.

    >>> Clusters(np.array([7, 7, 2])).count
    2
    """

    def __init__(self, source: NDArray[np.integer]) -> None:
        self._n = len(source)
        # Of the type in which numpy counts, which would else be made anew for every count.
        self.code = source.astype(np.intp, copy=False)
        if self._n and int(source.max()) > 8 * self._n + 4096:
            self.code = np.unique(source, return_inverse=True)[1]
        self._rows = np.bincount(self.code) if self._n else np.zeros(0, dtype=np.int64)
        self.codes = len(self._rows)
        self.count = int(np.count_nonzero(self._rows))

    @property
    def each_row_its_own(self) -> bool:
        """Whether no two rows share a source, so that nothing needs correcting."""
        return self.count == self._n

    def spread(self, success: Flags) -> Spread:
        """How many clusters there are, and the effective number of rows of the proportion of `success`."""
        if self.each_row_its_own:
            return Spread(self.count, float(self._n))
        return spread_of(self._rows, np.bincount(self.code[success], minlength=len(self._rows)))


def running_effective_n(source: NDArray[np.integer], success: Flags, ends: NDArray[np.integer]) -> Floats:
    """The effective number (see `spread_of`) of the first 1, 2, .. rows, read where it is wanted, in one
    pass.

    For a curve: rows come in descending confidence, and each level ends somewhere.

    Args:
        source: cluster code of each row, shape (n,), in the order in which rows are accepted.
        success: bool[n].
        ends: int[k]; index of the last accepted row of each point.

    Returns:
        float64[k].

    >>> running_effective_n(np.array([3, 3, 1, 2]), np.array([True, True, False, True]), np.array([1, 3]))
    array([1.        , 3.42857143])
    """
    rows_before, hits_before = _before_in_cluster(source, success)
    hit = success.astype(np.int64)
    # What each row adds to the sums over clusters of rows^2, hits^2 and rows * hits.
    steps = np.stack([2 * rows_before + 1, hit * (2 * hits_before + 1), hits_before + hit * (rows_before + 1), hit])
    rows2, hits2, cross, right = (np.cumsum(step)[ends].astype(np.float64) for step in steps)
    n = ends + 1.0
    share = right / n
    spread = n * share * (1.0 - share)
    squares = hits2 - 2 * share * cross + share * share * rows2
    effect = np.divide(squares, spread, out=np.ones_like(n), where=spread > 0)
    clusters = np.cumsum(rows_before == 0)[ends]
    agreed = (right == 0) | (right == n)
    effective: Floats = np.where(agreed, clusters, n / np.maximum(1.0, effect))
    return effective


def _before_in_cluster(source: NDArray[np.integer], success: Flags) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each row, how many rows and how many hits of its cluster come before it."""
    order = np.argsort(source, kind="stable")
    ordered = source[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(order) else order
    size = np.diff(np.append(first, len(order)))
    hits: NDArray[np.int64] = np.cumsum(success[order], dtype=np.int64) - success[order]
    rows_before = np.empty(len(order), dtype=np.int64)
    hits_before = np.empty(len(order), dtype=np.int64)
    rows_before[order] = np.arange(len(order)) - np.repeat(first, size)
    hits_before[order] = hits - np.repeat(hits[first], size)
    return rows_before, hits_before
