"""Options under other names: slots and descriptions stay, the words that name the options change."""

from __future__ import annotations

import string
from collections.abc import Sequence
from copy import deepcopy

from laya_sweep.domain.presented import Presented, require_distinct, shown_order
from laya_sweep.domain.question import Question, option_count, option_labels


def rename(question: Question, names: Sequence[str]) -> Presented:
    """The question with canonical option i called `names[i]`, in the order it had.

    Raises:
        ValueError: names are missing or not distinct, or it is a score question, whose levels have numbers.

    >>> rename({"type": "noul", "instructions": "?"}, ["A", "B"]).question["labels"]
    {'false': 'A', 'true': 'B'}
    """
    if question["type"] == "score":
        raise ValueError("Expected a choice or noul question, but got a score question, whose levels have no names")
    count = option_count(question)
    require_distinct(names, count)
    copy, criteria = deepcopy(question), question.get("criteria")
    if question["type"] == "noul":
        copy["labels"] = {"false": names[0], "true": names[1]}
    elif isinstance(criteria, dict):
        copy["criteria"] = dict(zip(names, deepcopy([*criteria.values()]), strict=True))
    else:
        copy["criteria"] = list(names)
    return Presented(copy, tuple(range(count)), shown_order(question), option_labels(question), tuple(names))


def opaque_names(count: int) -> list[str]:
    """Names that mean nothing: A to Z, then key_26, key_27, ...

    >>> opaque_names(28)[24:]
    ['Y', 'Z', 'key_26', 'key_27']
    """
    letters = string.ascii_uppercase
    return [letters[i] if i < len(letters) else f"key_{i}" for i in range(count)]
