"""Selective answering: what refusing the least confident answers buys.

Every function cuts at confidence thresholds (definition 2): a group of equal confidences is accepted or
refused as a whole, and a level weighs as many rows as it has. Definition 1, which cut at a row index and
therefore depended on row order, is not offered; its one survivor is `legacy.acc_at_50_coverage`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from laya_sweep.metrics.arrays import NanPolicy, nan_policy, number_within
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.value import Measure

COVERAGE_METRIC_DEFINITION: Final = 2
"""Which definition of a coverage cut these figures follow; a figure of another one must not be subtracted."""


def aurc_of(counts: LevelCounts, nan: NanPolicy = "strict") -> Measure:
    """The area under the risk-coverage curve of counts."""
    refused = counts.refusal(nan)
    if refused is not None:
        return refused
    risk = counts.accepted_hits / counts.accepted
    np.subtract(1.0, risk, out=risk)
    if counts.tied:
        risk *= counts.rows
    return Measure(float(risk.sum()) / counts.n, counts.n)


def ideal_aurc(right: int, n: int) -> float:
    """The least area that any ordering of `right` right answers among `n` can have, without ties.

    All right answers come first; the j-th wrong one then leaves a risk of j / (right + j):
    (1/n) sum_{j=1..n-right} j / (right + j).

    >>> ideal_aurc(1, 2)
    0.25
    """
    wrong = np.arange(1, n - right + 1, dtype=np.float64)
    return float((wrong / (right + wrong)).sum()) / n


def excess_aurc_of(counts: LevelCounts, nan: NanPolicy = "strict") -> Measure:
    """AURC above the ideal one of the same accuracy."""
    area = aurc_of(counts, nan)
    if area.value is None:
        return area
    return Measure(area.value - ideal_aurc(counts.right, counts.n), counts.n)


def augrc_of(counts: LevelCounts, nan: NanPolicy = "strict") -> Measure:
    """The area under the generalised risk-coverage curve of counts."""
    refused = counts.refusal(nan)
    if refused is not None:
        return refused
    n = counts.n
    wrong = counts.accepted - counts.accepted_hits
    # Twice the trapezoids, in whole rows: exact, in whatever order they came.
    doubled = int((counts.rows * (2 * wrong - (counts.rows - counts.hits))).sum())
    return Measure(doubled / (2 * n * n), n)


def selective_accuracy_of(counts: LevelCounts, coverage: float, nan: NanPolicy = "strict") -> Measure:
    """Accuracy of the answers that the smallest sufficient threshold accepts."""
    refused = counts.refusal(nan)
    if refused is not None:
        return refused
    wanted = max(1, math.ceil(coverage * counts.n))
    at = int(np.searchsorted(counts.accepted, wanted, side="left"))
    return Measure(int(counts.accepted_hits[at]) / int(counts.accepted[at]), counts.n)


def aurc(confidence: ArrayLike, correct: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """Area under the risk-coverage curve, one risk a distinct confidence, weighted by its rows; lower is
    better.

    AURC = (1/n) sum_k rows_k (1 - right accepted_k / accepted_k)

    Args:
        confidence: shape (n,).
        correct: 0/1, shape (n,).
        nan: "strict" gives None when a confidence is not finite; "compatible" ranks all NaN last, as one
            group.

    >>> aurc([0.9, 0.8], [1, 0])
    0.25
    >>> aurc([0.7] * 4, [1, 1, 0, 0]) == aurc([0.7] * 4, [0, 0, 1, 1])
    True
    """
    return aurc_of(LevelCounts.of(confidence, correct), nan_policy(nan)).value


def excess_aurc(confidence: ArrayLike, correct: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """AURC minus the area of a perfect ranking with the same number of right answers.

    AURC falls with accuracy alone; what is left here is due to the ranking. 0 for a perfect one.

    >>> excess_aurc([0.9, 0.8], [1, 0])
    0.0
    >>> excess_aurc([0.8, 0.9], [1, 0])
    0.5
    """
    return excess_aurc_of(LevelCounts.of(confidence, correct), nan_policy(nan)).value


def augrc(confidence: ArrayLike, correct: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """Area under the generalised risk-coverage curve (Traub et al. 2024): P(accepted and wrong) over
    coverage.

    By trapezoids between the distinct levels, which gives exactly
    AUGRC = (1 - AUROC) a (1 - a) + (1 - a)^2 / 2 for accuracy a. Unlike AURC it does not weigh the few most
    confident answers above all others.

    >>> augrc([0.9, 0.8], [1, 0])
    0.125
    """
    return augrc_of(LevelCounts.of(confidence, correct), nan_policy(nan)).value


def selective_accuracy(
    confidence: ArrayLike, correct: ArrayLike, coverage: float = 0.5, *, nan: NanPolicy = "strict"
) -> float | None:
    """Accuracy of the most confident answers, at least a share `coverage` of all.

    The threshold is the confidence of the ceil(coverage * n)-th answer, and all answers at it are accepted,
    so the true coverage may be higher than the one asked for.

    Args:
        coverage: in (0, 1].

    >>> selective_accuracy([0.9, 0.8, 0.3, 0.2], [1, 1, 0, 0], coverage=0.5)
    1.0
    >>> selective_accuracy([0.9, 0.8], [1, 0], coverage=0)
    Traceback (most recent call last):
    ...
    ValueError: Expected `coverage` to be a number in (0, 1], but got 0
    """
    share = number_within(coverage, "coverage", 0.0, 1.0, open_low=True)
    return selective_accuracy_of(LevelCounts.of(confidence, correct), share, nan_policy(nan)).value
