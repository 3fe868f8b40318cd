"""An engine whose logits come from a function: the contract without a model, for tests and for known answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from laya_sweep.domain.layout import BY_SHAPE
from laya_sweep.domain.question import QUESTION_TYPES, option_labels
from laya_sweep.domain.thresholds import from_document
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodedQuestion, EngineInfo, Forward
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers

#: Logits of one question of a variant, one per slot: in the order in which a model would read its options.
Script = Callable[[Variant, str], Sequence[float]]

_MAX_LEN = 512


class ScriptedEngine:
    """Answers every question with the script's logits, at temperature 1."""

    def __init__(self, script: Script, device: str = "cpu", threads: int = 1) -> None:
        self._script = script
        self._info = EngineInfo(device, threads, dict.fromkeys(QUESTION_TYPES, 1.0), ())

    def info(self) -> EngineInfo:
        """See `Engine.info`."""
        return self._info

    def encode(self, variant: Variant, qid: str) -> EncodedQuestion:
        """See `Engine.encode`; a token is a character of the state."""
        tokens, options = len(str(variant.state)), len(option_labels(variant.questions[qid]))
        return EncodedQuestion(
            item={"variant": variant, "qid": qid},
            shape=BY_SHAPE.shape(tokens, options, _MAX_LEN),
            slots=tuple(variant.questions[qid].get("option_order") or range(options)),
            input_tokens=tokens,
            state_tokens=tokens,
            state_tokens_dropped=0,
            options_distinct=options,
            tokens_per_option=None,
        )

    def forward(self, rows: Sequence[EncodedQuestion]) -> Forward:
        """See `Engine.forward`."""
        logits = [np.array(self._script(row.item["variant"], row.item["qid"]), dtype=np.float32) for row in rows]
        return Forward(logits, np.zeros(len(rows), dtype=np.float32))

    def predict(self, variant: Variant, min_confidence: float | dict[str, float] | None) -> dict[str, dict[str, Any]]:
        """See `Engine.predict`: the answers that the runtime would give for these logits."""
        answers = [self._answered(variant, qid) for qid in variant.questions]
        marked = runtime_answers(answers, from_document(min_confidence))
        return dict(zip(variant.questions, marked, strict=True))

    def _answered(self, variant: Variant, qid: str) -> AnsweredQuestion:
        row = self.encode(variant, qid)
        logits = row.as_presented(self.forward([row]).logits[0])
        return AnsweredQuestion(variant.questions[qid], logits.tolist(), row.slots, 1.0, 0.0)
