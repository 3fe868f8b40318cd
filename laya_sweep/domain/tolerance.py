"""The one place where a number meets a limit."""

from __future__ import annotations

import math
from typing import Any, Final

#: Relative and absolute room for rounding, within which a drift counts as equal to its limit.
SLACK: Final = 1e-12


def within(drift: float, limit: float, slack: float = SLACK) -> bool:
    """Whether a drift stays at or below its limit. Equal passes; NaN never does.

    >>> within(0.82 - 0.80, 0.02), within(0.8 - 0.82, -0.02), within(0.80 - 0.78, 0.02, slack=0.0)
    (True, True, False)
    >>> within(float("nan"), 1.0)
    False
    """
    return drift <= limit or math.isclose(drift, limit, rel_tol=slack, abs_tol=slack)


def finite_number(value: Any) -> float | None:  # noqa: ANN401 - whatever a document holds
    """A finite number as float; None for anything else, bools and numbers too large for a float included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
