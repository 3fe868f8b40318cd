"""Figures of stored logits against a straight-line recomputation, and the degenerate cases."""

import itertools
import json
import statistics

import numpy as np
import pytest
from builders import SLOT0, design_of, facts_table, presented_facts

from laya_sweep.metrics import Interval
from laya_sweep.results.check_figure import check_result, figure_of
from laya_sweep.results.check_readings import read_checks
from laya_sweep.suites.check_gates import CheckLimits

STATES = ("a", "b", "c", "d")


def evaluated(logits_of, **changes):
    """Check -> readings of one language, from rows that stand in any order."""
    language = design_of(states=STATES, **changes).languages["en"]
    rows, places = presented_facts(language, logits_of)
    np.random.default_rng(3).shuffle(rows)
    return {found.check: found for found in read_checks("en", language, facts_table(rows), places)}


def noise(seed=0):
    rng = np.random.default_rng(seed)
    return lambda question: rng.normal(0, 2, len(question["criteria"])).tolist()


def test_a_figure_is_the_mean_over_states_and_configurations():
    """By plain loops over the facts, with statistics.mean and no array."""
    language = design_of(states=STATES).languages["en"]
    rows, places = presented_facts(language, noise())
    stored = {(row["case_id"], row["question"]): [float(np.float32(x)) for x in row["logits"]] for row in rows}
    found = {one.check: one for one in read_checks("en", language, facts_table(rows), places)}
    terms = [
        [
            stored[f"score_slot0_identical {state}", f"score_slot0_identical/{text}/{k}"][0]
            - statistics.mean(stored[f"score_slot0_identical {state}", f"score_slot0_identical/{text}/{k}"])
            for text in SLOT0["texts"]
            for k in SLOT0["levels"]
        ]
        for state in range(4)
    ]
    document = check_result(found["score_slot0_identical"], None).document()
    assert document["value"] == pytest.approx(statistics.mean(itertools.chain(*terms)), abs=1e-12)
    assert document["per_state"] == pytest.approx([statistics.mean(row) for row in terms], abs=1e-12)
    columns = [statistics.mean(column) for column in zip(*terms, strict=True)]
    assert [entry["value"] for entry in document["per_configuration"]] == pytest.approx(columns, abs=1e-12)
    left_out = [statistics.mean(itertools.chain(*(row for j, row in enumerate(terms) if j != i))) for i in range(4)]
    assert document["leave_one_state_out"] == pytest.approx({"low": min(left_out), "high": max(left_out)}, abs=1e-12)
    assert (document["n"], document["n_states"]) == (24, 4)
    slots = document["per_configuration"][2]["slots"]
    logits = np.array(
        [stored[f"score_slot0_identical {state}", "score_slot0_identical/moderate/5"] for state in range(4)]
    )
    assert slots == pytest.approx((logits - logits.mean(axis=1, keepdims=True)).mean(axis=0).tolist(), abs=1e-12)


def hole(question):
    """A slot-0 hole of one logit."""
    return [-1.0] + [0.0] * (len(question["criteria"]) - 1)


def test_a_slot_0_hole_fails_both_checks():
    found = evaluated(hole)
    slot0 = check_result(found["score_slot0_identical"], CheckLimits(min=-0.2))
    first = check_result(found["score_first_slot_permuted"], CheckLimits(min=0.15))
    assert slot0.figure.measure.value == pytest.approx(-statistics.mean([2 / 3, 3 / 4, 4 / 5]), abs=1e-12)
    assert first.figure.measure.value == 0.0
    assert (slot0.passed, first.passed) == (False, False)


@pytest.mark.parametrize("logits", [[0.0, 0.0, 0.0], [0.5, 0.1, -3.0], [1.0, 1.0, 0.0], [-1.0, 2.0, 2.0]])
def test_an_order_invariant_engine_gives_exactly_one_third(logits):
    def by_text(question):
        texts = ["Not urgent", "Soon", "Work is blocked"]
        return [dict(zip(texts, logits, strict=True)).get(text, 1.0) for text in question["criteria"]]

    found = evaluated(by_text)
    figure = figure_of([found["score_first_slot_permuted"]])
    assert figure.measure.value == 1 / 3
    assert figure.leave_one_out == Interval(1 / 3, 1 / 3)
    assert figure_of([found["score_first_slot_permuted"]] * 3).measure.value == 1 / 3
    assert figure.limits.reason == "no interval: all 4 states give the same value"
    assert figure_of([found["score_slot0_identical"]]).measure.value == 0.0


def test_the_interval_resamples_states_and_holds_the_value():
    found = evaluated(noise(1))["score_slot0_identical"]
    figure = figure_of([found])
    assert figure.limits.low < figure.measure.value < figure.limits.high
    assert figure_of([found]) == figure
    # Ten copies of a state's readings tell nothing new.
    wider = type(found)(found.check, "en", np.tile(found.values, 10), found.slots, found.names * 10, 0, 0)
    again = figure_of([wider])
    assert again.measure.value == pytest.approx(figure.measure.value, abs=1e-12)
    assert again.limits[:2] == pytest.approx(figure.limits[:2], abs=1e-12)
    assert again.measure.n == figure.measure.n * 10


def test_pooling_languages_keeps_a_state_together():
    one, two = evaluated(noise(2))["score_slot0_identical"], evaluated(noise(3))["score_slot0_identical"]
    pooled = figure_of([one, two])
    assert pooled.measure.value == pytest.approx(np.concatenate([one.values, two.values]).mean(), abs=1e-12)
    assert (pooled.measure.n, pooled.n_states) == (48, 4)
    left = [np.delete(np.hstack([one.values, two.values]), i, axis=0).mean() for i in range(4)]
    assert pooled.leave_one_out == pytest.approx((min(left), max(left)), abs=1e-12)


def broken(kind):
    language = design_of(states=STATES).languages["en"]
    rows, places = presented_facts(language, noise())
    if kind == "absent":
        del rows[5]
    elif kind == "error":
        rows[5] = {**rows[5], "status": "error", "logits": None}
    else:
        rows[5] = {**rows[5], "logits": [float("nan"), 1.0, 0.0]}
    return {found.check: found for found in read_checks("en", language, facts_table(rows), places)}


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("absent", "1 of 24 readings are missing"),
        ("error", "1 of 24 readings are missing"),
        ("nan", "1 of 24 readings have logits that are not finite"),
    ],
)
def test_a_figure_over_a_part_of_the_states_is_no_figure(kind, reason):
    found = broken(kind)
    result = check_result(found["score_slot0_identical"], CheckLimits(min=-100.0))
    assert (result.figure.measure.value, result.figure.measure.reason, result.passed) == (None, reason, False)
    document = json.loads(json.dumps(result.document(), allow_nan=False))
    assert document["per_state"].count(None) == 1
    assert figure_of([found["score_first_slot_permuted"]]).measure.value is not None
    assert figure_of([found["score_slot0_identical"]] * 2).measure.reason == f"en: {reason}; en: {reason}"
