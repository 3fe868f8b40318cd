"""Coverage, abstention and precision at a min_confidence, as the runtime's gate decides.

The runtime compares the answer_confidence that it has rounded to 4 decimals, in float64, and abstains *below*
the threshold: an answer at it is kept. Here that rounded number is an integer `level` (times 10,000), so a
float32 0.7 cannot fall below 0.7. None is no threshold at all; 0.0 is one, the control arm, and accepts every
answer. Under a map each answer meets the threshold of its own option-count bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import floor
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.domain.bucket import BUCKETS, SIZE_ENDS, SIZES
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.metrics.accuracy import Proportion
from laya_sweep.metrics.arrays import Flags, Ints, flags, integers, number_within, same_length
from laya_sweep.metrics.columns import LEVELS
from laya_sweep.metrics.levels import NO_ANSWERS
from laya_sweep.metrics.value import Measure, not_finite_reason


def cut_level(min_confidence: float) -> int:
    """The lowest level that `min_confidence` keeps: the least k with k / 10,000 >= min_confidence in float64.

    >>> cut_level(0.7), cut_level(0.0), cut_level(0.70001)
    (7000, 0, 7001)
    """
    threshold = number_within(min_confidence, "min_confidence", 0.0, 1.0)
    # The product may be off by a rounding either way; the division decides.
    cut = max(0, floor(threshold * LEVELS) - 1)
    while cut / LEVELS < threshold:
        cut += 1
    return cut


@dataclass(frozen=True, slots=True)
class BucketCuts:
    """The lowest level that a map keeps in each bucket; `cuts` is in order of `BUCKETS`."""

    cuts: tuple[int, ...]

    def of_rows(self, question_type: NDArray[np.integer], n_options: NDArray[np.integer]) -> Ints:
        """int64[n]: the lowest level that is kept of each decision; arguments as in `DecisionColumns`.

        >>> cut_of(BucketThresholds.of({"choice:3-5": 0.7})).of_rows(np.array([0, 0]), np.array([5, 6]))
        array([7000,    0])
        """
        size = np.searchsorted(SIZE_ENDS, n_options, side="left")
        least: Ints = np.array(self.cuts, dtype=np.int64)[question_type.astype(np.intp) * len(SIZES) + size]
        return least


#: What a threshold keeps: the levels from one on, whatever the question, or from one on in each bucket.
Cut: TypeAlias = int | BucketCuts


def cut_of(min_confidence: float | BucketThresholds) -> Cut:
    """The cut of a threshold or of a map of them."""
    if isinstance(min_confidence, BucketThresholds):
        return BucketCuts(tuple(cut_level(min_confidence.at(bucket)) for bucket in BUCKETS))
    return cut_level(min_confidence)


@dataclass(frozen=True, slots=True)
class ThresholdCounts:
    """Answers, accepted ones and right ones among those, at one threshold."""

    n: int
    accepted: int
    right: int
    not_finite: int

    @classmethod
    def update(cls, level: NDArray[np.integer], correct: Flags, cut: int | Ints) -> ThresholdCounts:
        """The counts of some answers; `level` as in `DecisionColumns`, `cut` from `cut_level`, one or one a row."""
        kept = level >= cut
        right = np.count_nonzero(kept & correct)
        return cls(len(level), int(np.count_nonzero(kept)), int(right), int(np.count_nonzero(level < 0)))

    def _refusal(self) -> Measure | None:
        if not self.n:
            return Measure.missing(0, NO_ANSWERS)
        if self.not_finite:
            return Measure.missing(self.n, not_finite_reason(self.not_finite, self.n))
        return None

    def coverage(self) -> Measure:
        """Share of answers that are kept."""
        return self._refusal() or Proportion(self.accepted, self.n).compute()

    def abstention_rate(self) -> Measure:
        """Share of answers that are withheld: 1 - coverage."""
        return self._refusal() or Proportion(self.n - self.accepted, self.n).compute()

    def selective_precision(self) -> Measure:
        """Accuracy of the kept answers; `n` is how many were kept."""
        kept = Proportion(self.right, self.accepted)
        return self._refusal() or kept.compute("no answer reaches the threshold")


def threshold_counts(level: NDArray[np.integer], correct: Flags, cuts: Sequence[int]) -> dict[int, ThresholdCounts]:
    """cut -> the counts of some answers, for all thresholds from one count by how many a level passes.

    Args:
        cuts: ascending levels, one a threshold.

    >>> threshold_counts(np.array([9, 5]), np.array([True, False]), (5, 9))[9]
    ThresholdCounts(n=2, accepted=1, right=1, not_finite=0)
    """
    place = _twice_passed(tuple(cuts))[level]
    place += correct
    cells = np.bincount(place, minlength=2 * len(cuts) + 2).reshape(-1, 2)
    above = np.cumsum(cells[::-1], axis=0)[::-1].tolist()
    missing = int(np.count_nonzero(level < 0))
    return {
        cut: ThresholdCounts(len(level), wrong + right, right, missing)
        for cut, (wrong, right) in zip(cuts, above[1:], strict=True)
    }


@cache
def _twice_passed(cuts: tuple[int, ...]) -> NDArray[np.intp]:
    """Level -> twice the number of cuts that it passes: even places count wrong answers, odd ones right ones."""
    # The last place is that of level -1, which passes nothing.
    return 2 * np.append(np.searchsorted(cuts, np.arange(LEVELS + 1), side="right"), 0)


def _counts(level: ArrayLike, correct: ArrayLike, min_confidence: float) -> ThresholdCounts:
    levels, right = integers(level, "level"), flags(correct, "correct")
    same_length(level=levels, correct=right)
    return ThresholdCounts.update(levels, right, cut_level(min_confidence))


def coverage(level: ArrayLike, min_confidence: float) -> float | None:
    """Share of answers whose level (answer_confidence to 4 decimals, times 10,000) is at or above the
    threshold.

    >>> coverage([9000, 7000, 6999], 0.7)
    0.6666666666666666
    """
    levels = integers(level, "level")
    return _counts(levels, np.zeros(len(levels), dtype=bool), min_confidence).coverage().value


def abstention_rate(level: ArrayLike, min_confidence: float) -> float | None:
    """Share of answers below the threshold.

    >>> abstention_rate([9000, 7000, 6999, 10], 0.7)
    0.5
    """
    levels = integers(level, "level")
    return _counts(levels, np.zeros(len(levels), dtype=bool), min_confidence).abstention_rate().value


def selective_precision(level: ArrayLike, correct: ArrayLike, min_confidence: float) -> float | None:
    """Accuracy of the answers at or above the threshold; None when none is.

    >>> selective_precision([9000, 7000, 6999], [1, 0, 1], 0.7)
    0.5
    """
    return _counts(level, correct, min_confidence).selective_precision().value
