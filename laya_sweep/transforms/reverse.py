"""`reverse`: the options in the opposite order, of every question type.

The one permutation that needs no draw, moves every option of an even count, and swaps first and last. Levels keep
their numbers and the sides of a noul their words.
"""

from __future__ import annotations

from laya_sweep.domain.presented import Presented, shown_order
from laya_sweep.domain.question import Question, option_count
from laya_sweep.transforms.permutation import permute
from laya_sweep.transforms.transform import Transform, each_question


def declines(question: Question) -> str | None:
    """One option has no order."""
    return "a single option" if option_count(question) < 2 else None


def reverse(question: Question) -> Presented:
    """The question with its options from last to first."""
    return permute(question, shown_order(question)[::-1])


TRANSFORM = Transform(version=1, declines=declines, show=each_question(reverse))
