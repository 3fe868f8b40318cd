"""Rows that an exported graph is tried on: sizes from one to the checkpoint's own limit, and real questions.

Random tokens are enough to compare arithmetic; how far quantisation moves answers is told by real questions, which
the bundled corpus has in 51 languages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laya_sweep.demo.corpus import read_corpus
from laya_sweep.demo.questions import INTENTS, intent_question, state, urgency_question, wish_question
from laya_sweep.domain.layout import Shape
from laya_sweep.domain.variant import Variant

Feed = dict[str, NDArray[Any]]

#: Rows and shape of each call. One row and several, two option slots and many, lengths that are no round numbers.
_SIZES = (
    (1, Shape(16, 2)),
    (2, Shape(23, 2)),
    (3, Shape(48, 16)),
    (5, Shape(37, 7)),
    (2, Shape(160, 130)),
)

#: Rows of one shape that are computed alone and together.
_MATES = ((7, Shape(32, 16)), (5, Shape(64, 32)))

_CORPUS_ROWS = 17
_SEED = 13


def probe_feeds(words: int, max_len: int) -> Iterator[Feed]:
    """Calls of every size; the last one is as long as the checkpoint reads."""
    sizes = [*((rows, shape) for rows, shape in _SIZES if shape.length < max_len), (1, Shape(max_len, 16))]
    for index, (rows, shape) in enumerate(sizes):
        yield _feed(np.random.default_rng([_SEED, index]), rows, shape, words)


def mate_feeds(words: int, max_len: int) -> Iterator[Feed]:
    """Calls of several rows of one shape."""
    for index, (rows, shape) in enumerate(_MATES):
        yield _feed(np.random.default_rng([_SEED, 100 + index]), rows, Shape(min(shape.length, max_len), 16), words)


def probe_variants() -> Iterator[Variant]:
    """Utterances spread over the languages of the bundled corpus, with a question of each type."""
    corpus = read_corpus()
    for index, row in enumerate(corpus[:: len(corpus) // _CORPUS_ROWS]):
        questions = {
            "intent": intent_question(INTENTS),
            "wish": wish_question(row.intent),
            "urgency": urgency_question(),
        }
        order = {"intent": tuple(range(len(INTENTS))), "wish": (0, 1), "urgency": (0, 1, 2)}
        yield Variant(str(index), "baseline", state(row.text), questions, order)


def _feed(random: np.random.Generator, rows: int, shape: Shape, words: int) -> Feed:
    """Rows of random tokens; the first has one option, the others up to all, and each ends somewhere else."""
    lengths = random.integers(shape.length // 2 + 1, shape.length + 1, rows)
    options = random.integers(1, shape.options + 1, rows)
    options[0] = 1
    kept = np.arange(shape.length) < lengths[:, None]
    marked = np.arange(shape.options) < options[:, None]
    return {
        "input_ids": np.where(kept, random.integers(0, words, kept.shape), 0),
        "attention_mask": kept.astype(np.int64),
        "marker_pos": np.where(marked, random.integers(1, shape.length // 2 + 1, marked.shape), 0),
        "marker_mask": marked,
        "qtype": random.integers(0, 3, rows),
    }
