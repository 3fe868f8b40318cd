"""How many sources a figure rests on, and how many independent decisions they are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags
from laya_sweep.metrics.columns import LEVELS


class Spread(NamedTuple):
    """What an interval of a proportion needs beyond the proportion.

    Attributes:
        n_clusters: distinct sources among the decisions.
        effective_n: independent decisions that they are worth; see `spread_of`.
    """

    n_clusters: int
    effective_n: float


class GateSpreads(NamedTuple):
    """The spreads of the figures at several thresholds.

    Attributes:
        right: of the share of all decisions that are right.
        coverage: cut -> of the share of all decisions that are kept.
        precision: cut -> of the share of kept decisions that are right.
    """

    right: Spread
    coverage: dict[int, Spread]
    precision: dict[int, Spread]

    @classmethod
    def of_single_rows(cls, n: int, cuts: Sequence[int], accepted: Sequence[int]) -> GateSpreads:
        """Where each decision is a source of its own: everything is what it seems."""
        kept = {cut: Spread(count, float(count)) for cut, count in zip(cuts, accepted, strict=True)}
        return cls(Spread(n, float(n)), dict.fromkeys(cuts, Spread(n, float(n))), kept)

    @classmethod
    def of_clusters(
        cls,
        level: NDArray[np.integer],
        right: Flags,
        code: NDArray[np.integer],
        n_sources: int,
        cuts: Sequence[int],
    ) -> GateSpreads:
        """All of them from one count by source and threshold.

        Args:
            level, right: level (-1 .. 10,000) and correctness of each decision, shape (n,).
            code: source code in 0 .. n_sources - 1 of each decision.
            cuts: ascending levels, one a threshold.

        >>> right, code = np.array([True, True, False]), np.array([0, 0, 1])
        >>> GateSpreads.of_clusters(np.array([9, 5, 9]), right, code, 2, (5, 9)).precision[5]
        Spread(n_clusters=2, effective_n=2.25)
        """
        # The last place is that of level -1, which passes nothing.
        passed = np.append(np.searchsorted(cuts, np.arange(LEVELS + 1), side="right"), 0)
        # Counted in cells [thresholds passed, right, source], so that a source's sums lie side by side. The
        # cells of a level begin at begin[2 level] for wrong answers and at begin[2 level + 1] for right ones.
        begin = (2 * passed[:, np.newaxis] + np.array([0, 1])).reshape(-1) * n_sources
        cells = begin[2 * level + right]
        cells += code
        size = 2 * n_sources * (len(cuts) + 1)
        both = np.bincount(cells, minlength=size).reshape(-1, 2, n_sources)
        # A decision that passes the third threshold has passed the first two.
        above = np.cumsum(both[::-1], axis=0)[::-1]
        every, *kept = ((part[0] + part[1], part[1]) for part in above)
        pairs = list(zip(cuts, kept, strict=True))
        return cls(
            spread_of(*every),
            {cut: spread_of(every[0], rows) for cut, (rows, _) in pairs},
            {cut: spread_of(rows, hits) for cut, (rows, hits) in pairs},
        )


def spread_of(rows: NDArray[Any], hits: NDArray[Any]) -> Spread:
    """The spread of a proportion, from the rows and hits of each source.

    n_eff = n / deff with deff = sum_clusters (sum_i e_i)^2 / sum_i e_i^2 and e_i = success_i - p: Kish's
    design effect, estimated by linearisation. It is at least 1, so that clusters never narrow an interval.
    Where all rows agree there is no variance to compare, and each cluster counts as one row.

    >>> spread_of(np.array([10, 10, 10, 10]), np.array([10, 10, 0, 10]))
    Spread(n_clusters=4, effective_n=4.0)
    """
    n, right = float(rows.sum()), float(hits.sum())
    clusters = int(np.count_nonzero(rows))
    if right in (0.0, n):
        return Spread(clusters, float(clusters))
    share = right / n
    errors = hits - share * rows
    # A sum and not a dot product, which numpy hands to threads that may have to wait for a core.
    effect = float((errors * errors).sum()) / (n * share * (1.0 - share))
    return Spread(clusters, n / max(1.0, effect))
