"""The accuracy at 50% coverage of the older harness, kept for its published figures only."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laya_sweep.metrics.arrays import Flags, Floats, flags, floats, same_length
from laya_sweep.metrics.levels import NO_ANSWERS, descending
from laya_sweep.metrics.value import Measure, not_finite_reason


def half_rows(n: int) -> int:
    """How many rows the legacy cut keeps of `n`: n // 2, but at least one."""
    return max(1, n // 2)


def acc_at_50_coverage_of(confidence: Floats, correct: Flags) -> Measure:
    """The legacy figure with its reason; rows in the order in which they were decided."""
    n = len(confidence)
    if not n:
        return Measure.missing(0, NO_ANSWERS)
    bad = int(np.count_nonzero(~np.isfinite(confidence)))
    if bad:
        return Measure.missing(n, not_finite_reason(bad, n))
    kept = correct[descending(confidence)[: half_rows(n)]]
    return Measure(int(np.count_nonzero(kept)) / len(kept), n)


def acc_at_50_coverage(confidence: ArrayLike, correct: ArrayLike) -> float | None:
    """Accuracy of the first max(1, n // 2) rows by descending confidence, ties in row order.

    This cut splits groups of equal confidences, so row order may change it: 40 tied answers give 1.0 or 0.0.
    It exists because published reports hold it; use `selective_accuracy` for anything else. The publisher's
    own sort was not stable, so with ties at the cut even equal rows may differ from a published figure.

    >>> acc_at_50_coverage([0.9, 0.9, 0.1], [0, 1, 1])
    0.0
    """
    column, right = floats(confidence, "confidence"), flags(correct, "correct")
    same_length(confidence=column, correct=right)
    return acc_at_50_coverage_of(column, right).value
