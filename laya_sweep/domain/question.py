"""A question in the runtime's own form: its type, its options, its right answer."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

#: A question in the runtime's form: `type`, `instructions`, `criteria`, and what a type takes besides.
Question: TypeAlias = dict[str, Any]

#: Question types by name, in the runtime's order.
QUESTION_TYPES = ("choice", "score", "noul")

#: The id of the one question that an intent suite asks, and of every case of a published document.
INTENT_QUESTION = "intent"


@dataclass(frozen=True, slots=True)
class Target:
    """Option labels in canonical order and, where known, the gold index or (score) the gold number."""

    options: tuple[str, ...]
    gold_index: int | None
    gold_score: float | None


def target_of(question: Question, expected: Any) -> Target:  # noqa: ANN401 - a label, number or bool
    """The target of a question in the runtime's form; `expected` None means unlabelled.

    Raises:
        ValueError: the gold answer is none of the options.
    """
    options = option_labels(question)
    if expected is None:
        return Target(options, None, None)
    if question["type"] == "score":
        if isinstance(expected, bool) or not isinstance(expected, int | float) or not math.isfinite(expected):
            raise ValueError(f"Expected the gold score to be a finite number, but got {expected!r}")
        return Target(options, None, float(expected))
    if question["type"] == "noul":
        if not isinstance(expected, bool):
            raise ValueError(f"Expected the gold answer to be true or false, but got {expected!r}")
        return Target(options, int(expected), None)
    labels = list(question["criteria"])
    found = label_index(labels, expected)
    if found is None:
        raise ValueError(f"Expected the gold answer to be one of {labels}, but got {expected!r}")
    return Target(options, found, None)


def label_index(labels: Iterable[Any], given: object) -> int | None:
    """Where a label stands among others, found by value and type: the label "1" is not the number 1, nor 1 true.

    >>> label_index(["1", 1, True], True), label_index(["1"], 1)
    (2, None)
    """
    found = (i for i, label in enumerate(labels) if label == given and type(label) is type(given))
    return next(found, None)


def option_labels(question: Question) -> tuple[str, ...]:
    """Labels of a choice, level numbers of a score, `false` and `true` of a noul."""
    if question["type"] == "noul":
        return ("false", "true")
    if question["type"] == "score":
        return tuple(str(level) for level in range(len(question["criteria"])))
    return label_names(question["criteria"])


def label_names(labels: Iterable[Any]) -> tuple[str, ...]:
    """A text for each label of a choice; where two would share it, as 1 and "1" do, each label as JSON writes it.

    >>> label_names(["b", 1]), label_names(["1", 1])
    (('b', '1'), ('"1"', '1'))
    """
    values = [*labels]
    texts = tuple(str(label) for label in values)
    alike = len(set(texts)) < len(texts)
    return tuple(json.dumps(label, ensure_ascii=False) for label in values) if alike else texts


def option_count(question: Question) -> int:
    """Options of a question in the runtime's form: labels, levels, or the two sides of a noul."""
    return 2 if question["type"] == "noul" else len(question["criteria"])


def described(question: Question) -> bool:
    """Whether each option of a choice has a description; None and "" are none, as the runtime has it."""
    criteria = question["criteria"]
    return isinstance(criteria, dict) and all(text not in (None, "") for text in criteria.values())
