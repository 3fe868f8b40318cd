"""The parity check's marks: what the runtime is asked, what is kept, and what a wrong rule is found by."""

from __future__ import annotations

import json

import pytest
from behaviour import spread

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.thresholds import BUCKETS, BucketThresholds, from_document
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.execution import parity
from laya_sweep.execution.contract import Batching
from laya_sweep.execution.parity import marks_fault, sample_document
from laya_sweep.transforms.registry import variants_of

MAP = BucketThresholds.of({"choice:3-5": 0.8, "score:6-10": 0.3, "default": 0.6})
QUESTIONS = {
    "topic": {"type": "choice", "instructions": "?", "criteria": [1, 2, "three"]},
    "level": {"type": "score", "instructions": "?", "criteria": [f"level {i}" for i in range(7)]},
    "yes": {"type": "noul", "instructions": "?"},
}
EXPECTED = {"topic": "three", "level": 1, "yes": True}


def check_parity(engine, variants, min_confidence, size=None):
    """As a worker calls it."""
    return parity.check_parity(engine, variants, min_confidence, name="scripted", batching=Batching(4096, size))


def sample(count=8):
    drafts = [Draft(str(i), i, "en", f"state {i}", QUESTIONS, EXPECTED) for i in range(count)]
    return [variant for case in freeze(drafts) for variant in variants_of("baseline", case)]


class Asked(ScriptedEngine):
    """Remembers what the runtime was asked."""

    def __init__(self):
        super().__init__(spread)
        self.asked = []

    def predict(self, variant, min_confidence):
        self.asked.append(min_confidence)
        return super().predict(variant, min_confidence)


class OneThreshold(ScriptedEngine):
    """A runtime older than maps: it gates every answer at the map's default."""

    def predict(self, variant, min_confidence):
        number = min_confidence["default"] if isinstance(min_confidence, dict) else min_confidence
        return super().predict(variant, number)


class Unmarked(ScriptedEngine):
    """A runtime that leaves the threshold out."""

    def predict(self, variant, min_confidence):
        return super().predict(variant, None)


class Flipped(ScriptedEngine):
    """A runtime that abstains above the threshold."""

    def predict(self, variant, min_confidence):
        answers = super().predict(variant, min_confidence)
        for answer in answers.values():
            if min_confidence is not None:
                low = answer.pop("low_confidence", False)
                answer |= {"abstention": "passed"} if low else {"abstention": "abstained", "low_confidence": True}
        return answers


def test_the_runtime_is_asked_with_the_map_in_its_own_form():
    engine = Asked()
    found = check_parity(engine, sample(2), [None, 0.5, MAP])
    document = {"choice:3-5": 0.8, "score:6-10": 0.3, "default": 0.6}
    assert engine.asked == [None, 0.5, document] * 2
    assert (found.cases, found.marks, found.mark_disagreements) == (2, 2 * 3 * 2, 0)
    assert [(entry.bucket, entry.answer["type"]) for entry in found.sample[:3]] == [
        ("choice:3-5", "choice"),
        ("score:6-10", "score"),
        ("noul:2", "noul"),
    ]


@pytest.mark.parametrize("engine", [OneThreshold, Unmarked, Flipped])
def test_a_runtime_that_marks_otherwise_is_found(engine):
    assert check_parity(engine(spread), sample(), [MAP]).mark_disagreements > 0


def test_without_a_map_one_threshold_is_enough():
    assert check_parity(OneThreshold(spread), sample(), [0.5, 0.0]).mark_disagreements == 0


def test_the_kept_sample_shows_thresholds_that_nobody_had_asked_for():
    found = check_parity(ScriptedEngine(spread), sample(), [])
    kept = json.loads(json.dumps(sample_document(found), allow_nan=False))
    wanted = [0.0, 0.37, 1.0, MAP, *(from_document({bucket: 0.9}) for bucket in BUCKETS)]
    assert [marks_fault(kept, threshold) for threshold in wanted] == [None] * len(wanted)


def test_a_sample_that_does_not_agree_shows_nothing():
    kept = sample_document(check_parity(ScriptedEngine(spread), sample(), []))
    assert "keeps no parity sample" in marks_fault(None, MAP)
    assert "keeps no parity sample" in marks_fault([], 0.5)
    wrong_bucket = [{**entry, "bucket": "choice:11+"} for entry in kept]
    assert marks_fault(wrong_bucket, MAP) == "16 of 24 marks of the parity sample are not the runtime's"
    wrong_gate = [{**entry, "gate_confidence": 1.0 - entry["gate_confidence"]} for entry in kept]
    assert "are not the runtime's" in marks_fault(wrong_gate, 0.5)
    assert marks_fault(wrong_gate, 0.0) is None  # nothing falls below it


def test_a_confidence_at_the_tolerance_of_its_threshold_is_no_disagreement():
    [entry, *_] = sample_document(check_parity(ScriptedEngine(spread), sample(1), []))
    theirs = entry["answer"]["answer_confidence"]
    near = [{**entry, "gate_confidence": round(theirs - 0.0005, 4)}]
    far = [{**entry, "gate_confidence": round(theirs - 0.002, 4)}]
    assert marks_fault(near, theirs) is None
    assert marks_fault(far, theirs) == "1 of 1 marks of the parity sample are not the runtime's"
