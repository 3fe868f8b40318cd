"""Precision over coverage at every distinct level of the runtime's 4-decimal answer_confidence.

At most 10,001 points a slice, so that the curve of a single run holds those of every multirun over min_confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.arrays import Floats, Ints, integers, same_length
from laya_sweep.metrics.cluster import running_effective_n
from laya_sweep.metrics.columns import LEVELS
from laya_sweep.metrics.interval import wilson_bounds
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
    """Rows and right answers at each of the 10,001 levels.

    Attributes:
        rows, hits: int64[10001]; element i counts the answers at level i.
        not_finite: answers whose confidence is not finite (level -1); with any of them there is no curve.
    """

    rows: Ints
    hits: Ints
    not_finite: int = 0

    @classmethod
    def update(cls, level: NDArray[np.integer], correct: NDArray[np.integer]) -> CurveCounts:
        """The counts of some answers; rows with `correct` -1 are unlabelled and left out."""
        if len(correct) and correct.min() < 0:
            labelled = correct >= 0
            level, correct = level[labelled], correct[labelled]
        missing = int(np.count_nonzero(level < 0))
        if missing:
            level, correct = level[level >= 0], correct[level >= 0]
        both = np.bincount(2 * level + correct, minlength=2 * (LEVELS + 1)).reshape(-1, 2)
        return cls(both[:, 0] + both[:, 1], both[:, 1], missing)

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
        return Curve(level / LEVELS, accepted, right, accepted / n, precision, *bounds, n)


def _empty(n: int, reason: str) -> Curve:
    none, counts = np.empty(0), np.empty(0, dtype=np.int64)
    return Curve(none, counts, counts, none, none, none, none, n, reason)


def curve(
    level: ArrayLike,
    correct: ArrayLike,
    confidence: float = 0.95,
    *,
    source: ArrayLike | None = None,
) -> Curve:
    """The precision-coverage curve of one result or slice.

    Args:
        level: integers, shape (n,): 4-decimal answer_confidence times 10,000, -1 where not finite.
        correct: 1 right, 0 wrong, -1 unlabelled; shape (n,). Unlabelled rows are left out.
        confidence: level of the Wilson intervals.
        source: cluster code of each row, shape (n,); the intervals then use the effective number of
            independent rows. None takes every row for its own cluster, which is too narrow for one utterance
            in many languages.

    >>> points = curve([9000, 7000, 7000, 10], [1, 1, 0, -1])
    >>> points.threshold, points.accepted, points.correct
    (array([0.9, 0.7]), array([1, 3]), array([1, 2]))
    """
    levels, right = integers(level, "level"), integers(correct, "correct")
    same_length(level=levels, correct=right)
    for name, column, top in (("level", levels, LEVELS), ("correct", right, 1)):
        if len(column) and not -1 <= column.min() <= column.max() <= top:
            raise ValueError(f"Expected `{name}` in -1 .. {top}, but got {column.min()} .. {column.max()}")
    effective = None
    if source is not None:
        clusters = integers(source, "source")
        same_length(level=levels, source=clusters)
        effective = _effective(levels, right, clusters)
    return CurveCounts.update(levels, right).compute(confidence, effective)


def _effective(level: Ints, correct: Ints, source: Ints) -> Floats:
    """float64[k]: the effective number of accepted rows at each distinct level, descending."""
    labelled = np.flatnonzero((correct >= 0) & (level >= 0))
    order = labelled[np.argsort(-level[labelled], kind="stable")]
    ordered = level[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(order) else order
    return running_effective_n(source[order], correct[order] == 1, ends)
