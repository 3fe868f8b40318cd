"""How rows are padded, and whether they share a call: a rule, whose version is identity of the facts.

Bytes depend on the case alone: a row is padded to a length and a number of options computed from itself, and only rows
of one shape share a call, if any do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

#: Rows are padded to a multiple of this many tokens ...
LENGTH_MULTIPLE = 16

#: ... and to at least this many option slots. The scorer multiplies a matrix of (rows x slots) vectors, and below
#: 16 of them torch takes other kernels: a noul alone in its batch differed in the last bit from one among others.
LEAST_OPTIONS = 16

#: An exported graph takes the two most probable options of a row, so that it needs two slots.
_LEAST_OWN = 2


class Shape(NamedTuple):
    """The padded shape of a row: tokens, option slots."""

    length: int
    options: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A rule.

    Attributes:
        rows_together: whether rows of one shape share a call; where they would move each other it is False, and a call
            is what the runtime makes it: the questions of one case.
        shape: tokens and options of a row, and the most tokens that are read -> its padded shape.
        identity: the rule and its version, as cells have it.
    """

    rows_together: bool
    shape: Callable[[int, int, int], Shape]
    identity: dict[str, Any]


def padded_shape(tokens: int, options: int, max_len: int) -> Shape:
    """The shape a row of so many tokens and options is padded to.

    Length: the next multiple of 16, but not beyond `max_len` where the row fits it. Options: the next power of
    two from 16 on.
    """
    length = -(-tokens // LENGTH_MULTIPLE) * LENGTH_MULTIPLE
    return Shape(min(length, max(max_len, tokens)), max(LEAST_OPTIONS, 1 << (options - 1).bit_length()))


def own_shape(tokens: int, options: int, max_len: int) -> Shape:
    """The shape of a row by itself: no padding but a second option slot, whatever `max_len`."""
    return Shape(tokens, max(_LEAST_OWN, options))


#: Rows of one padded shape together.
BY_SHAPE = Layout(True, padded_shape, {"version": 2, "length_multiple": LENGTH_MULTIPLE})

#: The questions of a case in one call, padded to the longest of them.
BY_CASE = Layout(False, own_shape, {"version": 1, "rows": "case"})
