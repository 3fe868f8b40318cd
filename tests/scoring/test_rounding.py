"""Decisions in the runtime's own figures: its rounding, its ties, and that nothing but the row itself decides them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from builders import fact_row, facts_table
from stored_runs import REGIMES, drafts, fact_rows, score

from laya_sweep.domain.case import freeze
from laya_sweep.domain.question import Target, target_of
from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers
from laya_sweep.scoring.decision import RowPlace, ScoredCell, decide, decide_again
from laya_sweep.scoring.rounding import read_as_runtime, read_exactly, rounded
from laya_sweep.store.schemas import DECISIONS, LOGITS

UNIT = Regime("unit", "unit")


def decided(kind, logits, rounding, gold=None):
    options = ("false", "true") if kind == "noul" else tuple(f"label_{i}" for i in range(len(logits)))
    target = Target(options, None, gold) if kind == "score" else Target(options, gold, None)
    temperatures = {f"{kind}:2": BucketTemperature(1.0, 1.0, kind)}
    cell = ScoredCell("mine", temperatures, {"case": RowPlace("s", 0)}, {("case", "intent"): target})
    facts = facts_table([fact_row("case", [np.float32(value) for value in logits], question_type=kind)])
    [row] = decide(facts, cell, UNIT, DECISIONS, rounding).to_pylist()
    return row


def test_rounding_is_python_s_also_where_a_product_lands_on_a_half():
    halves = np.arange(200_001) / 20_000
    for values in (halves, np.nextafter(halves, 0), np.nextafter(halves, 20)):
        assert rounded(values).tolist() == [round(value, 4) for value in values.tolist()]
    drawn = np.random.default_rng(1).uniform(0, 12, 50_000).astype(np.float32)
    assert rounded(drawn).tolist() == [round(value, 4) for value in drawn.tolist()]
    assert math.isnan(rounded(np.array([np.nan]))[0])


@pytest.mark.parametrize(
    ("logits", "true_by"),
    [([0.0, -0.0001], {"runtime"}), ([0.0, -0.0003], set()), ([0.0, 0.0], {"exact", "runtime"})],
)
def test_a_noul_is_true_from_one_half_of_the_reported_figure(logits, true_by):
    rows = {rounding: decided("noul", logits, rounding, 1) for rounding in ("exact", "runtime")}
    assert {rounding for rounding, row in rows.items() if row["pred_label"] == "true"} == true_by
    assert {rounding for rounding, row in rows.items() if row["correct"]} == true_by


@pytest.mark.parametrize("scale", [1e-9, 1e-30])
def test_a_choice_goes_to_the_first_of_what_float32_cannot_tell_apart(scale):
    assert decided("choice", [0.0, scale], "exact", 1)["correct"] is True
    row = decided("choice", [0.0, scale], "runtime", 1)
    assert (row["pred_index"], row["correct"], row["p_pred"], row["margin"]) == (0, False, 0.5, 0.0)


def test_a_choice_that_rounds_to_a_tie_keeps_its_order():
    row = decided("choice", [0.0, 0.00001], "runtime", 1)
    assert (row["probabilities"], row["pred_index"], row["correct"]) == ([0.5, 0.5], 1, True)


def test_a_score_error_is_that_of_the_reported_score():
    row = decided("score", [0.3, 0.7], "runtime", 0.5987)
    assert (row["score_value"], row["correct"], row["pred_index"]) == (0.5987, None, 1)
    assert row["score_error"] == 0.0
    assert decided("score", [0.3, 0.7], "exact", 0.5987)["score_error"] == pytest.approx(-1.2e-5, abs=1e-6)


@pytest.mark.parametrize("logits", [[-7.5], [90.0, -90.0]])
def test_certainty_stays_one(logits):
    row = decided("choice", logits, "runtime", 0)
    names = ("answer_confidence", "gate_confidence", "entropy_confidence", "margin", "p_gold")
    assert [row[name] for name in names] == [1.0] * 5


@pytest.fixture(scope="module")
def many():
    """Cases of all types, their facts (options presented in any order) and decisions in both roundings."""
    rng = np.random.default_rng(9)
    cases = freeze(drafts(rng, "en", 400))
    facts = [*fact_rows(rng, cases, "en")]
    return cases, facts, {rounding: score(cases, facts, REGIMES[1], rounding) for rounding in ("exact", "runtime")}


def test_decisions_are_what_the_answer_documents_report(many):
    cases, facts, decisions = many
    known, kinds = {case.case_id: case for case in cases}, set()
    for fact, row in zip(facts, decisions["runtime"].to_pylist(), strict=True):
        case = known[fact["case_id"]]
        question, expected = case.questions[fact["question"]], case.expected.get(fact["question"])
        asked = AnsweredQuestion(question, fact["logits"], fact["presented_order"], row["temperature"], 0.5)
        [answer] = json.loads(json.dumps(runtime_answers([asked])))
        kinds.add(answer["type"])
        assert row["answer_confidence"] == row["gate_confidence"] == answer["answer_confidence"]
        if answer["type"] == "noul":
            assert row["probabilities"][1] == answer["noul"]
        else:
            assert row["probabilities"] == [*answer["probabilities"].values()]
            assert row["entropy_confidence"] == answer["confidence"]
        if answer["type"] == "choice":
            assert row["pred_label"] == answer["choice"]
        if answer["type"] == "score":
            assert row["score_value"] == answer["score"]
        if answer["type"] == "choice":
            assert row["correct"] == (None if expected is None else answer["choice"] == expected)
        elif answer["type"] == "noul":
            assert row["correct"] == (None if expected is None else (answer["noul"] >= 0.5) == expected)
        else:
            assert row["correct"] is None
        if expected is not None and answer["type"] == "score":
            assert row["score_error"] == answer["score"] - expected
    assert kinds == {"choice", "score", "noul"}


def test_roundings_differ_by_half_a_digit_and_in_nothing_else(many):
    _, _, decisions = many
    figures = ("probabilities", "answer_confidence", "entropy_confidence", "margin", "p_pred", "p_gold", "score_value")
    figures += ("score_error", "pred_index", "pred_label", "correct")
    differ = 0
    for exact, runtime in zip(*(decisions[name].to_pylist() for name in ("exact", "runtime")), strict=True):
        for name in DECISIONS.names:
            if name not in figures:
                assert exact[name] == runtime[name]
        assert runtime["probabilities"] == pytest.approx(exact["probabilities"], abs=6e-5)
        assert runtime["answer_confidence"] == pytest.approx(exact["answer_confidence"], abs=6e-5)
        assert all(value == round(value, 4) for value in runtime["probabilities"])
        differ += exact["probabilities"] != runtime["probabilities"]
    assert differ > 500


def test_a_decided_table_turns_into_the_other_rounding_and_back(many):
    cases, facts, decisions = many
    known = {case.case_id: case for case in cases}
    targets = []
    for fact in facts:
        case = known[fact["case_id"]]
        targets.append(target_of(case.questions[fact["question"]], case.expected.get(fact["question"])))
    table = LOGITS.empty_table().from_pylist(facts, schema=LOGITS)
    for one, other in (("exact", "runtime"), ("runtime", "exact")):
        assert decide_again(decisions[one], table, targets, other, UNIT).equals(decisions[other])


def test_the_gate_of_exact_figures_is_over_slots_too():
    """Another order of the same sum moves the fourth decimal in a few of 10,000 answers, and with it a mark."""
    rng = np.random.default_rng(0)
    logits, temperature = rng.normal(0, 2, (20_000, 20)).astype(np.float32), np.full(20_000, 0.7)
    order, kinds = np.argsort(rng.random(logits.shape), axis=1), ["choice"] * 20_000
    theirs = read_as_runtime(logits, temperature, kinds, order).gate_confidence
    assert (read_exactly(logits, temperature, kinds, order).gate_confidence == theirs).all()
    canonical = np.broadcast_to(np.arange(20), logits.shape)
    assert (read_exactly(logits, temperature, kinds, canonical).gate_confidence != theirs).any()


def test_no_other_row_moves_a_figure():
    rng = np.random.default_rng(4)
    for count in (1, 2, 7, 9, 33, 200):
        logits = rng.normal(0, 3, (70, count)).astype(np.float32)
        order = np.argsort(rng.random((70, count)), axis=1)
        temperature, kinds = rng.uniform(0.5, 2, 70), ["score"] * 70
        together = read_as_runtime(logits, temperature, kinds, order)
        for i in range(70):
            alone = read_as_runtime(logits[i : i + 1], temperature[i : i + 1], kinds[:1], order[i : i + 1])
            for whole, part in zip(together, alone, strict=True):
                assert (whole[i] == part[0]).all()
