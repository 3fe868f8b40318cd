"""How far is too far: the one place where a figure meets a limit.

Two modes. "compatible" repeats upstream's arithmetic, so that a verdict is the one `laya-evals` gives. "strict"
is for results of this package, which know enough about themselves to be asked more: see
`docs/gates.md` for the list of what it refuses or forgives beyond that.
"""

from __future__ import annotations

import math
from typing import Any, Final, Literal, TypeAlias

from laya_sweep.gates.scorecard import Scorecard

Mode: TypeAlias = Literal["compatible", "strict"]

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


def slack_of(mode: Mode) -> float:
    """The room that figures of a mode have against limits of thresholds, tolerances and absolute rules."""
    return SLACK if mode == "strict" else 0.0


def mode_of(asked: Mode | None, candidate: Scorecard, baseline: Scorecard | None) -> Mode:
    """The mode asked for; else strict where all sides are ours."""
    if asked is not None:
        return asked
    return "strict" if candidate.ours and (baseline is None or baseline.ours) else "compatible"


def finite_number(value: Any) -> float | None:  # noqa: ANN401 - whatever a document holds
    """A finite number as float; None for anything else, bools and numbers too large for a float included."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
