"""A question as a transform shows it, and the way back to the canonical order of its options."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from laya_sweep.domain.question import Question, option_count, option_labels


@dataclass(frozen=True, slots=True)
class Presented:
    """One question as it is shown; "canonical" is the order in which the untouched question names its options.

    Attributes:
        question: in the runtime's form, independent of the one it was made from.
        canonical_indices: canonical index of the option at place i of `question`'s own criteria.
        slots: canonical index of the option in slot s: what the model reads first, second, ...
        canonical_labels: label of canonical option i in the untouched question.
        shown_labels: what canonical option i is called in `question`.
    """

    question: Question
    canonical_indices: tuple[int, ...]
    slots: tuple[int, ...]
    canonical_labels: tuple[str, ...]
    shown_labels: tuple[str, ...]

    @property
    def presented_keys(self) -> tuple[str, ...]:
        """Labels in the order in which the model reads them."""
        return tuple(self.shown_labels[index] for index in self.slots)

    @property
    def canonical_to_transformed(self) -> dict[str, str]:
        """Canonical label -> what it is called here, in canonical order."""
        return dict(zip(self.canonical_labels, self.shown_labels, strict=True))

    @property
    def transformed_to_canonical(self) -> dict[str, str]:
        """What an option is called here -> its canonical label, in canonical order."""
        return dict(zip(self.shown_labels, self.canonical_labels, strict=True))


def as_it_stands(question: Question) -> Presented:
    """The question untouched: an independent copy with identity mappings.

    >>> as_it_stands({"type": "noul", "instructions": "?", "option_order": [1, 0]}).presented_keys
    ('true', 'false')
    """
    return untouched(deepcopy(question))


def untouched(question: Question) -> Presented:
    """The question itself, no copy of it, with identity mappings: for the many cases of a baseline."""
    labels = option_labels(question)
    return Presented(question, tuple(range(len(labels))), shown_order(question), labels, shown_words(question))


def shown_order(question: Question) -> tuple[int, ...]:
    """Canonical index of the option that the question shows in each slot."""
    return tuple(question.get("option_order") or range(option_count(question)))


def shown_words(question: Question) -> tuple[str, ...]:
    """What the model reads as the name of each option, in canonical order; a noul may carry words of its own."""
    words = question.get("labels")
    return option_labels(question) if words is None else (words["false"].strip(), words["true"].strip())


def require_distinct(names: Sequence[str], count: int) -> None:
    """Names for `count` options, each of its own.

    Raises:
        ValueError: there are more or fewer, or two are the same.
    """
    if len(names) != count or len(set(names)) != count:
        raise ValueError(f"Expected {count} different names, but got {list(names)}")
