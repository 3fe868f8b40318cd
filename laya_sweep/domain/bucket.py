"""The option-count buckets by which the runtime looks up temperatures and thresholds (held against laya in tests)."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from laya_sweep.domain.question import QUESTION_TYPES

#: The largest option count of each size but the last, and the sizes as the runtime names them.
SIZE_ENDS: Final = (2, 5, 10)
SIZES: Final = ("2", "3-5", "6-10", "11+")

#: An option count of each size.
SIZE_COUNTS: Final = (2, 3, 6, 11)

#: Every bucket that an answer can be in; element 4 * type + size, both in their order.
BUCKETS: Final = tuple(f"{kind}:{size}" for kind in QUESTION_TYPES for size in SIZES)


def option_bucket(question_type: str, n_options: int) -> str:
    """The bucket of a question, by its real option count.

    >>> option_bucket("choice", 7)
    'choice:6-10'
    """
    return f"{question_type}:{SIZES[bisect_left(SIZE_ENDS, n_options)]}"
