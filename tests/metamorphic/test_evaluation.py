"""Corpora through scorers whose figures are known by hand."""

import json
import math
import random
import statistics

import numpy as np
import pytest

from laya_sweep.metamorphic import (
    MetamorphicCase,
    compare_predictions,
    evaluate,
    evaluate_variants,
    permute_options,
    rename_labels,
)

OPTIONS = ("set an alarm", "play music", "ask for rain")


def corpus(count=7):
    question = {"type": "choice", "instructions": "?", "criteria": {f"k{i}": text for i, text in enumerate(OPTIONS)}}
    return [({"utterance": f"text {i}"}, {"intent": question}) for i in range(count)]


def shown(one):
    [question] = one.questions.values()
    return question["criteria"]


def by_meaning(inputs):
    """Reads the descriptions alone: order and names are nothing to it."""
    return [
        [{text: (0.7, 0.2, 0.1)[i] for i, text in enumerate(OPTIONS)}[text] for text in shown(one).values()]
        for one in inputs
    ]


def first_slot(inputs):
    return [[0.8, 0.1, 0.1] for _ in inputs]


def by_name(inputs):
    """Answers k1 where there is a k1, else whatever comes last."""
    return [
        np.array([0.9 if key == ("k1" if "k1" in shown(one) else "C") else 0.05 for key in shown(one)])
        for one in inputs
    ]


def test_whoever_reads_the_meaning_agrees_without_drift():
    report = evaluate(corpus(), by_meaning, [0] * 7)["report"]
    for group in ("option_order", "label_rename", "overall"):
        assert report[group]["n"] == (14 if group == "overall" else 7)
        assert report[group]["semantic_agreement_rate"] == 1.0
        for name in ("mean_probability_drift", "max_probability_drift", "mean_js_divergence", "mean_confidence_drift"):
            assert report[group][name] == 0.0
        assert report[group]["worst_confidence_increase_on_disagreement"] == 0.0
    assert {name: entry["accuracy"] for name, entry in report["quality"].items()} == {
        "baseline": 1.0,
        "option_order": 1.0,
        "label_rename": 1.0,
    }
    assert report["quality"]["baseline"]["ece"] == pytest.approx(0.3)


def test_always_the_first_slot_agrees_where_the_first_option_stays_first():
    """By the draws themselves: 64 bits a case from one generator, then Python's own shuffle."""
    walk, first = random.Random(5), []
    for _ in range(40):
        order, own = [0, 1, 2], random.Random(walk.getrandbits(64))
        own.shuffle(order)
        order = [1, 2, 0] if order == [0, 1, 2] else order
        first.append(order[0])
    report = evaluate(corpus(40), first_slot, seed=5)["report"]
    kept = [index == 0 for index in first]
    assert report["option_order"]["semantic_agreement_rate"] == statistics.mean(kept)
    assert report["label_rename"]["semantic_agreement_rate"] == 1.0
    assert report["overall"]["semantic_agreement_rate"] == statistics.mean([*kept, *[True] * 40])
    moved = 2 * 0.7 / 3
    assert report["option_order"]["mean_probability_drift"] == pytest.approx(moved * (1 - statistics.mean(kept)))
    assert report["option_order"]["max_probability_drift"] == pytest.approx(0.7)
    middle = 0.45
    js = 0.8 * math.log(0.8 / middle) + 0.1 * math.log(0.1 / middle)
    assert report["option_order"]["mean_js_divergence"] == pytest.approx(js * (1 - statistics.mean(kept)))


def test_a_name_that_is_followed_shows_under_renaming_alone():
    report = evaluate(corpus(), by_name, [1] * 7)["report"]
    assert report["option_order"]["semantic_agreement_rate"] == 1.0
    assert report["label_rename"]["semantic_agreement_rate"] == 0.0
    assert report["overall"]["semantic_agreement_rate"] == 0.5
    assert report["quality"]["label_rename"]["accuracy"] == 0.0
    assert report["quality"]["option_order"]["accuracy"] == 1.0


def test_a_tie_goes_to_the_first_canonical_option():
    result = evaluate(corpus(), lambda inputs: [[1 / 3] * 3] * len(inputs))
    for case in result["cases"]:
        assert [answer["pred_index"] for answer in case["variants"]] == [0, 0, 0]
    assert result["report"]["overall"]["semantic_agreement_rate"] == 1.0


def test_batches_never_change_what_is_shown():
    asked = []

    def noting(inputs):
        asked.append(len(inputs))
        return by_meaning(inputs)

    whole = evaluate(corpus(), noting, batch_size=100)
    assert asked == [21]
    assert evaluate(corpus(), noting, batch_size=4) == whole
    assert asked[1:] == [4, 4, 4, 4, 4, 1]
    assert evaluate(corpus(), by_meaning, seed=14)["cases"] != whole["cases"]


def test_gold_is_optional_case_by_case():
    assert evaluate(corpus(), by_meaning)["report"]["quality"]["baseline"] == {"n_labelled": 0}
    some = evaluate(corpus(3), by_meaning, [None, 0, 2])
    assert some["report"]["quality"]["baseline"]["n_labelled"] == 2
    assert some["report"]["quality"]["baseline"]["accuracy"] == 0.5
    assert [case["variants"][0]["correct"] for case in some["cases"]] == [None, True, False]


def test_nothing_is_no_perfect_agreement():
    empty = evaluate([], by_meaning)
    assert empty["report"]["overall"] == empty["report"]["option_order"] == {"n": 0}
    assert empty["report"]["quality"]["label_rename"] == {"n_labelled": 0}
    case = MetamorphicCase(*corpus()[0])
    one = evaluate_variants(None, case, [rename_labels(case)], score=by_meaning)
    report = compare_predictions(baseline=one.baseline, variants=one.variants)
    assert (report["option_order"], report["label_rename"]["n"], report["overall"]["n"]) == ({"n": 0}, 1, 1)


def test_a_result_is_plain_json_with_every_mapping():
    result = json.loads(json.dumps(evaluate(corpus(2), first_slot, [0, None]), allow_nan=False))
    case = result["cases"][0]
    first, order, renamed = case["variants"]
    assert case["options"] == first["presented_options"] == ["k0", "k1", "k2"]
    assert [first["kind"], order["kind"], renamed["kind"]] == ["baseline", "option_order", "label_rename"]
    assert order["presented_options"][0] == case["options"][order["canonical_indices"][0]]
    assert "comparison" not in first
    assert order["probabilities"][order["canonical_indices"][0]] == 0.8
    assert renamed["transformed_to_canonical"] == {"A": "k0", "B": "k1", "C": "k2"}
    assert order["comparison"]["semantic_agreement"] == (order["canonical_indices"][0] == 0)


def test_cases_may_be_made_before():
    cases = [MetamorphicCase(*pair, gold_index=0) for pair in corpus()]
    assert evaluate(cases, by_meaning) == evaluate(corpus(), by_meaning, [0] * 7)
    with pytest.raises(ValueError, match="case 0 to have one gold index"):
        evaluate(cases, by_meaning, [1] * 7)


@pytest.mark.parametrize(
    "answer",
    [[0.5, 0.5], [0.5, 0.6, 0.1], [1.2, -0.1, -0.1], [math.nan, 0.5, 0.5], [[0.2, 0.3, 0.5]], 1.0, []],
)
def test_a_scorer_that_gives_no_distribution_is_refused(answer):
    with pytest.raises(ValueError, match="Expected 3 probabilities with the sum 1, for k0, k1, k2"):
        evaluate(corpus(), lambda inputs: [answer] * len(inputs))


@pytest.mark.parametrize("extra", [-1, 1])
def test_a_scorer_that_loses_or_adds_inputs_is_refused(extra):
    with pytest.raises(ValueError, match=r"Expected 16 probability vectors from the scorer, but got 1[57]"):
        evaluate(corpus(), lambda inputs: [[1.0, 0.0, 0.0]] * (len(inputs) + extra))


def test_misuse_says_what_was_expected():
    case = MetamorphicCase(*corpus()[0])
    with pytest.raises(ValueError, match="neither"):
        evaluate_variants(None, case, [])
    with pytest.raises(ValueError, match="both"):
        evaluate_variants(object(), case, [], score=by_meaning)
    with pytest.raises(ValueError, match="7 gold indices, but got 1"):
        evaluate(corpus(), by_meaning, [0])
    with pytest.raises(ValueError, match="case 1: Expected one question"):
        evaluate([corpus()[0], ("state", {})], by_meaning)
    with pytest.raises(ValueError, match="batch_size"):
        evaluate(corpus(), by_meaning, batch_size=0)


def test_variants_of_ones_own_are_compared_one_by_one():
    case = MetamorphicCase(*corpus()[0], gold_index=0)
    variants = [permute_options(case, seed) for seed in range(5)]
    results = evaluate_variants(None, case, variants, score=first_slot, batch_size=2)
    assert [one.variant for one in results.variants] == variants
    assert [one.index for one in results.variants] == [variant.canonical_indices[0] for variant in variants]
    report = compare_predictions(baseline=results.baseline, variants=results.variants)
    assert report["option_order"]["n"] == report["overall"]["n"] == 5
