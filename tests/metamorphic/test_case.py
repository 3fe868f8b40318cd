"""Cases and the ways they are shown: independent copies, explicit mappings, what is no case."""

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.metamorphic import MetamorphicCase, permute_options, rename_labels, untouched


def make_case(count=4, gold=None, **question):
    criteria = {f"label_{i}": f"text {i}" for i in range(count)}
    asked = {"type": "choice", "instructions": "Which?", "criteria": criteria} | question
    return MetamorphicCase({"utterance": "hello", "turns": ["a"]}, {"intent": asked}, gold)


def pairs(variant):
    return [*variant.questions["intent"]["criteria"].items()]


@given(st.integers(2, 30), st.integers(0, 2**64))
@settings(max_examples=60)
def test_a_permutation_moves_pairs_together_and_is_never_the_identity(count, seed):
    case = make_case(count)
    variant = permute_options(case, seed)
    before = [*case.question["criteria"].items()]
    assert pairs(variant) == [before[i] for i in variant.canonical_indices]
    assert sorted(variant.canonical_indices) == [*range(count)]
    assert variant.canonical_indices != tuple(range(count))
    assert variant.presented_keys == tuple(key for key, _ in pairs(variant))
    same = {key: key for key in case.question["criteria"]}
    assert variant.canonical_to_transformed == variant.transformed_to_canonical == same


def test_the_draw_is_the_published_one():
    """`random.Random(seed).shuffle`, and where that changes nothing one slot on."""
    for seed in range(200):
        order = [*range(3)]
        random.Random(seed).shuffle(order)
        expected = order if order != [0, 1, 2] else [1, 2, 0]
        assert permute_options(make_case(3), seed).canonical_indices == tuple(expected)


def test_renaming_keeps_slots_and_descriptions():
    case = make_case(28)
    variant = rename_labels(case)
    names = [*string.ascii_uppercase, "key_26", "key_27"]
    assert pairs(variant) == [(name, f"text {i}") for i, name in enumerate(names)]
    assert variant.canonical_indices == tuple(range(28))
    assert variant.canonical_to_transformed == {f"label_{i}": name for i, name in enumerate(names)}
    assert variant.transformed_to_canonical == {name: f"label_{i}" for i, name in enumerate(names)}


@pytest.mark.parametrize("make", [untouched, rename_labels, lambda case: permute_options(case, 1)])
def test_a_variant_is_an_independent_copy(make):
    case = make_case()
    variant = make(case)
    variant.state["turns"].append("b")
    variant.questions["intent"]["criteria"]["new"] = "x"
    variant.questions["other"] = {}
    assert case == make_case()


@pytest.mark.parametrize("gold", [-1, 4, True, 1.0, "label_0"])
def test_a_gold_index_is_one_of_the_options(gold):
    with pytest.raises(ValueError, match=r"`gold_index` to be None or within 0 \.\. 3"):
        make_case(gold=gold)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        ({}, "one question a case, but got 0"),
        ({"a": {"type": "noul"}, "b": {"type": "noul"}}, r"but got 2: \['a', 'b'\]"),
        ({"a": {"type": "noul", "instructions": "?"}}, "a noul question"),
        ({"a": {"type": "score", "criteria": ["x", "y"]}}, "a score question"),
        ({"a": {"type": "choice", "criteria": {"x": "only"}}}, "a single option"),
        ({"a": {"type": "choice", "criteria": ["x", "y"]}}, "an option without a description"),
    ],
)
def test_what_is_no_case_says_why(questions, said):
    with pytest.raises(ValueError, match=said):
        MetamorphicCase("text", questions)
