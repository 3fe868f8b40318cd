"""What answering without looking would have scored, and how varied the answers were.

An accuracy means little without these beside it: a model that always says the commonest label, or always
takes the first option, can equal a headline figure.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laya_sweep.metrics.accuracy import Proportion
from laya_sweep.metrics.arrays import integers
from laya_sweep.metrics.f1 import NO_CHOICES, ClassCounts
from laya_sweep.metrics.value import Measure


def majority_of(counts: ClassCounts, empty: str = NO_CHOICES) -> Measure:
    """Share of the commonest gold class."""
    if not counts.n:
        return Measure.missing(0, empty)
    return Measure(int(counts.gold.max()) / counts.n, counts.n)


def distinct_of(counts: ClassCounts, empty: str = NO_CHOICES) -> Measure:
    """How many classes were predicted at least once."""
    if not counts.n:
        return Measure.missing(0, empty)
    return Measure(float(np.count_nonzero(counts.predicted)), counts.n)


def majority_baseline(gold: ArrayLike) -> float | None:
    """Accuracy of always answering the commonest gold label: max_c count(c) / n.

    The commonest label is found on the same rows that it is scored on, so this is the best any constant
    answer can do, also where that label was not among a row's options.

    >>> majority_baseline([3, 3, 1])
    0.6666666666666666
    """
    golds = integers(gold, "gold")
    return majority_of(ClassCounts.update(golds, golds)).value


def first_option_baseline(gold_index: ArrayLike) -> float | None:
    """Accuracy of always answering the first option of the canonical order: share of gold slot 0.

    >>> first_option_baseline([0, 4, 0, 1])
    0.5
    """
    return Proportion.update(integers(gold_index, "gold_index") == 0).compute().value


def distinct_predictions(pred: ArrayLike) -> float | None:
    """Number of different answers given; 1 betrays a constant model.

    >>> distinct_predictions([2, 2, 5])
    2.0
    """
    predictions = integers(pred, "pred")
    return distinct_of(ClassCounts.update(predictions, predictions)).value
