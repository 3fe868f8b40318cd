"""A case of any corpus and the ways it is shown: as it stands, in another order, under other names."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from laya_sweep.domain.presented import Presented, as_it_stands, shown_order
from laya_sweep.domain.question import Question, option_count
from laya_sweep.domain.settings import BASELINE
from laya_sweep.transforms.permutation import permute, shuffled
from laya_sweep.transforms.rename import opaque_names, rename
from laya_sweep.transforms.transform import described_choices_only

OPTION_ORDER = "option_order"
LABEL_RENAME = "label_rename"


class Input(NamedTuple):
    """What a scorer is asked: a state and its questions in the runtime's form, one choice question."""

    state: Any
    questions: dict[str, Question]


@dataclass(frozen=True, slots=True)
class MetamorphicCase:
    """A state with one choice question of at least two options, each with a description.

    Attributes:
        state, questions: in the runtime's public form; "canonical" is the order of the question's criteria.
        gold_index: canonical index of the right option, None where nobody knows it.

    Raises:
        ValueError: there is another number of questions, another type, or no such option.
    """

    state: Any
    questions: dict[str, Question]
    gold_index: int | None = None

    def __post_init__(self) -> None:
        if len(self.questions) != 1:
            raise ValueError(f"Expected one question a case, but got {len(self.questions)}: {[*self.questions]}")
        if (reason := described_choices_only(self.question)) is not None:
            raise ValueError(f"Expected question {self.qid!r} to be a described choice, but got {reason}")
        gold, count = self.gold_index, option_count(self.question)
        if gold is not None and (isinstance(gold, bool) or not isinstance(gold, int) or not 0 <= gold < count):
            raise ValueError(f"Expected `gold_index` to be None or within 0 .. {count - 1}, but got {gold!r}")

    @property
    def qid(self) -> str:
        """The question's id."""
        return next(iter(self.questions))

    @property
    def question(self) -> Question:
        """The question."""
        return self.questions[self.qid]

    @property
    def canonical_keys(self) -> tuple[str, ...]:
        """Labels of the options in canonical order."""
        return as_it_stands(self.question).canonical_labels


@dataclass(frozen=True, slots=True)
class MetamorphicVariant:
    """One way to show a case: an independent copy of its state and question, with the way back."""

    transform: str
    state: Any
    questions: dict[str, Question]
    presented: Presented

    @property
    def input(self) -> Input:
        """What a scorer is asked."""
        return Input(self.state, self.questions)

    @property
    def presented_keys(self) -> tuple[str, ...]:
        """Labels in the order in which the model reads them."""
        return self.presented.presented_keys

    @property
    def canonical_to_transformed(self) -> dict[str, str]:
        """Canonical label -> what it is called here; itself where only the order changed."""
        return self.presented.canonical_to_transformed

    @property
    def transformed_to_canonical(self) -> dict[str, str]:
        """What an option is called here -> its canonical label."""
        return self.presented.transformed_to_canonical

    @property
    def canonical_indices(self) -> tuple[int, ...]:
        """Canonical index of the option at place i of the question as shown, which is the order scorers answer in."""
        return self.presented.canonical_indices


def untouched(case: MetamorphicCase) -> MetamorphicVariant:
    """The case as it stands, with identity mappings."""
    return _variant(case, BASELINE, as_it_stands(case.question))


def permute_options(case: MetamorphicCase, seed: int) -> MetamorphicVariant:
    """The options in a drawn order; an order that comes out unchanged is turned by one slot.

    The draw is `random.Random(seed)`'s shuffle, as in the published harness; keys and descriptions move together.
    """
    before = shown_order(case.question)
    order = [before[slot] for slot in shuffled(len(before), random.Random(seed))]
    return _variant(case, OPTION_ORDER, permute(case.question, order))


def rename_labels(case: MetamorphicCase) -> MetamorphicVariant:
    """The keys become A, B, ..., Z, key_26, ...; slots and descriptions stay."""
    return _variant(case, LABEL_RENAME, rename(case.question, opaque_names(option_count(case.question))))


def _variant(case: MetamorphicCase, transform: str, presented: Presented) -> MetamorphicVariant:
    return MetamorphicVariant(transform, deepcopy(case.state), {case.qid: presented.question}, presented)
