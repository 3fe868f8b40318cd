"""Precision over coverage at every distinct level of the runtime's 4-decimal answer_confidence.

At most 10,001 integers a slice, so shards merge exactly and a single-run curve holds the points of every
multirun over min_confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.arrays import Flags, Floats, Ints, integers, same_length
from laya_sweep.metrics.columns import LEVELS
from laya_sweep.metrics.interval import Bounds, wilson_bounds
from laya_sweep.metrics.value import not_finite_reason


class Curve(NamedTuple):
    """A precision-coverage curve; element i of every array belongs to the i-th distinct level.

    Attributes:
        threshold: float64[k], strictly descending: level / 10,000, the min_confidence that gives this point.
        accepted: int64[k]; answers at or above the threshold.
        correct: int64[k]; right ones among them.
        coverage: float64[k]; accepted / n.
        precision: float64[k]; correct / accepted.
        low, high: float64[k]; interval of the precision.
        n: labelled answers altogether.
        reason: why there is no point (k = 0), else None.
    """

    threshold: Floats
    accepted: Ints
    correct: Ints
    coverage: Floats
    precision: Floats
    low: Floats
    high: Floats
    n: int
    reason: str | None = None


@dataclass(frozen=True)
class CurveCounts:
    """Rows and right answers at each of the 10,001 levels; `+` merges shards exactly.

    Attributes:
        rows, hits: int64[10001]; element i counts the answers at level i.
        not_finite: answers whose confidence is not finite (level -1); with any of them there is no curve.
    """

    rows: Ints
    hits: Ints
    not_finite: int = 0

    @classmethod
    def update(cls, level: NDArray[np.integer], correct: NDArray[np.integer]) -> CurveCounts:
        """The counts of one shard; rows with `correct` -1 are unlabelled and left out."""
        labelled = correct >= 0
        if not labelled.all():
            level, correct = level[labelled], correct[labelled]
        finite = level >= 0
        missing = len(level) - int(np.count_nonzero(finite))
        if missing:
            level, correct = level[finite], correct[finite]
        rows = np.bincount(level, minlength=LEVELS + 1)
        return cls(rows, np.bincount(level[correct == 1], minlength=LEVELS + 1), missing)

    def __add__(self, other: CurveCounts) -> CurveCounts:
        return CurveCounts(self.rows + other.rows, self.hits + other.hits, self.not_finite + other.not_finite)

    def compute(self, confidence: float = 0.95, effective: Floats | None = None) -> Curve:
        """The curve. `effective`, float64[k], replaces `accepted` in the intervals where rows are
        clustered."""
        n = int(self.rows.sum()) + self.not_finite
        if not n or self.not_finite:
            reason = not_finite_reason(self.not_finite, n) if n else "no labelled choice or noul answers"
            return _empty(n, reason)
        level = np.flatnonzero(self.rows)[::-1]
        accepted, right = np.cumsum(self.rows[level]), np.cumsum(self.hits[level])
        precision = right / accepted
        trials = accepted.astype(np.float64) if effective is None else effective
        bounds = wilson_bounds(precision, trials, confidence)
        single = (trials <= 1.0) if effective is not None else np.zeros(len(level), dtype=bool)
        low, high = _without(bounds, single)
        return Curve(level / LEVELS, accepted, right, accepted / n, precision, low, high, n)


def _without(bounds: Bounds, rows: Flags) -> Bounds:
    return Bounds(np.where(rows, 0.0, bounds.low), np.where(rows, 1.0, bounds.high))


def _empty(n: int, reason: str) -> Curve:
    none, counts = np.empty(0), np.empty(0, dtype=np.int64)
    return Curve(none, counts, counts, none, none, none, none, n, reason)


def curve(level: ArrayLike, correct: ArrayLike, confidence: float = 0.95) -> Curve:
    """The precision-coverage curve of one result or slice.

    Args:
        level: integers, shape (n,): 4-decimal answer_confidence times 10,000, -1 where not finite.
        correct: 1 right, 0 wrong, -1 unlabelled; shape (n,). Unlabelled rows are left out.
        confidence: level of the Wilson intervals, which take the rows for independent.

    >>> points = curve([9000, 7000, 7000, 10], [1, 1, 0, -1])
    >>> points.threshold, points.accepted, points.correct
    (array([0.9, 0.7]), array([1, 3]), array([1, 2]))
    """
    levels, right = integers(level, "level"), integers(correct, "correct")
    same_length(level=levels, correct=right)
    for name, column, top in (("level", levels, LEVELS), ("correct", right, 1)):
        if len(column) and not -1 <= column.min() <= column.max() <= top:
            raise ValueError(f"Expected `{name}` in -1 .. {top}, but got {column.min()} .. {column.max()}")
    return CurveCounts.update(levels, right).compute(confidence)
