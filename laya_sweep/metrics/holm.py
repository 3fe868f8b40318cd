"""Holm's correction, for when many slices are judged at once.

Of 51 languages without any change, two or three fall below p = 0.05 by chance. Holm's step-down keeps the
chance of even one false alarm at the level asked for, without assuming that the slices are independent (they
are not).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from laya_sweep.metrics.arrays import Floats, floats


def holm(p_values: ArrayLike) -> Floats:
    """Holm-adjusted p-values, in the order given: reject where they are at most the level.

    adjusted_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)) for ascending p_(1) .. p_(m)

    Args:
        p_values: shape (m,), each in [0, 1]. A missing one must be left out by the caller, who then says so:
            NaN is refused with `ValueError`.

    Returns:
        float64[m]; element i belongs to p_values[i].

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    column = floats(p_values, "p_values")
    if not ((column >= 0) & (column <= 1)).all():
        raise ValueError("Expected `p_values` to lie in [0, 1], but got values outside or not finite")
    order = np.argsort(column, kind="stable")
    stepped = np.minimum(1.0, column[order] * np.arange(len(column), 0, -1))
    adjusted = np.empty_like(column)
    adjusted[order] = np.maximum.accumulate(stepped)
    return adjusted
