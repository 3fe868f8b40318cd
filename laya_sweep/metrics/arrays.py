"""Array types, and the checks that every public function makes on what it is handed.

Metrics are called from notebooks with lists, from the sweep with arrays and from tests with nonsense; all
three come in here, so that a wrong input is one sentence and never a wrong number.
"""

from __future__ import annotations

from collections.abc import Sized
from numbers import Integral, Real
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
NanPolicy: TypeAlias = Literal["strict", "compatible"]


def floats(values: ArrayLike, name: str) -> Floats:
    """`values` as a one-dimensional float64 array; `ValueError` for any other number of dimensions.

    >>> floats([0.5, 1], "confidence")
    array([0.5, 1. ])
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"Expected `{name}` to have one dimension, but got shape {array.shape}")
    return array


def integers(values: ArrayLike, name: str) -> Ints:
    """`values` as a one-dimensional int64 array; floats are refused, since 1.7 is no label code.

    >>> integers([], "gold")
    array([], dtype=int64)
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"Expected `{name}` to have one dimension, but got shape {array.shape}")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"Expected `{name}` to hold integers, but got {array.dtype}")
    return array.astype(np.int64, copy=False)


def flags(values: ArrayLike, name: str) -> Flags:
    """`values` (booleans, or numbers that are 0 or 1) as a one-dimensional boolean array.

    >>> flags([1, 0], "correct")
    array([ True, False])
    >>> flags([1, -1], "correct")
    Traceback (most recent call last):
    ...
    ValueError: Expected `correct` to hold only 0 and 1, but got -1
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"Expected `{name}` to have one dimension, but got shape {array.shape}")
    if array.dtype == np.bool_:
        return array
    as_bool = array.astype(np.bool_)
    odd = array != as_bool
    if odd.any():
        raise ValueError(f"Expected `{name}` to hold only 0 and 1, but got {array[odd][0]}")
    return as_bool


def same_length(**columns: Sized) -> int:
    """The common length of the named columns; `ValueError` names the ones that differ.

    >>> same_length(confidence=[1, 2], correct=[1])
    Traceback (most recent call last):
    ...
    ValueError: Expected columns of one length, but got confidence 2, correct 1
    """
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise ValueError(f"Expected columns of one length, but got {shown}")
    return next(iter(lengths.values()))


def whole_number(value: object, name: str, least: int = 1) -> int:
    """`value` as an int of at least `least`. A bool is refused: `bins=True` is a mistake, not one bin.

    >>> whole_number(0, "bins")
    Traceback (most recent call last):
    ...
    ValueError: Expected `bins` to be an integer of at least 1, but got 0
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"Expected `{name}` to be an integer of at least {least}, but got {value!r}")
    return int(value)


def number_within(value: object, name: str, low: float, high: float, *, open_low: bool = False) -> float:
    """`value` as a finite float in [low, high], or in (low, high] with `open_low`.

    >>> number_within(0.5, "coverage", 0.0, 1.0, open_low=True)
    0.5
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        number = float(value)
        if np.isfinite(number) and (low < number if open_low else low <= number) and number <= high:
            return number
    bracket = "(" if open_low else "["
    raise ValueError(f"Expected `{name}` to be a number in {bracket}{low:g}, {high:g}], but got {value!r}")


def nan_policy(value: str) -> NanPolicy:
    """`value` if it is one of the two policies for non-finite numbers.

    "strict" gives no value as soon as one input is not finite; "compatible" gives the value that `laya.evals`
    gives, for reports that must equal upstream's.
    """
    if value == "strict":
        return "strict"
    if value == "compatible":
        return "compatible"
    raise ValueError(f"Expected `nan` to be 'strict' or 'compatible', but got {value!r}")
