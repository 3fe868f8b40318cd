"""AUROC of the confidence as a score for "this answer is right"."""

from __future__ import annotations

from numpy.typing import ArrayLike

from laya_sweep.metrics.arrays import NanPolicy, nan_policy
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.value import Measure


def doubled_wins(counts: LevelCounts) -> int:
    """Twice the Mann-Whitney U: over all pairs of a right and a wrong answer, 2 where the right one is more
    confident, 1 where both are equally confident. An exact integer."""
    misses = counts.rows - counts.hits
    wrong_below = (counts.n - counts.right) - (counts.accepted - counts.accepted_hits)
    return int((counts.hits * (2 * wrong_below + misses)).sum())


def auroc_of(counts: LevelCounts, nan: NanPolicy = "strict") -> Measure:
    """AUROC of counts, or why there is none."""
    refused = counts.refusal(nan)
    if refused is not None:
        return refused
    right, wrong = counts.right, counts.n - counts.right
    if not right or not wrong:
        return Measure.missing(counts.n, "one class only: every answer is " + ("wrong" if wrong else "right"))
    if len(counts.level) == 1:
        return Measure.missing(counts.n, "constant confidence: nothing is ranked")
    return Measure(doubled_wins(counts) / (2 * right * wrong), counts.n)


def auroc(confidence: ArrayLike, correct: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """Chance that a right answer is more confident than a wrong one; a tie counts half.

    None for one class only and for a constant confidence. 0.5 would be arithmetic for the latter, but it
    reads like a measured absence of ranking where nothing was measured.

    Args:
        confidence: shape (n,).
        correct: 0/1, shape (n,).
        nan: "strict" gives None when a confidence is not finite; "compatible" ranks all NaN last, as one
            group.

    >>> auroc([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    0.875
    >>> auroc([0.5, 0.5], [1, 0]) is None
    True
    """
    return auroc_of(LevelCounts.of(confidence, correct), nan_policy(nan)).value
