"""How strictly two results are held against each other.

Two modes. "compatible" repeats upstream's arithmetic, so that a verdict is the one `laya-evals` gives. "strict"
is for results of this package, which know enough about themselves to be asked more: see
`docs/gates.md` for the list of what it refuses or forgives beyond that.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from laya_sweep.domain.tolerance import SLACK
from laya_sweep.gates.scorecard import Scorecard

Mode: TypeAlias = Literal["compatible", "strict"]


def slack_of(mode: Mode) -> float:
    """The room that figures of a mode have against limits of thresholds, tolerances and absolute rules."""
    return SLACK if mode == "strict" else 0.0


def mode_of(asked: Mode | None, candidate: Scorecard, baseline: Scorecard | None) -> Mode:
    """The mode asked for; else strict where all sides are ours."""
    if asked is not None:
        return asked
    return "strict" if candidate.ours and (baseline is None or baseline.ours) else "compatible"
