"""The checks by name. A new one is a class here: the texts it takes, and the probes it makes of them; the rest follows.

A check asks questions whose right answer nobody needs to know, because only the way they are presented changes. Its
figure is the mean of its readings over states and configurations; its name is the metric's.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any, Final, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from laya_sweep.domain.checked import Document, Name, Refusal, Takes, among, refuse
from laya_sweep.suites.check_probe import Floats, Probe, ProbeReading

#: Texts, words or numbers of levels that a document may give a check.
MOST_TEXTS: Final = 20

#: All orders of more levels than this are too many to ask.
MOST_PERMUTED: Final = 4

#: What to do about a fault of a document.
CORRECT: Final = "correct the document"


def _distinct(values: list[Any]) -> list[Any]:
    if all(value not in values[:i] for i, value in enumerate(values)):
        return values
    raise ValueError("twice")


DISTINCT = AfterValidator(_distinct)

ShownText = Annotated[Name, Takes("a text", CORRECT)]


class CheckTexts(Document):
    """The texts of a check as a document gives them: each field says what it takes."""

    @abstractmethod
    def probes(self) -> Iterator[Probe]:
        """One probe a configuration."""

    @model_validator(mode="after")
    def _names_apart(self) -> Self:
        ids = [qid for probe in self.probes() for qid in probe.question_ids("")]
        if len(set(ids)) < len(ids):
            refuse(Refusal((), "texts that name each configuration apart", self, CORRECT, "two of one name"))
        return self


class ScoreSlot0Identical(CheckTexts):
    """Whether slot 0 of a score is suppressed: K levels of one text, so that a level is its position alone.

    Reading: raw logit of slot 0 minus the mean over the K slots, in logits; 0 without a position prior.
    """

    instructions: ShownText
    texts: Annotated[
        list[Name],
        Field(min_length=1, max_length=MOST_TEXTS),
        DISTINCT,
        Takes(f"1 to {MOST_TEXTS} distinct texts", CORRECT, whole=True),
    ]
    levels: Annotated[
        list[Annotated[int, Field(ge=2, le=MOST_TEXTS)]],
        Field(min_length=1, max_length=MOST_TEXTS),
        DISTINCT,
        Takes(f"distinct numbers of levels, each from 2 to {MOST_TEXTS}", CORRECT, whole=True),
    ]

    def probes(self) -> Iterator[Probe]:
        for text, count in itertools.product(self.texts, self.levels):
            question = {"type": "score", "instructions": self.instructions, "criteria": [text] * count}
            yield Probe(f"{text}/{count}", (question,), _slot_excess)


class ScoreFirstSlotPermuted(CheckTexts):
    """How often a score picks its first slot when every level stands in every slot equally often.

    Reading: 1 where the first slot has the highest logit, else 0. Whoever does not mind the order gets exactly one
    over the number of levels, whatever the states say; an exact tie goes to the level written first in the document.
    """

    instructions: ShownText
    levels: Annotated[
        list[Name],
        Field(min_length=2, max_length=MOST_PERMUTED),
        DISTINCT,
        Takes(f"2 to {MOST_PERMUTED} distinct texts", CORRECT, whole=True),
    ]

    def probes(self) -> Iterator[Probe]:
        for order in itertools.permutations(range(len(self.levels))):
            criteria = [self.levels[i] for i in order]
            question = {"type": "score", "instructions": self.instructions, "criteria": criteria}
            yield Probe("-".join(map(str, order)), (question,), partial(_winner, order))


class NoulSides(Document):
    """What the two sides of a noul stand for."""

    false: ShownText
    true: ShownText


class NoulLabelSwap(CheckTexts):
    """Whether a noul follows its criteria or its label words: the words of the two sides change places.

    Reading: 1 where the answer stays on its side, 0 where it goes with the word. The words must mean nothing for
    the question ("which description fits"); whoever reads the criteria gets 1, whoever reads the words alone gets 0.
    """

    instructions: ShownText
    criteria: Annotated[NoulSides, Takes("an object with false and true", CORRECT)]
    words: Annotated[
        list[Annotated[list[Name], Field(min_length=2, max_length=2), DISTINCT]],
        Field(min_length=1, max_length=MOST_TEXTS),
        DISTINCT,
        Takes("distinct pairs of two distinct words", CORRECT, whole=True),
    ]

    def probes(self) -> Iterator[Probe]:
        asked = {"type": "noul", "instructions": self.instructions, "criteria": self.criteria.model_dump()}
        for one, other in self.words:
            labels = ({"false": one, "true": other}, {"false": other, "true": one})
            yield Probe(f"{one}|{other}", tuple({**asked, "labels": words} for words in labels), _kept_side)


CHECKS: dict[str, type[CheckTexts]] = {
    "score_slot0_identical": ScoreSlot0Identical,
    "score_first_slot_permuted": ScoreFirstSlotPermuted,
    "noul_label_swap": NoulLabelSwap,
}


#: The name of a check, as the key of a map.
CheckName = Annotated[str, among(CHECKS, "a check")]


def _slot_excess(logits: Sequence[Floats]) -> ProbeReading:
    """Logits of each slot above the mean over the slots."""
    [slots] = logits
    excess = slots - slots.mean()
    return ProbeReading(float(excess[0]), excess)


def _winner(order: Sequence[int], logits: Sequence[Floats]) -> ProbeReading:
    """One for the slot with the highest logit; of equal ones the slot that holds the earliest level."""
    [slots] = logits
    best = min(np.flatnonzero(slots == slots.max()).tolist(), key=lambda slot: order[slot])
    won = np.zeros(len(slots))
    won[best] = 1.0
    return ProbeReading(float(won[0]), won)


def _kept_side(logits: Sequence[Floats]) -> ProbeReading:
    """Whether both presentations answer the same side; per side, the share of the two that answered it."""
    answers = [int(sides.argmax()) for sides in logits]
    shares = np.bincount(answers, minlength=len(logits[0])) / len(answers)
    return ProbeReading(float(answers[0] == answers[1]), shares)
