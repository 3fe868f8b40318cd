"""Replicates of what ranks by confidence: AURC and kin, selective accuracy, AUROC, the legacy cut.

Resampling changes how often a row counts and never where it ranks. So rows are sorted once, and a replicate
is the running sum of its weights along that order. Weights are small integers: float32 adds them exactly up
to 2^24, at half the memory of float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.levels import descending, group_starts
from laya_sweep.metrics.metric import ViewMetric
from laya_sweep.metrics.running import RankGrid
from laya_sweep.metrics.slice_view import SliceView

_EXACT_IN_FLOAT32 = 2**23
_BLOCK = 2**18
"""Rows times replicates that are worked on at a time: a megabyte an array, so that they stay in cache."""


class _Sums(NamedTuple):
    """Running sums of one block, [replicates, rows or levels]: accepted and right weight, and their steps."""

    accepted: NDArray[Any]
    right: NDArray[Any]
    rows: NDArray[Any]
    hits: NDArray[Any]


class _Sizes(NamedTuple):
    """Weight of all, right and wrong decisions of each replicate, float64[b]."""

    n: Floats
    right: Floats
    wrong: Floats


class RankingReplicates:
    """The ranking metrics among `metrics` (index in the catalogue -> metric) of one slice.

    Args:
        code: population -> source code in 0 .. n_sources - 1 of each of its decisions.
    """

    def __init__(
        self,
        view: SliceView,
        metrics: Mapping[int, ViewMetric[SliceView]],
        code: Mapping[str, NDArray[np.integer]],
        n_sources: int,
    ) -> None:
        self.excess: dict[int, float] = {}
        self._metrics = {at: metric for at, metric in metrics.items() if metric.family == "ranking"}
        self._names = {metric.name for metric in self._metrics.values()}
        if not self._metrics:
            return
        confidence = view.column("confidence", "answered")
        order = descending(confidence)
        n = len(order)
        self._dtype = np.float32 if n < _EXACT_IN_FLOAT32 else np.float64
        self._grid = RankGrid(n)
        # A source that is never drawn fills the grid up to its full size.
        self._code = self._grid.lay_out(code["answered"][order], n_sources)
        self._sources = n_sources
        self._right = self._grid.lay_out(view.correct("answered")[order].astype(self._dtype), 0)
        starts = group_starts(confidence[order])
        ends = np.append(starts[1:], n) - 1
        self._ends = self._grid.place(ends) if len(ends) < n else None
        self._level_end = np.repeat(self._grid.place(ends), np.diff(ends, prepend=-1))
        self._harmonic: Floats = np.zeros(1)

    def run(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        """Metric index -> its value in each replicate; `weights` is [replicates, sources]."""
        if not self._metrics:
            return {}
        step = max(1, _BLOCK // self._code.size)
        blocks = [self._block(weights[i : i + step]) for i in range(0, len(weights), step)]
        return {at: np.concatenate([block[at] for block in blocks]) for at in self._metrics}

    def _running(self, weights: NDArray[np.uint8]) -> _Sums:
        drawn = np.zeros((len(weights), self._sources + 1), dtype=self._dtype)
        drawn[:, :-1] = weights
        rows = np.take(drawn, self._code, axis=1)
        hits = rows * self._right
        parts = (self._grid.running_sums(rows), self._grid.running_sums(hits), rows, hits)
        return _Sums(*parts)

    def _block(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        grids = self._running(weights)
        by_row = _Sums(*(grid.reshape(len(weights), -1) for grid in grids))
        n, right = (sums[:, self._level_end[-1]].astype(np.float64) for sums in by_row[:2])
        sizes = _Sizes(n, right, n - right)
        draws = {}
        with np.errstate(invalid="ignore", divide="ignore"):
            for at, metric in self._metrics.items():
                if metric.name == "acc_at_50_coverage":
                    draws[at] = self._legacy(grids.accepted, by_row, n)
                elif metric.share is not None:
                    draws[at] = self._selective(grids.accepted, by_row, n, metric.share)
            # Last, because it reuses the arrays.
            found = self._areas(by_row if self._ends is None else _at_levels(by_row, self._ends), sizes)
        return draws | {at: found[m.name] for at, m in self._metrics.items() if at not in draws}

    def _areas(self, sums: _Sums, sizes: _Sizes) -> dict[str, Floats]:
        """The four areas, from two sums of products a replicate."""
        n, right, wrong = sizes
        areas: dict[str, Floats] = {}
        if self._names & {"auroc", "augrc"}:
            lost = _doubled_losses(sums, tied=self._ends is not None)
            areas["auroc"] = 1.0 - lost / (2 * right * wrong)
            areas["augrc"] = (lost + wrong * wrong) / (2 * n * n)
        if self._names & {"aurc", "excess_aurc"}:
            areas["aurc"] = 1.0 - _summed_precision(sums) / n
            areas["excess_aurc"] = areas["aurc"] - self._ideal(sizes)
        return areas

    def _ideal(self, sizes: _Sizes) -> Floats:
        """`selective.ideal_aurc` of each replicate: (wrong - right (H_n - H_right)) / n, H harmonic
        numbers."""
        n, right, wrong = sizes
        if len(self._harmonic) <= n.max():
            self._harmonic = np.append(0.0, np.cumsum(1.0 / np.arange(1, 2 * n.max() + 2)))
        spread = self._harmonic[n.astype(np.intp)] - self._harmonic[right.astype(np.intp)]
        ideal: Floats = (wrong - right * spread) / n
        return ideal

    def _selective(self, accepted: NDArray[Any], sums: _Sums, n: Floats, coverage: float) -> Floats:
        """Precision at the end of the level in which the wanted coverage is reached."""
        rank = self._grid.first_at_least(accepted, np.maximum(1, np.ceil(coverage * n)))
        # A replicate that drew nothing reaches nothing; whatever is read for it is 0 / 0.
        end = self._level_end[np.minimum(rank, self._grid.n - 1)]
        replicate = np.arange(len(n))
        draws: Floats = sums.right[replicate, end].astype(np.float64) / sums.accepted[replicate, end]
        return draws

    def _legacy(self, accepted: NDArray[Any], sums: _Sums, n: Floats) -> Floats:
        """The first max(1, n // 2) of the drawn rows; the row at the cut counts in part."""
        half = np.maximum(1, n // 2)
        rank = np.minimum(self._grid.first_at_least(accepted, half), self._grid.n - 1)
        at, replicate = self._grid.place(rank), np.arange(len(n))
        beyond = (sums.accepted[replicate, at] - half) * self._right.reshape(-1)[at]
        return np.where(n > 0, (sums.right[replicate, at] - beyond) / half, np.nan)


def _at_levels(sums: _Sums, ends: NDArray[np.intp]) -> _Sums:
    accepted, right = sums.accepted[:, ends], sums.right[:, ends]
    return _Sums(accepted, right, np.diff(accepted, axis=1, prepend=0), np.diff(right, axis=1, prepend=0))


def _summed_precision(sums: _Sums) -> Floats:
    """float64[b]: sum over levels of rows_k right_k / accepted_k. Overwrites `sums.accepted`."""
    np.maximum(sums.accepted, 1, out=sums.accepted)
    precision = np.divide(sums.right, sums.accepted, out=sums.accepted)
    precision *= sums.rows
    # Not a dot product: numpy sums pairwise along a contiguous axis, which keeps float32 good to about 1e-6.
    total: Floats = precision.sum(axis=1).astype(np.float64)
    return total


def _doubled_losses(sums: _Sums, tied: bool) -> Floats:
    """float64[b]: twice the pairs (right, wrong) in which the wrong answer ranks higher; a tie counts
    once."""
    inverted = sums.accepted - sums.right
    if tied:
        inverted -= (sums.rows - sums.hits) / 2
    inverted *= sums.hits
    total: Floats = 2.0 * inverted.sum(axis=1).astype(np.float64)
    return total
