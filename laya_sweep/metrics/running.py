"""Running sums of many replicates at once, and look-ups in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SPAN = 16


class RankGrid:
    """A layout of `n` ranked rows in which running sums are quick: rank p stands at [p % 16, p // 16].

    A plain running sum waits for its predecessor at every step, which costs several times the addition. Here
    15 vectorised additions of whole grid lines sum up each span of 16 neighbours, and one short running sum
    carries the spans over. With integers that the type holds exactly, the result is the same.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._spans = max(1, -(-n // _SPAN))

    def place(self, rank: NDArray[np.integer]) -> NDArray[np.intp]:
        """The flat position in the grid of each rank."""
        at: NDArray[np.intp] = ((rank % _SPAN) * self._spans + rank // _SPAN).astype(np.intp)
        return at

    def lay_out(self, values: NDArray[Any], fill: int) -> NDArray[Any]:
        """`values` [n], in rank order, as a grid [16, spans]; the places beyond n hold `fill`.

        >>> RankGrid(18).lay_out(np.arange(18), -1)[:3]
        array([[ 0, 16],
               [ 1, 17],
               [ 2, -1]])
        """
        padded = np.full(self._spans * _SPAN, fill, dtype=values.dtype)
        padded[: self.n] = values
        return np.ascontiguousarray(padded.reshape(self._spans, _SPAN).T)

    def running_sums(self, steps: NDArray[Any]) -> NDArray[Any]:
        """Running sums along the ranks of `steps` [b, 16, spans], in the same layout.

        >>> grid = RankGrid(18)
        >>> sums = grid.running_sums(grid.lay_out(np.ones(18), 0)[np.newaxis])
        >>> sums.reshape(-1)[grid.place(np.array([0, 15, 16, 17]))]
        array([ 1., 16., 17., 18.])
        """
        sums = np.empty_like(steps)
        sums[:, 0] = steps[:, 0]
        for line in range(1, _SPAN):
            np.add(sums[:, line - 1], steps[:, line], out=sums[:, line])
        sums[:, :, 1:] += np.cumsum(sums[:, -1, :-1], axis=1)[:, np.newaxis]
        return sums

    def first_at_least(self, running: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.intp]:
        """intp[b]: the first rank at which each of `running` [b, 16, spans] reaches wanted[b].

        Spans first, then the rows of the span found; the last rank must reach what is wanted.

        >>> grid = RankGrid(18)
        >>> sums = grid.running_sums(grid.lay_out(np.ones(18), 0)[np.newaxis])
        >>> grid.first_at_least(sums, np.array([17.0]))
        array([16])
        """
        span = (running[:, -1, :-1] < wanted[:, np.newaxis]).sum(axis=1)
        inside = running[np.arange(len(running)), :, span]
        line = (inside < wanted[:, np.newaxis]).sum(axis=1)
        rank: NDArray[np.intp] = span * _SPAN + line
        return rank
