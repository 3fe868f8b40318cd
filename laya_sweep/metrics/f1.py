"""Macro-F1 over whatever codes the classes have: label codes, or slot indices for the legacy figure.

Averaged over the classes that occur as gold *or* as prediction, which is scikit-learn's default and how the
published 0.7876 came about (a class that is only ever predicted counts with F1 = 0). On the 100 published
English decisions gold slots and predicted slots happen to be the same set, so that figure alone would not
tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.arrays import Ints, integers, same_length
from laya_sweep.metrics.value import Measure

NO_CHOICES = "no labelled choice answers"


class NumberedClasses(NamedTuple):
    """Classes numbered from 0.

    Attributes:
        codes: int64[k], ascending; number -> code. Codes that do not occur may be among them.
        gold, predicted: integers [n]; the number of each row's classes.
    """

    codes: Ints
    gold: NDArray[np.integer]
    predicted: NDArray[np.integer]


def number_classes(gold: NDArray[np.integer], predicted: NDArray[np.integer]) -> NumberedClasses:
    """Numbers for the classes of two columns of one length: by offset where codes are dense, else by sorting.

    >>> number_classes(np.array([5, 6]), np.array([6, 6])).gold
    array([0, 1])
    """
    if not len(gold):
        return NumberedClasses(np.empty(0, dtype=np.int64), gold, predicted)
    low, high = int(min(gold.min(), predicted.min())), int(max(gold.max(), predicted.max()))
    if high - low < 4 * len(gold) + 4096:
        return NumberedClasses(np.arange(low, high + 1, dtype=np.int64), gold - low, predicted - low)
    codes, inverse = np.unique(np.concatenate([gold, predicted]), return_inverse=True)
    return NumberedClasses(codes.astype(np.int64), inverse[: len(gold)], inverse[len(gold) :])


@dataclass(frozen=True)
class ClassCounts:
    """Per class: rows with that gold, rows with that prediction, rows with both.

    Attributes:
        codes: int64[k], ascending; classes that occur as gold or prediction.
        gold, predicted, both: int64[k].
    """

    codes: Ints
    gold: Ints
    predicted: Ints
    both: Ints

    @classmethod
    def update(cls, gold: NDArray[np.integer], predicted: NDArray[np.integer]) -> ClassCounts:
        """The counts of some answers; integer arrays of one length, any codes."""
        codes, golds, predictions = number_classes(gold, predicted)
        width = len(codes)
        counts = cls(
            codes,
            np.bincount(golds, minlength=width),
            np.bincount(predictions, minlength=width),
            np.bincount(golds[golds == predictions], minlength=width),
        )
        return counts._present()

    def _present(self) -> ClassCounts:
        keep = (self.gold + self.predicted) > 0
        return ClassCounts(self.codes[keep], self.gold[keep], self.predicted[keep], self.both[keep])

    @property
    def n(self) -> int:
        """Rows altogether."""
        return int(self.gold.sum())

    def compute(self) -> Measure:
        """Macro-F1, or why not."""
        if not len(self.codes):
            return Measure.missing(0, NO_CHOICES)
        scores = 2 * self.both / (self.gold + self.predicted)
        return Measure(float(scores.mean()), self.n)


def macro_f1(gold: ArrayLike, pred: ArrayLike) -> float | None:
    """Unweighted mean of the per-class F1 = 2 both / (gold + predicted).

    Args:
        gold, pred: integer class codes, shape (n,). With label codes this is `macro_f1`, with slot indices
            `macro_f1_slot`, which compares positions in differently shuffled option lists: a legacy figure.

    >>> macro_f1([0, 0, 1], [0, 1, 1])
    0.6666666666666666
    >>> macro_f1([0], [1])
    0.0
    """
    golds, predictions = integers(gold, "gold"), integers(pred, "pred")
    same_length(gold=golds, pred=predictions)
    return ClassCounts.update(golds, predictions).compute().value
