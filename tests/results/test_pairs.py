"""Pairs of scripted engines whose robustness is known by hand, under every transform and temperature."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from builders import make_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from metamorphic_cells import BASELINE, fixed, pairs_of, side_of

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.settings import TransformSettings
from laya_sweep.metrics import summarise_pairs
from laya_sweep.results.pairs import Side, compared_pairs, pair_columns, pair_table, robustness_rows
from laya_sweep.store.schemas import PAIRS

ORDER = TransformSettings("option_order")
RENAME = TransformSettings("label_rename")
REVERSE = TransformSettings("reverse")


def cases_of(counts, expected=True):
    """One case of one choice an option count; descriptions `0`, `1`, ... name the canonical places."""
    drafts = []
    for row, count in enumerate(counts):
        criteria = {f"label {i}": str(i) for i in range(count)}
        question = {"type": "choice", "instructions": "?", "criteria": criteria}
        drafts.append(Draft(str(row), row, "en", f"state {row}", {"q": question}, {"q": "label 0"} if expected else {}))
    return freeze(drafts)


def texts(variant, qid):
    """Canonical places in the order in which the model reads the options."""
    return [int(text) for text in variant.questions[qid]["criteria"].values()]


def by_meaning(seed):
    """Logits that hang on the case and the description alone: blind to order and labels."""

    def script(variant, qid):
        rng = np.random.default_rng([seed, int(variant.state.split()[1])])
        return rng.normal(0, 3, 30)[texts(variant, qid)].tolist()

    return script


def slot_0(variant, qid):
    return [2.0] + [0.0] * (len(variant.questions[qid]["criteria"]) - 1)


def label_a(variant, qid):
    """Sure of whatever is called A."""
    return [2.0 if label == "A" else 0.0 for label in variant.questions[qid]["criteria"]]


def noisy(seed):
    """Logits that hang on everything: order, labels, case."""

    def script(variant, qid):
        shown = f"{seed} {variant.state} {list(variant.questions[qid]['criteria'].items())}"
        rng = np.random.default_rng([ord(letter) for letter in shown])
        return rng.normal(0, 2, len(variant.questions[qid]["criteria"])).tolist()

    return script


def summary(pairs):
    return summarise_pairs(pair_columns(pairs).figures)


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.integers(2, 28), min_size=1, max_size=5),
    st.integers(0, 10**6),
    st.integers(1, 3),
    st.sampled_from(["option_order", "label_rename", "reverse"]),
    st.sampled_from([0.1, 1.0, 7.5]),
)
def test_an_order_blind_engine_agrees_and_does_not_drift(counts, seed, variants, transform, temperature):
    how = TransformSettings(transform, variants=variants, seed=seed)
    found = summary(pairs_of(by_meaning(seed), cases_of(counts), how, fixed(temperature)))
    assert found.pop("n") == sum(
        min(variants, math.factorial(k) - 1) if transform == "option_order" else 1 for k in counts
    )
    assert found.pop("semantic_agreement_rate") == 1.0
    assert {*found.values()} == {0.0}


def test_an_engine_that_always_takes_slot_0():
    """p = e^2 / (e^2 + k - 1) sits on whatever is first: it leaves option 0 for another and nothing else moves."""
    k = 4
    top, rest = math.exp(2) / (math.exp(2) + k - 1), 1 / (math.exp(2) + k - 1)
    middle = (top + rest) / 2
    found = summary(pairs_of(slot_0, cases_of([k]), REVERSE))
    assert found == pytest.approx(
        {
            "n": 1,
            "semantic_agreement_rate": 0.0,
            "mean_probability_drift": 2 * (top - rest) / k,
            "max_probability_drift": top - rest,
            "mean_js_divergence": top * math.log(top / middle) + rest * math.log(rest / middle),
            "mean_confidence_drift": 0.0,
            "mean_absolute_confidence_drift": 0.0,
            "worst_confidence_increase_on_disagreement": 0.0,
        },
        abs=1e-12,
    )
    pairs = pairs_of(slot_0, cases_of([k] * 60), ORDER).to_pylist()
    first = [pair["variant_pred_index"] for pair in pairs]
    assert {pair["baseline_pred_index"] for pair in pairs} == {0}
    assert [pair["agreement"] for pair in pairs] == [index == 0 for index in first]
    assert {*first} == {0, 1, 2, 3}
    assert summary(pairs_of(slot_0, cases_of([k] * 3), RENAME))["semantic_agreement_rate"] == 1.0


def test_an_engine_that_always_takes_label_a():
    """Nothing is called A until the rename, which calls the first option so: sure where it was even before."""
    k = 4
    top, rest = math.exp(2) / (math.exp(2) + k - 1), 1 / (math.exp(2) + k - 1)
    pairs = pairs_of(label_a, cases_of([k] * 2), RENAME)
    found = summary(pairs)
    assert found["semantic_agreement_rate"] == 1.0  # an even answer is the first option's
    assert found["mean_confidence_drift"] == pytest.approx(top - 1 / k)
    assert found["mean_probability_drift"] == pytest.approx(((top - 1 / k) + (k - 1) * (1 / k - rest)) / k)
    assert [(row["baseline_tied"], row["variant_tied"]) for row in pairs.to_pylist()] == [(True, False)] * 2
    assert summary(pairs_of(label_a, cases_of([k] * 2), ORDER))["mean_probability_drift"] == 0.0


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6), st.floats(1e-3, 1e3))
def test_no_temperature_changes_which_answers_flip(seed, temperature):
    cases = cases_of([2, 3, 5, 7, 20])
    for how in (ORDER, RENAME, REVERSE):
        cold, warm = (pairs_of(noisy(seed), cases, how, fixed(t)) for t in (1.0, temperature))
        assert cold["agreement"].equals(warm["agreement"])
        for side in ("baseline", "variant"):
            assert cold[f"{side}_pred_index"].equals(warm[f"{side}_pred_index"])


def test_exact_ties_are_the_first_canonical_options_in_every_order():
    """Slots of a tie move, its answer does not, and the pair stays."""

    def even(variant, qid):
        return [1.0 if place < 3 else 0.0 for place in texts(variant, qid)]

    for how in (ORDER, REVERSE, TransformSettings("option_order", variants=5)):
        pairs = pairs_of(even, cases_of([5] * 8), how).to_pylist()
        assert len(pairs) == 8 * how.variants
        assert {(p["baseline_pred_index"], p["variant_pred_index"], p["agreement"]) for p in pairs} == {(0, 0, True)}
        assert all(p["baseline_tied"] and p["variant_tied"] for p in pairs)


def test_a_single_option_has_no_order_and_two_have_one():
    assert pairs_of(slot_0, cases_of([1, 1]), ORDER).num_rows == 0
    pairs = pairs_of(slot_0, cases_of([2, 2]), TransformSettings("option_order", variants=4))
    assert pairs["variant"].to_pylist() == ["option_order-0"] * 2
    assert summary(pairs)["semantic_agreement_rate"] == 0.0


def test_batches_leave_no_trace():
    cases = cases_of([3, 4, 5, 6, 7])
    how = TransformSettings("option_order", variants=3)
    tables = [pairs_of(noisy(4), cases, how, batch=batch) for batch in (1, 2, 50)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_scores_and_nouls_come_back_in_canonical_order():
    """Reversed: a level keeps its number and a noul its side, whatever slot shows them."""
    questions = {
        "level": {"type": "score", "instructions": "?", "criteria": ["low", "mid", "high"]},
        "wish": {"type": "noul", "instructions": "?"},
    }
    cases = freeze([Draft("1", 0, "en", "state 1", questions, {"level": 2.0, "wish": False})])

    def first_slot(variant, qid):
        return [4.0, 1.0, 0.0][: 2 if qid == "wish" else 3]

    pairs = {row["question"]: row for row in pairs_of(first_slot, cases, REVERSE).to_pylist()}
    assert (pairs["level"]["baseline_pred_label"], pairs["level"]["variant_pred_label"]) == ("0", "2")
    assert (pairs["wish"]["baseline_pred_label"], pairs["wish"]["variant_pred_label"]) == ("false", "true")
    assert (pairs["level"]["baseline_correct"], pairs["wish"]["variant_correct"]) == (None, False)
    named = pairs_of(first_slot, cases, TransformSettings("noul_labels")).to_pylist()
    assert [(row["question"], row["agreement"], row["mean_probability_drift"]) for row in named] == [
        ("wish", True, 0.0)
    ]


def test_a_pair_needs_both_sides():
    cases = cases_of([3, 4, 5])
    before, after = (side_of(noisy(1), cases, how, fixed()) for how in (BASELINE, ORDER))
    lost = Side(before.decisions.slice(1), before.facts)
    assert pair_table(lost, after)["case_id"].to_pylist() == [case.case_id for case in cases[1:]]
    assert pair_table(before, Side(after.decisions.slice(2), after.facts)).num_rows == 1
    none = pair_table(before, Side(after.decisions.slice(3), after.facts))
    assert none.schema.equals(PAIRS)
    assert robustness_rows(none, ["en"], 50)[0].reason == "no pairs"


def test_a_baseline_carries_the_figures_of_all_its_transforms_weighted_by_pair():
    cases = cases_of([4] * 6)
    key = ResultKey("mine", "option_order", "served")
    pairs = {
        key: pairs_of(noisy(1), cases, TransformSettings("option_order", variants=3)),
        key._replace(transform="reverse"): pairs_of(noisy(1), cases, REVERSE),
    }
    compared = compared_pairs(pairs)
    found = {result: robustness_rows(table, ["en", "de"], 50) for result, table in compared.items()}
    assert {*found} == {*pairs, key._replace(transform="baseline")}

    def rate(result, value=""):
        dimension = "language" if value else "overall"
        [row] = [
            row
            for row in found[result]
            if (row.slice_dimension, row.slice_value, row.metric) == (dimension, value, "semantic_agreement_rate")
        ]
        return row

    whole, parts = rate(key._replace(transform="baseline")), [rate(result) for result in pairs]
    assert [part.n for part in parts] == [18, 6]
    assert whole.value == pytest.approx(sum(part.value * part.n for part in parts) / 24)
    assert (whole.n, whole.n_clusters) == (24, 6)
    assert (rate(key, "en").value, rate(key, "de").value, rate(key, "de").n) == (rate(key).value, None, 0)


def test_flips_stand_beside_what_they_cost():
    """The gold option is the first; an engine on slot 0 is always right before and seldom after."""
    pairs = pairs_of(slot_0, cases_of([5] * 40), ORDER)
    rows = {row.metric: row.value for row in robustness_rows(pairs, ["en"], 50) if row.slice_dimension == "overall"}
    assert rows["flip_rate"] == rows["right_to_wrong_rate"] == rows["accuracy_drop"] > 0.5
    assert rows["wrong_to_right_rate"] == 0.0
    unlabelled = pairs_of(slot_0, cases_of([5] * 4, expected=False), ORDER)
    rows = {row.metric: row for row in robustness_rows(unlabelled, ["en"], 50) if row.slice_dimension == "overall"}
    assert (rows["accuracy_drop"].value, rows["accuracy_drop"].n, rows["flip_rate"].n) == (None, 0, 4)


def test_a_pair_knows_its_case_and_both_cells():
    [case] = make_cases(1)
    [case] = [dataclasses.replace(case, tags=("hot", "new"))]
    [pair] = pairs_of(lambda variant, qid: [0.0, 1.0, 2.0], [case], ORDER).to_pylist()
    assert (pair["case_id"], pair["source_id"], pair["tags"]) == (case.case_id, case.source_id, ["hot", "new"])
    assert (pair["baseline_cell_key"], pair["cell_key"]) == ("key of baseline", "key of option_order")
    assert (pair["baseline_options_distinct"], pair["variant_options_distinct"]) == (3, 3)
    assert pair["absolute_confidence_drift"] == abs(pair["confidence_drift"])
