"""How many independent answers a set of clustered ones is worth.

The same utterance in 51 languages gives 51 answers that tend to be right or wrong together. Treated as
independent they would make intervals up to seven times too narrow, so rows are grouped by their source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, Floats


class Clusters:
    """The clusters of a set of rows: which are there, and sums over them.

    Args:
        source: integer cluster codes of at least 0, shape (n,).

    >>> Clusters(np.array([7, 7, 2])).count
    2
    """

    def __init__(self, source: NDArray[np.integer]) -> None:
        self._n = len(source)
        self._code = source
        if self._n and int(source.max()) > 8 * self._n + 4096:
            self._code = np.unique(source, return_inverse=True)[1]
        self._rows = np.bincount(self._code) if self._n else np.zeros(0, dtype=np.int64)
        self.count = int(np.count_nonzero(self._rows))

    @property
    def each_row_its_own(self) -> bool:
        """Whether no two rows share a source, so that nothing needs correcting."""
        return self.count == self._n

    def effective_n(self, success: Flags) -> float:
        """The number of independent rows whose proportion is as uncertain as that of these clustered ones.

        n_eff = n / deff with deff = sum_clusters (sum_i e_i)^2 / sum_i e_i^2 and e_i = success_i - p: Kish's design
        effect, estimated by linearisation. It is at least 1 here, so that clusters never narrow an interval.
        Where all rows agree there is no variance to compare, and each cluster counts as one row.

        >>> clusters = Clusters(np.repeat(np.arange(4), 10))
        >>> clusters.effective_n(np.repeat([True, True, False, True], 10))
        4.0
        """
        if self.each_row_its_own:
            return float(self._n)
        hits: Floats = np.bincount(self._code, weights=success).astype(np.float64, copy=False)
        right = hits.sum()
        if right in (0.0, self._n):
            return float(self.count)
        share = right / self._n
        errors = hits - share * self._rows
        effect = float(errors @ errors) / (self._n * share * (1.0 - share))
        return float(self._n / max(1.0, effect))
