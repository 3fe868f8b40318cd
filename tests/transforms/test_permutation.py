"""Orders of options: what they keep, how they are drawn, and that nothing but the case decides them."""

import copy
import itertools
import math
import random

import pytest
from builders import make_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.settings import TransformSettings
from laya_sweep.transforms.permutation import distinct_orders, permute, shuffled
from laya_sweep.transforms.registry import present

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def choice(count, **changes):
    return {
        "type": "choice",
        "instructions": "?",
        "criteria": {LETTERS[i]: f"text {i}" for i in range(count)},
        **changes,
    }


QUESTIONS = [
    choice(4),
    choice(4, criteria=["w", "x", "y", "z"]),
    choice(3, option_order=[2, 0, 1]),
    {"type": "score", "instructions": "?", "criteria": ["low", "mid", "high"]},
    {"type": "noul", "instructions": "?"},
    {"type": "noul", "instructions": "?", "labels": {"false": "nej", "true": "ja"}, "option_order": [1, 0]},
]


def count_of(question):
    return 2 if question["type"] == "noul" else len(question["criteria"])


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["type"])
def test_every_order_shows_each_option_where_it_says_and_leads_back(question):
    before = copy.deepcopy(question)
    for order in itertools.permutations(range(count_of(question))):
        shown = permute(question, order)
        assert shown.slots == order
        # What the runtime does with the question: slot s holds place option_order[s] of the criteria.
        places = shown.question.get("option_order", range(len(order)))
        assert tuple(shown.canonical_indices[place] for place in places) == order
        assert [shown.transformed_to_canonical[key] for key in shown.presented_keys] == [
            shown.canonical_labels[index] for index in order
        ]
        if question["type"] == "choice" and isinstance(question["criteria"], dict):
            assert shown.question["criteria"] == question["criteria"]  # the pairs, whatever their order
            assert [*shown.question["criteria"]] == [[*question["criteria"]][index] for index in order]
        if question["type"] != "choice":
            assert shown.question.get("criteria") == question.get("criteria")
    shown.question["instructions"] = "changed"
    assert question == before


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 2, 2], [0, 1, 2, 4], []])
def test_an_order_that_is_no_permutation_is_refused(order):
    with pytest.raises(ValueError, match=r"each of 0 \.\. 3 once"):
        permute(choice(4), order)


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**9))
def test_a_shuffle_is_never_the_identity(count, seed):
    order = shuffled(count, random.Random(seed))
    assert sorted(order) == [*range(count)]
    assert order != tuple(range(count))


def test_a_drawn_identity_is_turned_by_one_slot():
    class Identity(random.Random):
        def shuffle(self, values):
            pass

    assert shuffled(4, Identity()) == (1, 2, 3, 0)
    assert shuffled(1, Identity()) == (0,)


@settings(deadline=None)
@given(st.integers(2, 5), st.integers(1, 130), st.integers(0, 10**6))
def test_orders_differ_from_each_other_and_the_first_ones_stay(count, wanted, seed):
    def draws(number):
        generators = [random.Random(f"{seed} {k}") for k in range(number)]
        return [lambda generator=generator: shuffled(count, generator) for generator in generators]

    orders = distinct_orders(count, draws(wanted))
    assert len(orders) == len({*orders}) == min(wanted, math.factorial(count) - 1)
    assert tuple(range(count)) not in orders
    assert distinct_orders(count, draws(max(1, wanted // 2)))[: len(orders)] == orders[: max(1, wanted // 2)]


def option_order(**changes):
    return TransformSettings("option_order", **changes)


def slots_of(variants, qid="intent"):
    return [(v.case_id, v.name, v.canonical_indices[qid]) for v in variants]


def test_a_case_alone_decides_its_orders():
    cases = make_cases(12, options=tuple(LETTERS[:6]))
    wanted = {(case, name): slots for case, name, slots in slots_of(present(option_order(variants=3), cases))}
    assert len(wanted) == 36
    assert {name for _, name in wanted} == {"option_order-0", "option_order-1", "option_order-2"}
    alone = [row for case in cases[::-1] for row in slots_of(present(option_order(variants=3), [case]))]
    assert {(case, name): slots for case, name, slots in alone} == wanted
    assert len({*wanted.values()}) > 25  # not one order for all
    other = present(option_order(variants=3, seed=14), cases)
    assert {row[:2] for row in slots_of(other)} == {*wanted}
    assert sum(slots == wanted[case, name] for case, name, slots in slots_of(other)) < 6


def test_each_question_of_a_case_is_drawn_by_itself():
    questions = {f"q{i}": choice(8) for i in range(6)}
    [case] = freeze([Draft("1", 0, "en", "state", questions, {})])
    for sampler in ("by_case", "published"):
        [variant] = present(option_order(sampler=sampler), [case])
        assert len({*variant.canonical_indices.values()}) == 6


def test_the_published_sampler_is_the_published_sequence():
    """Seed 000: one generator a language hands each case 64 bits, which seed the shuffle of its options."""
    cases = make_cases(40, options=("a", "b", "c"))
    walk, expected = random.Random(13), []
    for _ in cases:
        order = [0, 1, 2]
        random.Random(walk.getrandbits(64)).shuffle(order)
        expected.append(tuple(order if order != [0, 1, 2] else [1, 2, 0]))
    published = present(option_order(sampler="published"), cases)
    assert [variant.canonical_indices["intent"] for variant in published] == expected
    assert (1, 2, 0) in expected
    assert slots_of(present(option_order(sampler="published"), cases[:7])) == slots_of(published[:7])
    more = present(option_order(sampler="published", variants=3), cases)
    assert slots_of([variant for variant in more if variant.name == "option_order-0"]) == slots_of(published)


def test_a_question_of_two_options_has_one_order_and_the_other_has_its_three():
    [case] = freeze([Draft("1", 0, "en", "state", {"two": choice(2), "five": choice(5)}, {})])
    variants = present(option_order(variants=3), [case])
    assert [[*variant.questions] for variant in variants] == [["two", "five"], ["five"], ["five"]]
    assert variants[0].canonical_indices["two"] == (1, 0)


def test_an_order_of_its_own_is_where_the_draw_starts():
    """Shown order 2, 0, 1: what is never repeated is that, not 0, 1, 2."""
    [case] = freeze([Draft("1", 0, "en", "state", {"q": choice(3, option_order=[2, 0, 1])}, {})])
    orders = {variant.canonical_indices["q"] for variant in present(option_order(variants=9), [case])}
    assert orders == {*itertools.permutations(range(3))} - {(2, 0, 1)}
