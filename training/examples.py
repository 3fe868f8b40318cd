"""Training examples: questions about the corpus' rows, drawn from one seed and encoded by the runtime's rules."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from laya.train import encode_item, encode_state, make_item, to_internal

from laya_sweep.demo.corpus import CorpusRow
from laya_sweep.demo.questions import INTENTS, intent_question, state, urgency_question, wish_question

#: Room for ten options and the longest utterance of any language, untruncated; tests hold that. The English
#: tokenizer reads other scripts byte by byte, three a letter.
MAX_LEN, HEAD_MAX_LEN = 512, 128

#: Batches drawn and sorted by length together, so that little of a batch is padding.
_POOL_BATCHES = 16

#: Share of the intent choice and of the wish among the questions; the rest is the urgency.
_CHOICE_SHARE, _WISH_SHARE = 0.6, 0.25

#: Share of a state's tokens that a training example leaves out.
_TOKEN_DROPOUT = 0.15

#: Ranges of option counts that the runtime keeps a temperature each for.
_BUCKETS = ((2, 2), (3, 5), (6, len(INTENTS)))

#: How often each question text stands among the tokenizer's texts: often enough to become few tokens.
_QUESTION_WEIGHT = 200


class Example(NamedTuple):
    """A question about a row: `item` before and `encoded` after the runtime laid it out.

    `offered` are the intents of a choice's options in order, empty for the other types; `state_start` is the
    position of the first token of the state.
    """

    row: CorpusRow
    item: dict[str, Any]
    encoded: dict[str, Any]
    offered: tuple[str, ...]
    state_start: int


class Examples:
    """Draws examples, each row equally often.

    A choice is among 2 to 10 intents in a fresh order, a wish holds for every other one, and a share of the
    utterance's tokens is left out: 60 utterances a language would be learnt by heart otherwise.
    """

    def __init__(self, tokenizer: Any, rows: Sequence[CorpusRow], seed: int) -> None:  # noqa: ANN401
        self._tokenizer = tokenizer
        self._random = random.Random(seed)
        self._rows = [(row, encode_state(tokenizer, state(row.text), MAX_LEN)) for row in rows]

    def batches(self, size: int) -> Iterator[list[Example]]:
        """Batches without end; the examples of one are of similar length."""
        rows = self._endless_rows()
        while True:
            drawn = [self._any(*next(rows)) for _ in range(size * _POOL_BATCHES)]
            drawn.sort(key=lambda example: len(example.encoded["ids"]))
            pool = [drawn[start : start + size] for start in range(0, len(drawn), size)]
            self._random.shuffle(pool)
            yield from pool

    def for_temperatures(self, least: int) -> list[dict[str, Any]]:
        """Items of every question type and option-count bucket, at least so many each, sorted by length.

        Utterances are whole here, as they are when the model is asked.
        """
        drawn = []
        for row, state_ids in self._rows * math.ceil(least / len(self._rows)):
            drawn += [self._choice(row, state_ids, self._random.randint(*bounds)) for bounds in _BUCKETS]
            drawn += [self._wish(row, state_ids), self._urgency(row, state_ids)]
        drawn.sort(key=lambda example: len(example.encoded["ids"]))
        return [example.item for example in drawn]

    def _endless_rows(self) -> Iterator[tuple[CorpusRow, list[int]]]:
        while True:
            yield from self._random.sample(self._rows, len(self._rows))

    def _without_some(self, state_ids: list[int]) -> list[int]:
        return [token for token in state_ids if self._random.random() >= _TOKEN_DROPOUT]

    def _any(self, row: CorpusRow, state_ids: list[int]) -> Example:
        kept = self._without_some(state_ids)
        kind = self._random.random()
        if kind < _CHOICE_SHARE:
            return self._choice(row, kept, self._random.randint(2, len(INTENTS)))
        return self._wish(row, kept) if kind < _CHOICE_SHARE + _WISH_SHARE else self._urgency(row, kept)

    def _choice(self, row: CorpusRow, state_ids: list[int], options: int) -> Example:
        others = [intent for intent in INTENTS if intent != row.intent]
        offered = [row.intent, *self._random.sample(others, options - 1)]
        self._random.shuffle(offered)
        return self._example(row, intent_question(offered), offered.index(row.intent), state_ids, tuple(offered))

    def _wish(self, row: CorpusRow, state_ids: list[int]) -> Example:
        holds = self._random.random() < 0.5
        asked = row.intent if holds else self._random.choice([one for one in INTENTS if one != row.intent])
        return self._example(row, wish_question(asked), int(holds), state_ids)

    def _urgency(self, row: CorpusRow, state_ids: list[int]) -> Example:
        return self._example(row, urgency_question(), row.urgency, state_ids)

    def _example(
        self,
        row: CorpusRow,
        question: dict[str, Any],
        answer: int,
        state_ids: list[int],
        offered: tuple[str, ...] = (),
    ) -> Example:
        internal = to_internal("demo", question)
        options = 2 if internal["t"] == "noul" else len(internal["crit"])
        target = [float(index == answer) for index in range(options)]
        item, reason = make_item(self._tokenizer, internal, target, state_ids, HEAD_MAX_LEN, MAX_LEN)
        if item is None:
            raise ValueError(f"expected every demo question to fit head_max_len={HEAD_MAX_LEN}, got {reason}")
        encoded = encode_item(self._tokenizer, item, MAX_LEN, HEAD_MAX_LEN)
        return Example(row, item, encoded, offered, len(encoded["ids"]) - 1 - len(state_ids))


def tokenizer_texts(rows: Sequence[CorpusRow]) -> list[str]:
    """What the checkpoints read, for the tokenizer to learn from: question texts, repeated, and states."""
    questions = [intent_question(INTENTS), urgency_question(), *map(wish_question, INTENTS)]
    heads = [f"{question['type']} question: {question['instructions']}" for question in questions]
    options = [f" {intent}: {text}" for intent, text in intent_question(INTENTS)["criteria"].items()]
    options += [f" level {level}: {text}" for level, text in enumerate(urgency_question()["criteria"])]
    options += [" false: no, the statement does not hold", " true: yes, the statement holds"]
    states = [json.dumps(state(row.text), ensure_ascii=False) for row in rows]
    return (heads + options) * _QUESTION_WEIGHT + states
