"""Accuracies: means of 0/1 and of absolute errors, as a sum and a count.

`Proportion` and `Total` keep numerator and denominator apart until the end, so that both are exact, and that what
could not be summed is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from laya_sweep.metrics.arrays import Flags, Floats, NanPolicy, flags, floats, nan_policy
from laya_sweep.metrics.value import Measure, not_finite_reason


@dataclass(frozen=True, slots=True)
class Proportion:
    """`successes` of `n`, both exact integers, so that the order of the answers moves no bit.

    >>> Proportion(8, 10).compute().value
    0.8
    """

    successes: int
    n: int

    @classmethod
    def update(cls, correct: Flags) -> Proportion:
        """The counts of some answers; `correct` is boolean, one element a decision."""
        return cls(int(np.count_nonzero(correct)), len(correct))

    def compute(self, empty: str = "no labelled answers") -> Measure:
        """successes / n; without decisions no value, for the reason `empty`."""
        if not self.n:
            return Measure.missing(0, empty)
        return Measure(self.successes / self.n, self.n)


@dataclass(frozen=True, slots=True)
class Total:
    """Sum and count of real-valued terms; terms that are not finite are counted, never summed in silence.

    Finite terms are summed exactly, so that their order is not in the sum, and a mean is the one upstream's reports
    give (its compatible comparison allows nothing, not even a last bit).

    Under "strict" one non-finite term leaves no value. Under "compatible" the terms are summed as they are,
    and the value is missing only where the sum is not a number.

    >>> Total.update(np.array([1.0, 2.0, 6.0])).compute().value
    3.0
    """

    total: float
    n: int
    not_finite: int = 0

    @classmethod
    def update(cls, terms: Floats | Flags) -> Total:
        """The sum of some terms. `terms` is float64[n], or bool[n], whose sum is an exact count."""
        if terms.dtype == np.bool_:
            return cls(float(np.count_nonzero(terms)), len(terms))
        not_finite = int(np.count_nonzero(~np.isfinite(terms)))
        return cls(float(terms.sum()) if not_finite else math.fsum(terms.tolist()), len(terms), not_finite)

    def compute(self, empty: str = "no labelled answers", what: str = "values", nan: NanPolicy = "strict") -> Measure:
        """total / n, or why not."""
        if not self.n:
            return Measure.missing(0, empty)
        if self.not_finite and (nan == "strict" or np.isnan(self.total)):
            return Measure.missing(self.n, not_finite_reason(self.not_finite, self.n, what))
        return Measure(self.total / self.n, self.n)


def accuracy(correct: ArrayLike) -> float | None:
    """Share of right answers: sum(correct) / n.

    Args:
        correct: booleans or 0/1, shape (n,).

    Returns:
        A number in [0, 1], or None when there is no answer.

    >>> accuracy([1, 1, 1, 0])
    0.75
    >>> accuracy([]) is None
    True
    """
    return Proportion.update(flags(correct, "correct")).compute().value


def score_mae(error: ArrayLike, *, nan: NanPolicy = "strict") -> float | None:
    """Mean absolute error of score answers: mean(|error|), in score levels.

    Args:
        error: expected score minus gold, shape (n,), in levels.
        nan: what a non-finite error does; see `nan_policy`.

    >>> score_mae([0.5, -1.5])
    1.0
    >>> score_mae([0.5, float("nan")]) is None
    True
    """
    return Total.update(np.abs(floats(error, "error"))).compute(nan=nan_policy(nan)).value


def within(error: Floats, tolerance: float) -> Flags:
    """Which errors are at most `tolerance` in size; an error equal to it counts as within."""
    kept: Flags = np.abs(error) <= tolerance
    return kept


def tolerance_of(value: object) -> float:
    """A tolerance as a float: finite and not negative, or `ValueError`.

    >>> tolerance_of(-1)
    Traceback (most recent call last):
    ...
    ValueError: Expected `tolerance` to be a finite number of at least 0, but got -1
    """
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        number = float(value)
        if np.isfinite(number) and number >= 0:
            return number
    raise ValueError(f"Expected `tolerance` to be a finite number of at least 0, but got {value!r}")


def score_within(error: ArrayLike, tolerance: float, *, nan: NanPolicy = "strict") -> float | None:
    """Share of score answers whose absolute error is at most `tolerance` levels.

    A NaN error is within nothing; "strict" refuses to hide it in the denominator, "compatible" counts it as a
    miss, as upstream does.

    >>> score_within([0.25, -0.25, 0.3, 1.0], 0.25)
    0.5
    """
    column = floats(error, "error")
    limit = tolerance_of(tolerance)
    if nan_policy(nan) == "strict" and not np.isfinite(column).all():
        return None
    return Proportion.update(within(column, limit)).compute().value
