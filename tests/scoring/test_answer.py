"""The runtime's answers, rebuilt from logits."""

from __future__ import annotations

import numpy as np
import pytest
from laya.confidence import apply_confidence_gate

from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers
from laya_sweep.scoring.probability import gate_confidence

CHOICE = {"type": "choice", "instructions": "?", "criteria": {"a": "x", "b": "y", "c": "z"}}


def asked(question, logits, order=None, temperature=1.0, act=0.25):
    return AnsweredQuestion(question, logits, order or [*range(len(logits))], temperature, act)


def test_a_choice_answer_has_the_runtime_s_fields_and_rounding():
    [answer] = runtime_answers([asked(CHOICE, [2.0, 1.0, 0.0])])
    assert answer == {
        "type": "choice",
        "choice": "a",
        "probabilities": {"a": 0.6652, "b": 0.2447, "c": 0.09},
        "confidence": 0.2423,
        "answer_confidence": 0.6652,
        "action": {"act_probability": 0.25},
    }


def test_a_score_is_the_expected_level_and_has_a_legend():
    question = {"type": "score", "instructions": "?", "criteria": ["low", {"at least": 2}, 3]}
    [answer] = runtime_answers([asked(question, [0.0, 0.0, 0.0])])
    assert answer["score"] == 1.0
    assert answer["legend"] == {"0": "low", "1": '{"at least": 2}', "2": "3"}
    assert answer["confidence"] == 0.0


def test_a_noul_answer_is_the_probability_of_true():
    question = {"type": "noul", "instructions": "?"}
    [answer] = runtime_answers([asked(question, [0.0, -1.0])])
    assert (answer["noul"], answer["confidence"], answer["answer_confidence"]) == (0.2689, 0.7311, 0.7311)
    assert "probabilities" not in answer


def test_labels_of_other_types_and_repeated_ones_stay_as_the_runtime_keeps_them():
    [answer] = runtime_answers([asked({"type": "choice", "criteria": [1, 2, 1]}, [0.0, 3.0])])
    assert answer["choice"] == 2
    assert [*answer["probabilities"]] == [1, 2]


def test_one_option_is_certain():
    [answer] = runtime_answers([asked({"type": "choice", "criteria": {"only": "x"}}, [-4.0])])
    assert (answer["probabilities"], answer["confidence"]) == ({"only": 1.0}, 1.0)


@pytest.mark.parametrize(
    ("threshold", "marks"),
    [
        (None, {}),
        (0.0, {"abstention": "passed", "abstention_threshold": 0.0}),
        (0.6652, {"abstention": "passed", "abstention_threshold": 0.6652}),
        (0.6653, {"low_confidence": True, "abstention": "abstained", "abstention_threshold": 0.6653}),
    ],
)
def test_marks_follow_the_rounded_confidence_and_none_is_not_zero(threshold, marks):
    [plain] = runtime_answers([asked(CHOICE, [2.0, 1.0, 0.0])])
    [answer] = runtime_answers([asked(CHOICE, [2.0, 1.0, 0.0])], threshold)
    assert answer == {**plain, **marks}


def test_a_confidence_that_is_no_number_is_not_evaluated():
    [answer] = runtime_answers([asked(CHOICE, [float("nan")] * 3)], 0.5)
    assert answer["abstention"] == "unevaluated"
    assert "low_confidence" not in answer


def test_the_confidence_is_the_one_of_the_decisions_table():
    rng = np.random.default_rng(3)
    logits = rng.normal(0, 3, (200, 3)).astype(np.float32)
    answers = runtime_answers([asked(CHOICE, row.tolist(), temperature=0.7) for row in logits])
    gate = gate_confidence(logits, np.full(200, 0.7))
    assert [answer["answer_confidence"] for answer in answers] == gate.tolist()


def test_marks_under_a_map_are_those_of_the_runtimes_own_gate():
    rng = np.random.default_rng(8)
    document = {"choice:2": 0.8, "choice:3-5": 0.5, "choice:11+": 0.2, "score:6-10": 0.4, "noul:2": 0.7}
    for given in (document, {**document, "default": 0.6}, {"default": 0.5}):
        questions = []
        for count in (*range(2, 15), *range(2, 15)):
            labels = {f"label {i}": None for i in range(count)}
            questions.append(asked({"type": "choice", "criteria": labels}, rng.normal(0, 2, count).tolist()))
            questions.append(asked({"type": "score", "criteria": [*labels]}, rng.normal(0, 2, count).tolist()))
            questions.append(asked({"type": "noul"}, rng.normal(0, 1, 2).tolist()))
        theirs = runtime_answers(questions)
        apply_confidence_gate([{"answers": dict(enumerate(theirs))}], given)
        assert runtime_answers(questions, BucketThresholds.of(given)) == theirs
        assert {answer["abstention"] for answer in theirs} == {"passed", "abstained"}
