"""The exact lower confidence bound of one proportion: what may be promised of it, however few the trials.

Clopper and Pearson (Biometrika 26, 1934): the least p under which as many successes as were seen, or more, still have
the probability 1 - confidence. Its coverage is never below the level, which neither Wilson's interval nor a bootstrap
promises; the price is that it is a little low.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log

import numpy as np

from laya_sweep.metrics.arrays import Floats, number_within

_STEPS = 60


def exact_lower_bound(successes: int, n: int, confidence: float = 0.95) -> float:
    """The one-sided Clopper-Pearson lower bound of `successes` out of `n`; 0 where there are none.

    >>> round(exact_lower_bound(29, 29), 4), exact_lower_bound(0, 10)
    (0.9019, 0.0)
    """
    level = number_within(confidence, "confidence", 0.0, 1.0, open_low=True)
    if not 0 <= successes <= n or level >= 1.0:
        raise ValueError(f"Expected 0 <= successes <= n and confidence below 1, but got {successes} of {n}, {level}")
    if not successes:
        return 0.0
    tail = 1.0 - level
    if successes == n:
        return float(tail ** (1.0 / n))
    counts = np.arange(successes, n + 1)
    factorials = _log_factorials(n)
    ways = factorials[n] - factorials[counts] - factorials[n - counts]
    low, high = 0.0, successes / n
    for _ in range(_STEPS):
        middle = (low + high) / 2
        terms = ways + counts * log(middle) + (n - counts) * log(1.0 - middle)
        top = float(terms.max())
        seen = exp(top) * float(np.exp(terms - top).sum())
        low, high = (middle, high) if seen < tail else (low, middle)
    return low


def fewest_trials(target: float, confidence: float) -> int:
    """The fewest trials, all of them successes, whose lower bound reaches a target in (0, 1).

    >>> fewest_trials(0.9, 0.95)
    29
    """
    return int(np.ceil(log(1.0 - confidence) / log(target) - 1e-12))


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> Floats:
    """float64[n + 1]: log of 0!, 1!, .. n!"""
    table: Floats = np.append(0.0, np.cumsum(np.log(np.arange(1, n + 1))))
    return table
