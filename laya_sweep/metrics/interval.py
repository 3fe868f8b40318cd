"""Intervals of one proportion, and the shape every interval has here.

Wilson's score interval is used for proportions because the usual p +- z s collapses to a point at 0 and 1,
which is where small slices often are: 100 right of 100 is not certainty.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats, number_within


class Interval(NamedTuple):
    """Lower and upper limit of a two-sided interval, in the unit of the metric."""

    low: float
    high: float


class Bounds(NamedTuple):
    """Lower and upper limits of many intervals; element i belongs to the i-th proportion."""

    low: Floats
    high: Floats


@lru_cache(maxsize=16)
def normal_quantile(confidence: float) -> float:
    """z with P(|Z| <= z) = confidence for a standard normal Z.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    level = number_within(confidence, "confidence", 0.0, 1.0, open_low=True)
    if level >= 1.0:
        raise ValueError(f"Expected `confidence` to be below 1, but got {confidence!r}")
    return NormalDist().inv_cdf(0.5 + level / 2)


def wilson_bounds(share: NDArray[np.float64], n: NDArray[np.float64], confidence: float = 0.95) -> Bounds:
    """Wilson limits of many proportions at once.

    Args:
        share: successes / n of each proportion, float64[k] in [0, 1].
        n: trials of each, float64[k], above 0. Not necessarily whole: clustered rows have an effective number
            of trials (see `cluster.effective_n`).
        confidence: two-sided level, such as 0.95.

    Returns:
        `Bounds` of float64[k]; always within [0, 1] and around `share`.

    centre = (p + z^2/2n) / (1 + z^2/n);  half = z / (1 + z^2/n) * sqrt(p(1-p)/n + z^2/4n^2)
    """
    z = normal_quantile(confidence)
    shrink = 1.0 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding may leave 1e-17 at a limit that is 0 or 1 by algebra, or put it a bit inside the share.
    low = np.where(share == 0.0, 0.0, np.clip(centre - half, 0.0, share))
    high = np.where(share == 1.0, 1.0, np.clip(centre + half, share, 1.0))
    return Bounds(low, high)


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of `successes` out of `n`; None when n is 0, where nothing is known.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    >>> wilson(0, 0) is None
    True
    >>> wilson(11, 10)
    Traceback (most recent call last):
    ...
    ValueError: Expected 0 <= `successes` <= `n`, but got 11 of 10
    """
    if not 0 <= successes <= n:
        raise ValueError(f"Expected 0 <= `successes` <= `n`, but got {successes} of {n}")
    if not n:
        normal_quantile(confidence)
        return None
    return _wilson(successes / n, n, normal_quantile(confidence))


def _wilson(share: float, n: float, z: float) -> Interval:
    """`wilson_bounds` of one proportion, in plain floats: a summary asks for thousands."""
    shrink = 1.0 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if share == 0.0 else min(max(centre - half, 0.0), share)
    high = 1.0 if share == 1.0 else max(min(centre + half, 1.0), share)
    return Interval(low, high)
