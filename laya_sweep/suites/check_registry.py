"""The checks by name. A new one is a function here: from its texts to its probes; the rest of the house follows.

A check asks questions whose right answer nobody needs to know, because only the way they are presented changes. Its
figure is the mean of its readings over states and configurations; its name is the metric's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from laya_sweep.suites.check_block import Block, Words
from laya_sweep.suites.check_probe import Floats, Probe, ProbeReading

#: A check: reads its texts from the document and makes its probes.
Check: TypeAlias = Callable[[Block], Iterator[Probe]]

#: All orders of more levels than this are too many to ask.
MOST_PERMUTED = 4


def score_slot0_identical(block: Block) -> Iterator[Probe]:
    """Whether slot 0 of a score is suppressed: K levels of one text, so that a level is its position alone.

    Reading: raw logit of slot 0 minus the mean over the K slots, in logits; 0 without a position prior.
    """
    instructions, texts, counts = block.text("instructions"), block.texts("texts"), block.counts("levels")
    for text, count in itertools.product(texts, counts):
        question = {"type": "score", "instructions": instructions, "criteria": [text] * count}
        yield Probe(f"{text}/{count}", (question,), _slot_excess)


def score_first_slot_permuted(block: Block) -> Iterator[Probe]:
    """How often a score picks its first slot when every level stands in every slot equally often.

    Reading: 1 where the first slot has the highest logit, else 0. Whoever does not mind the order gets exactly one
    over the number of levels, whatever the states say; an exact tie goes to the level written first in the document.
    """
    instructions, levels = block.text("instructions"), block.texts("levels", 2, MOST_PERMUTED)
    for order in itertools.permutations(range(len(levels))):
        question = {"type": "score", "instructions": instructions, "criteria": [levels[i] for i in order]}
        yield Probe("-".join(map(str, order)), (question,), partial(_winner, order))


def noul_label_swap(block: Block) -> Iterator[Probe]:
    """Whether a noul follows its criteria or its label words: the words of the two sides change places.

    Reading: 1 where the answer stays on its side, 0 where it goes with the word. The words must mean nothing for
    the question ("which description fits"); whoever reads the criteria gets 1, whoever reads the words alone gets 0.
    """
    instructions, criteria = block.text("instructions"), block.inner("criteria")
    sides = {side: criteria.text(side) for side in ("false", "true")}
    criteria.close()
    for words in block.word_pairs("words"):
        labels = (words, Words(words.true, words.false))
        asked = {"type": "noul", "instructions": instructions, "criteria": sides}
        yield Probe("|".join(words), tuple({**asked, "labels": pair._asdict()} for pair in labels), _kept_side)


CHECKS: dict[str, Check] = {
    "score_slot0_identical": score_slot0_identical,
    "score_first_slot_permuted": score_first_slot_permuted,
    "noul_label_swap": noul_label_swap,
}


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
