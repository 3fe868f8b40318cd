"""Runners without weights: answers that depend on state and question alone, in the shapes of the runtime's own."""

from __future__ import annotations

import hashlib
import json

import numpy as np
from laya.confidence import apply_confidence_gate

from laya_sweep.domain.question import option_labels
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers


def logits_of(state, qid, question, salt=""):
    """float32 logits that anything may be asked for, the same every time."""
    text = json.dumps([salt, state, qid, question], sort_keys=True, default=str)
    rng = np.random.default_rng(int(hashlib.sha256(text.encode()).hexdigest()[:12], 16))
    logits = rng.normal(0, rng.choice([0.3, 2.0, 6.0]), len(option_labels(question)))
    return np.round(logits, 0 if rng.random() < 0.2 else 3).astype(np.float32)


def answer_of(state, qid, question, salt=""):
    """The runtime's answer document to such logits."""
    logits = logits_of(state, qid, question, salt)
    asked = AnsweredQuestion(question, logits.tolist(), [*range(len(logits))], 1.0, 0.5)
    return runtime_answers([asked])[0]


class Stub:
    """Shared by all: `change(answer)` may spoil an answer, `broken(state)` raises."""

    def __init__(self, salt="", change=None, broken=None):
        self.salt, self.change, self.broken = salt, change, broken
        self.calls = []

    def result(self, state, questions, model=None, min_confidence=None):
        if self.broken is not None:
            self.broken(state)
        answers = {qid: answer_of(state, qid, asked, self.salt + (model or "")) for qid, asked in questions.items()}
        if self.change is not None:
            answers = self.change(state, answers)
        result = {"model": "family", "answers": answers}
        apply_confidence_gate([result], min_confidence)
        return result


class BareRunner(Stub):
    """`predict(state, questions)` and nothing else."""

    def predict(self, state, questions):
        self.calls.append(1)
        return self.result(state, questions)


class AgentRunner(Stub):
    """As `laya.load(...)`: one checkpoint, batches of states that share their questions."""

    def predict(self, state, questions, min_confidence=None):
        self.calls.append(1)
        return self.result(state, questions, None, min_confidence)

    def predict_batch(self, states, questions, batch_size=None, sort_by_length=False, min_confidence=None):
        self.calls.append(len(states))
        return [self.result(state, questions, None, min_confidence) for state in states]


class RouterRunner(Stub):
    """As `laya.Router`: a checkpoint a request, batches of requests."""

    def routed(self, state, questions, model, min_confidence):
        chosen = model or ("multilingual" if len(str(state)) % 2 else "english")
        result = self.result(state, questions, chosen, min_confidence)
        return result | {"routing": {"model": chosen, "reason": "length"}}

    def predict(self, state, questions, model=None, min_confidence=None):
        self.calls.append(1)
        return self.routed(state, questions, model, min_confidence)

    def predict_batch(self, requests, batch_size=None, min_confidence=None, sort_by_length=False):
        self.calls.append(len(requests))
        return [self.routed(one["state"], one["questions"], one.get("model"), min_confidence) for one in requests]
