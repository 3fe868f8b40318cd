"""Calibration: does an answer given with confidence c turn out right in a share c of cases?

`ece` (equal-width bins), `brier` (confidence as P(correct)), `nll` (probability of the gold answer) and
`mean_confidence`. All read answer_confidence, the probability of the reported answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.accuracy import Total
from laya_sweep.metrics.arrays import (
    Flags,
    Floats,
    Ints,
    NanPolicy,
    flags,
    floats,
    nan_policy,
    same_length,
    whole_number,
)
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.value import Measure, not_finite_reason

#: Bins of an ECE that nobody asks for otherwise.
BINS: Final = 15

NO_CONFIDENCE = "no labelled choice or noul answers"


def bin_index(confidence: Floats, bins: int) -> NDArray[np.intp]:
    """The bin of each confidence in [0, 1]: bin i is (i/bins, (i+1)/bins], the first one closed at 0.

    The edges are `numpy.linspace(0, 1, bins + 1)`, compared in float64, as upstream compares them: 0.2 lies
    below or above an edge by its bits and not by its decimal digits.

    >>> bin_index(np.array([0.0, 0.5, 1.0]), 2)
    array([0, 0, 1])
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    # A product can only miss the right bin by one, at an edge; two look-ups mend it faster than a search.
    index = np.ceil(confidence * bins).astype(np.intp) - 1
    np.clip(index, 0, bins - 1, out=index)
    index += confidence > edges[index + 1]
    index -= (confidence <= edges[index]) & (index > 0)
    return index


def clip_confidence(confidence: Floats) -> Floats:
    """Confidences brought into [0, 1]: float32 softmax may give 1.0000001, which is a 1 and not an
    outlier."""
    return np.clip(confidence, 0.0, 1.0)


class BinnedRows(NamedTuple):
    """Where each row falls, and what it adds there.

    Attributes:
        kept: bool[n], the rows that are in a bin at all; None when all are.
        bins: intp[m], the bin of each kept row.
        gap: float64[m], confidence - correct of each kept row, the confidence clipped to [0, 1].
        clipped, not_finite: how many confidences were clipped, how many are NaN or infinite.
    """

    kept: Flags | None
    bins: NDArray[np.intp]
    gap: Floats
    clipped: int
    not_finite: int


def bin_rows(confidence: Floats, correct: Flags, bins: int, nan: NanPolicy = "strict") -> BinnedRows:
    """The bin and gap of each row. Under "compatible" a confidence outside [0, 1] is in no bin, as
    upstream."""
    outside = ~((confidence >= 0.0) & (confidence <= 1.0))
    if not outside.any():
        return BinnedRows(None, bin_index(confidence, bins), confidence - correct, 0, 0)
    finite = np.isfinite(confidence)
    not_finite = len(finite) - int(np.count_nonzero(finite))
    kept = finite if nan == "strict" else ~outside
    clipped = int(np.count_nonzero(outside & kept))
    inside = clip_confidence(confidence[kept])
    return BinnedRows(kept, bin_index(inside, bins), inside - correct[kept], clipped, not_finite)


@dataclass(frozen=True, slots=True)
class CalibrationBins:
    """Per bin: rows, and the sum of (confidence - correct).

    Attributes:
        gap: float64[bins]; sum of confidence - correct of the rows in the bin.
        rows: int64[bins].
        n: rows altogether, whether or not they fell into a bin.
        clipped: how many confidences were brought into [0, 1].
        not_finite: how many confidences are NaN or infinite; they are in no bin.
    """

    gap: Floats
    rows: Ints
    n: int = 0
    clipped: int = 0
    not_finite: int = 0

    @classmethod
    def update(cls, confidence: Floats, correct: Flags, bins: int = BINS, nan: NanPolicy = "strict") -> CalibrationBins:
        """The bins of some answers; `confidence` is float64[n], `correct` bool[n]."""
        found = bin_rows(confidence, correct, bins, nan)
        # An empty bincount is of integers, whatever its weights.
        gap = np.bincount(found.bins, weights=found.gap, minlength=bins).astype(np.float64, copy=False)
        rows = np.bincount(found.bins, minlength=bins)
        return cls(gap, rows, len(confidence), found.clipped, found.not_finite)

    @classmethod
    def of_levels(cls, counts: LevelCounts, bins: int) -> CalibrationBins:
        """The bins of rows that have been sorted already, by the 16 places where one bin ends and the next
        begins.

        Only for confidences that are all finite and in [0, 1], where no policy is needed.
        """
        level = counts.level[::-1]
        ends = np.searchsorted(level, np.linspace(0.0, 1.0, bins + 1)[1:], side="right")
        gaps = (counts.level * counts.rows if counts.tied else counts.level) - counts.hits
        # Answers below each edge, from the top: what a threshold just above the edge does not accept.
        below = counts.n - np.append(counts.accepted[::-1], 0)[ends] if counts.tied else ends
        return cls(_span_sums(gaps[::-1], ends), np.diff(below, prepend=0).astype(np.int64), counts.n)

    def compute(self, nan: NanPolicy = "strict", empty: str = NO_CONFIDENCE) -> Measure:
        """sum over bins |gap| / n, or why not."""
        if not self.n:
            return Measure.missing(0, empty)
        if self.not_finite and nan == "strict":
            return Measure.missing(self.n, not_finite_reason(self.not_finite, self.n))
        return Measure(float(np.abs(self.gap).sum()) / self.n, self.n)


def _span_sums(values: NDArray[Any], ends: NDArray[np.intp]) -> Floats:
    """float64: the sums of values[0:ends[0]], values[ends[0]:ends[1]], .."""
    starts = np.append(0, ends[:-1])
    return np.array([values[a:b].sum() for a, b in zip(starts, ends, strict=True)], dtype=np.float64)


def ece(confidence: ArrayLike, correct: ArrayLike, bins: int = BINS, *, nan: NanPolicy = "strict") -> float | None:
    """Expected calibration error over equal-width bins.

    ECE = sum_b (n_b / n) |mean confidence in b - accuracy in b| = sum_b |sum_b (confidence - correct)| / n

    Args:
        confidence: shape (n,); values just outside [0, 1] are clipped.
        correct: 0/1, shape (n,).
        bins: number of bins, at least 1; the first is closed at 0, each is closed above.
        nan: "strict" gives None when a confidence is not finite; "compatible" gives upstream's value, in
            which such a row is in no bin but in the denominator, and so is one outside [0, 1].

    >>> ece([0.95, 1.0], [1, 0])
    0.475
    >>> ece([0.0], [1]), ece([1.0000001], [0])
    (1.0, 1.0)
    >>> ece([0.9, float("nan")], [1, 0]) is None
    True
    """
    column, right = floats(confidence, "confidence"), flags(correct, "correct")
    same_length(confidence=column, correct=right)
    count = whole_number(bins, "bins")
    policy = nan_policy(nan)
    return CalibrationBins.update(column, right, count, policy).compute(policy).value


def squared_errors(confidence: Floats, correct: Flags) -> Floats:
    """(confidence - correct)^2 of each row, the terms of the Brier score."""
    difference = confidence - correct
    difference *= difference
    return difference


def brier(confidence: ArrayLike, correct: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """Brier score of the confidence as probability of being right: mean((confidence - correct)^2).

    >>> brier([1.0, 0.5], [1, 0])
    0.125
    """
    column, right = floats(confidence, "confidence"), flags(correct, "correct")
    same_length(confidence=column, correct=right)
    return Total.update(squared_errors(column, right)).compute(nan=nan_policy(nan)).value


def mean_confidence(confidence: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """Mean answer_confidence.

    >>> mean_confidence([0.5, 1.0])
    0.75
    """
    return Total.update(floats(confidence, "confidence")).compute(nan=nan_policy(nan)).value


def surprisals(p_gold: Floats) -> Floats:
    """-ln p of each gold probability, in nats; infinite where p is 0, NaN where it is NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        nats: Floats = -np.log(p_gold)
    return nats


def nll(p_gold: ArrayLike) -> float | None:
    """Negative log-likelihood of the gold answers: mean(-ln p_gold), in nats.

    None when a probability is 0, negative or NaN: an infinite mean compares with nothing.

    >>> nll([1.0, 1.0])
    0.0
    >>> nll([0.5, 0.0]) is None
    True
    """
    value = Total.update(surprisals(floats(p_gold, "p_gold"))).compute().value
    # -ln 1 is -0.0 in floating point; nobody should read a minus sign there.
    return None if value is None else value + 0.0
