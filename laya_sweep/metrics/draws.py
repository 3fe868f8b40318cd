"""The replicates of a figure, and the interval that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from laya_sweep.metrics.arrays import Floats, floats, number_within
from laya_sweep.metrics.interval import Interval

NO_REPLICATES: Final = "no bootstrap replicates were asked for"


@dataclass(frozen=True, slots=True)
class Draws:
    """What a figure was in each replicate of the bootstrap, and what is known of its bias.

    Attributes:
        values: float64[replicates]; NaN where a replicate has no value (no row drawn, one class only).
        excess: how far the figure itself may lie above the truth, as an ECE does, since noise in a bin adds
            to it.
        recentre: how many times the bias of the replicates (their mean minus the figure) is taken off them: 0
            for what hardly has any; 1 where replicates alone are biased; 2 where the figure is biased like
            them.
    """

    values: Floats
    excess: float = 0.0
    recentre: int = 0


def mean_draws(parts: Sequence[Draws | None]) -> Draws | None:
    """The replicates of an unweighted mean over slices that were resampled together; None when one lacks
    them."""
    known = [part for part in parts if part is not None]
    if not known or len(known) != len(parts):
        return None
    values = np.mean(np.stack([part.values for part in known]), axis=0)
    return Draws(values, float(np.mean([part.excess for part in known])), known[0].recentre)


def draws_interval(draws: Draws, value: float, confidence: float = 0.95) -> Interval | str:
    """The percentile interval of the replicates of the figure `value`, or the reason why there is none.

    Replicates without value are never dropped: those that are left would be the harmless ones. The excess
    moves the lower limit alone, since nothing tells whether it really is in this figure. The figure is always
    included.

    >>> low, high = draws_interval(Draws(np.arange(101.0), excess=1.0), 50.0)
    >>> round(low, 6), round(high, 6)
    (1.5, 97.5)
    """
    number_within(confidence, "confidence", 0.0, 1.0, open_low=True)
    undefined = int(np.count_nonzero(~np.isfinite(draws.values)))
    if undefined:
        return f"{undefined} of {len(draws.values)} replicates have no value"
    if len(draws.values) < 2:
        return "fewer than 2 replicates"
    tail = (1.0 - confidence) / 2
    low, high = (float(limit) for limit in np.quantile(draws.values, [tail, 1.0 - tail]))
    if draws.recentre:
        shift = draws.recentre * (float(draws.values.mean()) - value)
        low, high = max(0.0, low - shift), min(1.0, high - shift)
    if draws.excess:
        low = max(0.0, low - draws.excess)
    return Interval(min(low, value), max(high, value))


def bootstrap_interval(draws: ArrayLike, value: float, confidence: float = 0.95) -> Interval | str:
    """`draws_interval` over a plain array of replicates, shape (replicates,), of a figure without known bias.

    >>> bootstrap_interval([0.5, float("nan")], 0.5)
    '1 of 2 replicates have no value'
    """
    return draws_interval(Draws(floats(draws, "draws")), value, confidence)
