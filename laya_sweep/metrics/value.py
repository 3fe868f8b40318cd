"""One figure, or the reason why there is none.

A metric that cannot be computed must never look like a number: a NaN passes through arithmetic, a zero passes
a gate. So every metric here ends in a `Measure`, which holds a value or says in one sentence why it has none.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric's value over `n` decisions, or the reason for its absence.

    `value` is None exactly when `reason` is given; anything else is a `ValueError`, because a reader that
    finds neither would have to guess.

    >>> Measure(0.82, 100)
    Measure(value=0.82, n=100, reason=None)
    >>> Measure.missing(0, "no labelled choice answers").reason
    'no labelled choice answers'
    """

    value: float | None
    n: int
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != (self.reason is not None):
            raise ValueError(
                f"Expected a value or a reason, and not both, but got value {self.value!r} and reason {self.reason!r}"
            )

    @classmethod
    def missing(cls, n: int, reason: str) -> Measure:
        """A measure without value; `n` is how many decisions there were to score."""
        return cls(None, n, reason)


def not_finite_reason(bad: int, n: int, what: str = "confidences") -> str:
    """The one sentence for non-finite inputs, so that reports and gates can show the same words.

    >>> not_finite_reason(2, 4)
    '2 of 4 confidences are not finite'
    """
    return f"{bad} of {n} {what} are not finite"
