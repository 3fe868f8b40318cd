"""Which answers can be scored, and what becomes of the others."""

from __future__ import annotations

import math

import numpy as np
import pytest
from stub_runners import BareRunner, answer_of

from laya_sweep import IncompleteError, evaluate
from laya_sweep.evaluation.answer_check import answer_fault, confidence_of, plain

TOPIC = {"type": "choice", "instructions": "Which?", "criteria": {"1": "one", "2": None}}
LEVEL = {"type": "score", "instructions": "How much?", "criteria": ["none", "some", "all"]}
SURE = {"type": "noul", "instructions": "Is it?"}
CHOICE = {"type": "choice", "choice": "1", "probabilities": {"1": 0.7, "2": 0.3}, "answer_confidence": 0.7}
SCORE = {"type": "score", "score": 1.2, "probabilities": {"0": 0.1, "1": 0.6, "2": 0.3}, "answer_confidence": 0.6}
NOUL = {"type": "noul", "noul": 0.2, "answer_confidence": 0.8}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (TOPIC, CHOICE),
        (LEVEL, SCORE),
        (SURE, NOUL),
        (TOPIC, {"type": "choice", "choice": "2"}),
        (LEVEL, {"type": "score", "score": 0}),
        (SURE, {"type": "noul", "noul": np.float32(1.0)}),
        (TOPIC, {**CHOICE, "answer_confidence": 1.0000001, "confidence": None}),
        (TOPIC, {**CHOICE, "answer_confidence": math.nan}),
        ({**TOPIC, "criteria": [1, 2]}, {"type": "choice", "choice": 1, "probabilities": {1: 0.5, 2: 0.5}}),
        (SURE, {**NOUL, "probabilities": {}}),
        (
            {**TOPIC, "criteria": ["1", 1, "b"]},
            {"type": "choice", "choice": 1, "probabilities": {"1": 0.3, 1: 0.5, "b": 0.2}},
        ),
    ],
)
def test_an_answer_that_can_be_scored(question, answer):
    assert answer_fault(question, answer) is None


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        (TOPIC, None, "missing answer"),
        (TOPIC, "1", "an object, got str"),
        (TOPIC, {}, "type choice, got nothing"),
        (TOPIC, NOUL, "type choice, got 'noul'"),
        (TOPIC, {**CHOICE, "choice": "3"}, "a choice among 1, 2, got '3'"),
        (TOPIC, {**CHOICE, "choice": 1}, "a choice among 1, 2, got 1"),
        (TOPIC, {**CHOICE, "choice": ["1"]}, "a choice among 1, 2"),
        (TOPIC, {**CHOICE, "probabilities": {"1": 1.0}}, "probabilities of 1, 2, got those of 1"),
        (TOPIC, {**CHOICE, "probabilities": {"1": 0.5, "2": 0.3, "3": 0.2}}, "got those of 1, 2, 3"),
        (TOPIC, {**CHOICE, "probabilities": [0.5, 0.5]}, "probabilities by option"),
        (TOPIC, {**CHOICE, "probabilities": {"1": math.nan, "2": 0.3}}, "a probability within [0, 1] of 1, got nan"),
        (TOPIC, {**CHOICE, "probabilities": {"1": 1.5, "2": -0.5}}, "got 1.5"),
        (TOPIC, {**CHOICE, "probabilities": {"1": True, "2": 0.0}}, "got True"),
        (TOPIC, {**CHOICE, "answer_confidence": 1.1}, "answer_confidence within [0, 1], got 1.1"),
        (TOPIC, {**CHOICE, "answer_confidence": True}, "got True"),
        (TOPIC, {**CHOICE, "answer_confidence": "0.7"}, "got '0.7'"),
        (TOPIC, {**CHOICE, "answer_confidence": math.inf}, "got inf"),
        (SURE, {**NOUL, "noul": 1.01}, "noul within [0, 1], got 1.01"),
        (SURE, {**NOUL, "noul": math.nan}, "got nan"),
        (SURE, {**NOUL, "noul": True}, "got True"),
        (LEVEL, {**SCORE, "score": 2.5}, "a score within [0, 2], got 2.5"),
        (LEVEL, {**SCORE, "score": None}, "got nothing"),
        (LEVEL, {**SCORE, "probabilities": {"0": 0.5, "1": 0.5}}, "probabilities of 0, 1, 2"),
    ],
)
def test_an_answer_that_cannot_is_an_error_with_what_was_expected_and_got(question, answer, said):
    fault = answer_fault(question, answer)
    assert fault is not None
    assert said in fault
    row = {"state": "x", "questions": {"q": question, "other": SURE}, "expected": {"other": True}}
    runner = BareRunner(change=lambda state, _: {"q": answer, "other": answer_of(state, "other", SURE)})
    with pytest.raises(IncompleteError, match="row 0, question 'q'"):
        evaluate([row], runner)
    result = evaluate([row], runner, on_error="skip")
    assert [error.document() for error in result.errors] == [{"index": 0, "question": "q", "error": fault}]
    assert result.decisions["question"].to_pylist() == ["other"]


@pytest.mark.parametrize("result", [None, [], "text", {}, {"answers": None}, {"answers": [1]}])
def test_a_result_without_answers_is_an_error_of_every_question(result):
    class Odd:
        def predict(self, state, questions):
            return result

    row = {"state": "x", "questions": {"q": SURE, "r": SURE}, "expected": {"q": True}}
    found = evaluate([row], Odd(), on_error="skip")
    assert [error.question for error in found.errors] == ["q", "r"]
    assert found.scorecard.errored == found.scorecard.asked == 2


def test_labels_of_one_text_stay_two():
    class Runner:
        def predict(self, state, questions):
            answer = {"type": "choice", "choice": 1, "probabilities": {1: 0.5, "b": 0.2, "1": 0.3}}
            return {"model": "family", "answers": {"q": answer}}

    question = {"type": "choice", "instructions": "Which?", "criteria": ["1", 1, "b"]}
    rows = [{"state": "s", "questions": {"q": question}, "expected": {"q": gold}} for gold in ("1", 1)]
    decisions = evaluate(rows, Runner()).decisions.to_pylist()
    assert [row["pred_label"] for row in decisions] == ["1", "1"]
    assert [row["gold_label"] for row in decisions] == ['"1"', "1"]
    assert [row["correct"] for row in decisions] == [False, True]
    assert decisions[0]["probabilities"] == [0.3, 0.5, 0.2]


def test_confidence_is_the_probability_of_the_answer_and_never_entropy():
    assert confidence_of(CHOICE) == 0.7
    assert confidence_of({**CHOICE, "answer_confidence": None, "confidence": 0.1}) == 0.7
    assert confidence_of({"type": "noul", "noul": 0.2, "confidence": 0.1}) == 0.8
    assert confidence_of({"type": "choice", "choice": "1", "confidence": 0.1}) is None
    assert math.isnan(confidence_of({**CHOICE, "answer_confidence": math.nan}))


def test_values_become_plain():
    given = {"a": np.float32(0.5), "b": np.array([1, 2]), "c": ({"d": np.int64(3)},), "e": None}
    made = plain(given)
    assert made == {"a": 0.5, "b": [1, 2], "c": [{"d": 3}], "e": None}
    assert type(made["a"]) is float


def asked(confidences, right):
    """Rows and a runner with given confidences; `None` tells none, and the answer is a where it is right."""
    rows = [
        {"state": f"{i}", "questions": {"q": {**TOPIC, "criteria": ["a", "b"]}}, "expected": {"q": "a"}}
        for i in range(len(right))
    ]

    def change(state, _):
        i = int(state)
        return {"q": {"type": "choice", "choice": "a" if right[i] else "b", "answer_confidence": confidences[i]}}

    return rows, BareRunner(change=change)


@pytest.mark.parametrize(
    ("confidences", "right", "expected"),
    [
        ([0.0], [1], {"ece": 1.0, "choice_accuracy": 1.0, "brier": 1.0}),
        ([0.95, 1.0], [1, 0], {"ece": 0.475, "choice_accuracy": 0.5}),
        ([1.0000001], [0], {"ece": 1.0, "choice_accuracy": 0.0, "clipped_confidences": 1.0}),
        ([0.9] * 4, [1, 1, 1, 1], {"choice_accuracy": 1.0, "aurc": 0.0, "selective_accuracy@50": 1.0}),
        ([0.9] * 4, [1, 1, 0, 0], {"choice_accuracy": 0.5, "aurc": 0.5, "selective_accuracy@50": 0.5}),
        ([0.9] * 4, [0, 0, 0, 0], {"choice_accuracy": 0.0, "aurc": 1.0, "ece": 0.9}),
        ([math.nan, math.nan, 0.9, 0.9], [0, 0, 0, 0], {"choice_accuracy": 0.0, "ece": None, "aurc": None}),
        ([None, 0.9], [1, 0], {"choice_accuracy": 0.5, "ece": None, "mean_confidence": None}),
    ],
)
def test_figures_of_a_degenerate_grid(confidences, right, expected):
    rows, runner = asked(confidences, right)
    result = evaluate(rows, runner)
    for metric, value in expected.items():
        assert result.value(metric) == (None if value is None else pytest.approx(value)), metric


def test_a_confidence_that_is_not_told_enters_accuracy_and_no_figure_of_confidence():
    laya_evals = pytest.importorskip("laya.evals")
    for confidences in ([None, 0.9, 0.6], [None, None, None]):
        rows, runner = asked(confidences, [1, 0, 1])
        report = evaluate(rows, runner).document()
        dataset = laya_evals.Dataset([laya_evals.Example.from_dict(row) for row in rows])
        theirs = laya_evals.evaluate(runner, dataset)
        for name in ("overall", "slices"):
            ours, other = report[name], getattr(theirs, name)
            ours, other = (ours, other) if name == "overall" else (ours["qid"]["q"], other["qid"]["q"])
            kept = {key: value for key, value in other.items() if not key.endswith("_ms")}
            assert {key: value for key, value in ours.items() if not key.endswith("_ms")} == pytest.approx(kept)
    assert report["cases"][0]["confidence"] is None
