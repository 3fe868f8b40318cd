"""McNemar's exact test: are the cases that one run alone gets right split like coin tosses?"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Final

import numpy as np

from laya_sweep.metrics.arrays import whole_number

_WHOLE_NUMBERS: Final = 2000
"""Up to so many discordant cases the tail is summed in whole numbers; beyond, in logarithms."""


def mcnemar(a_only: int, b_only: int) -> float:
    """Two-sided exact p-value of `a_only` against `b_only` discordant cases.

    p = min(1, 2 P(X <= min(a_only, b_only))), X ~ Binomial(a_only + b_only, 1/2)

    1.0 without discordant cases: nothing speaks against equality.

    >>> mcnemar(1, 5)
    0.21875
    >>> mcnemar(0, 0)
    1.0
    """
    few, many = sorted((whole_number(a_only, "a_only", least=0), whole_number(b_only, "b_only", least=0)))
    trials = few + many
    if trials > _WHOLE_NUMBERS:
        return _by_logarithms(trials, few)
    tail = sum(comb(trials, k) for k in range(few + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**trials)))


def _by_logarithms(trials: int, few: int) -> float:
    logs = np.append(0.0, np.cumsum(np.log(np.arange(1, trials + 1, dtype=np.float64))))
    k = np.arange(few + 1)
    terms = logs[trials] - logs[k] - logs[trials - k] - trials * np.log(2.0)
    top = float(terms.max())
    return min(1.0, 2.0 * float(np.exp(top)) * float(np.exp(terms - top).sum()))
