"""Rows and right answers at each distinct confidence: what every coverage metric is made of.

A coverage cut is a confidence threshold, and a threshold accepts every answer at its own confidence. So a
group of equal confidences is never split, and the order of the rows cannot matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.arrays import Flags, Floats, Ints, NanPolicy, flags, floats, same_length
from laya_sweep.metrics.value import Measure, not_finite_reason

NO_ANSWERS = "no labelled choice or noul answers"


@dataclass(frozen=True)
class LevelCounts:
    """Counts at each distinct confidence, the most confident first.

    Attributes:
        level: float64[k], strictly descending; a last NaN stands for all NaN confidences together.
        rows: int64[k]; answers at that confidence.
        hits: int64[k]; right ones among them.
    """

    level: Floats
    rows: Ints
    hits: Ints

    @classmethod
    def update(cls, confidence: Floats, correct: Flags) -> LevelCounts:
        """The counts of some answers; `confidence` float64[n] of any value, `correct` bool[n]."""
        if len(confidence) and confidence.min() >= 0.0 and confidence.max() < np.inf:
            return _from_probabilities(confidence, correct)
        return _from_any(confidence, correct)

    @classmethod
    def of(cls, confidence: ArrayLike, correct: ArrayLike) -> LevelCounts:
        """`update` over plain sequences, checked.

        >>> LevelCounts.of([0.5, 0.9, 0.5], [1, 1, 0]).rows
        array([1, 2])
        """
        column, right = floats(confidence, "confidence"), flags(correct, "correct")
        same_length(confidence=column, correct=right)
        return cls.update(column, right)

    @property
    def n(self) -> int:
        """Answers altogether."""
        return int(self.accepted[-1]) if len(self.rows) else 0

    @property
    def right(self) -> int:
        """Right answers altogether."""
        return int(self.accepted_hits[-1]) if len(self.rows) else 0

    @cached_property
    def tied(self) -> bool:
        """Whether any level has more than one row."""
        return int(self.rows.sum()) > len(self.rows)

    @cached_property
    def accepted(self) -> Ints:
        """int64[k]: answers that a threshold at the i-th level accepts."""
        return np.cumsum(self.rows) if self.tied else np.arange(1, len(self.rows) + 1)

    @cached_property
    def accepted_hits(self) -> Ints:
        """int64[k]: right answers among the accepted ones."""
        return np.cumsum(self.hits)

    @cached_property
    def not_finite(self) -> int:
        """Answers whose confidence is NaN or infinite."""
        return int(self.rows[~np.isfinite(self.level)].sum())

    def refusal(self, nan: NanPolicy, empty: str = NO_ANSWERS) -> Measure | None:
        """Why no metric can be read from these counts, or None when one can."""
        if not len(self.rows):
            return Measure.missing(0, empty)
        if nan == "strict" and self.not_finite:
            return Measure.missing(self.n, not_finite_reason(self.not_finite, self.n))
        return None


def descending(values: Floats) -> NDArray[np.intp]:
    """Indices that sort `values` in descending order, stably; NaN comes last."""
    return np.argsort(-values, kind="stable")


def group_starts(ordered: Floats) -> NDArray[np.intp]:
    """Where each group of equal values begins; neighbouring NaN are one group."""
    if not len(ordered):
        return np.empty(0, dtype=np.intp)
    change = ordered[1:] != ordered[:-1]
    if np.isnan(ordered[-1]):
        change &= ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    return np.concatenate([[0], np.flatnonzero(change) + 1])


def _sums(values: Ints, starts: NDArray[np.intp]) -> Ints:
    if not len(starts):
        return np.empty(0, dtype=np.int64)
    return np.add.reduceat(values, starts, dtype=np.int64)


def _from_any(confidence: Floats, correct: Flags) -> LevelCounts:
    order = descending(confidence)
    ordered = confidence[order]
    starts = group_starts(ordered)
    rows = np.diff(starts, append=len(ordered)).astype(np.int64)
    return LevelCounts(ordered[starts], rows, _sums(correct[order].astype(np.int64), starts))


def _from_probabilities(confidence: Floats, correct: Flags) -> LevelCounts:
    """The same for finite values of at least 0, by one sort of integers instead of an argsort and two
    gathers.

    The bits of such a float64 order like the number, and the sign bit is free; shifted up by one, they make
    room for the correct flag below. Several times as fast at a million rows.
    """
    # Adding 0.0 turns -0.0, whose sign bit is set, into 0.0.
    keys = (confidence + 0.0).view(np.uint64)
    keys <<= np.uint64(1)
    keys |= correct.view(np.uint8)
    keys.sort()
    right = (keys & np.uint64(1)).view(np.int64)
    keys >>= np.uint64(1)
    change = keys[1:] != keys[:-1]
    levels = keys.view(np.float64)
    if change.all():
        # One row a level: a view of a single 1 takes no memory.
        return LevelCounts(levels[::-1], np.broadcast_to(np.int64(1), len(keys)), right[::-1])
    starts = np.append(0, np.flatnonzero(change) + 1)
    return LevelCounts(
        levels[starts][::-1],
        np.diff(starts, append=len(keys)).astype(np.int64)[::-1],
        np.add.reduceat(right, starts)[::-1],
    )
