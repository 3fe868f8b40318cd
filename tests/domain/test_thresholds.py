"""A min_confidence as a value: what is legal, which threshold a bucket gets, one spelling."""

from __future__ import annotations

import itertools
import random

import pytest
from laya.confidence import bucket_keys, check_min_confidence, resolve_min_confidence

from laya_sweep.domain.thresholds import (
    BUCKETS,
    DEFAULT,
    BucketThresholds,
    from_document,
    order,
    parse,
    same_gate,
    shown,
    threshold_at,
    to_document,
)

NAN, INF = float("nan"), float("inf")


def random_map(rng):
    keys = rng.sample([*BUCKETS, DEFAULT], rng.randint(1, 13))
    return {key: rng.choice([0, 1, 0.5, round(rng.random(), 4), rng.random()]) for key in keys}


def answer_of(bucket):
    """A public answer in a bucket, as many options as its size allows."""
    kind, size = bucket.split(":")
    if kind == "noul":
        return {"type": "noul", "noul": 0.5}
    count = {"2": 2, "3-5": 5, "6-10": 6, "11+": 40}[size]
    return {"type": kind, "probabilities": dict.fromkeys(map(str, range(count)), 1 / count)}


def test_buckets_are_those_of_the_runtime():
    assert set(BUCKETS) == bucket_keys()
    assert len(BUCKETS) == len(set(BUCKETS)) == 12


NUMBERS = [
    0.0,
    1.0,
    0,
    1,
    0.7,
    -0.0,
    -0.1,
    1.0001,
    NAN,
    INF,
    -INF,
    True,
    False,
    "0.5",
    "",
    [],
    [0.5],
    {},
    10**400,
    b"0",
]
MAPS = [
    *[{"choice:2": 0.5}, {"default": 0}, {"choice:3": 0.5}, {"noul:11+": 1}, {"choice:2": True}, {"choice:2": None}],
    *[{"choice:2": NAN}, {"choice:2": "0.5"}, {2: 0.5}, {None: 0.5}, {"Default": 0.5}, {"choice:2": {"default": 0.5}}],
    *[{"default": 0.5, "choice:12": 0.5}, {"score:6-10": -1e-9}, {"score:6-10": 1.0}, {"choice:2 ": 0.1}],
]


@pytest.mark.parametrize("value", [*NUMBERS, *MAPS], ids=repr)
def test_what_is_legal_is_what_the_runtime_takes(value):
    try:
        expected = check_min_confidence(value)
    except (ValueError, OverflowError):
        with pytest.raises(ValueError, match="Expected"):
            from_document(value)
    else:
        assert to_document(from_document(value)) == expected


def test_every_bucket_gets_the_threshold_that_the_runtime_resolves():
    rng = random.Random(5)
    for _ in range(300):
        given = random_map(rng)
        value = BucketThresholds.of(given)
        for bucket in BUCKETS:
            if not bucket.startswith("noul") or bucket == "noul:2":
                assert threshold_at(value, bucket) == resolve_min_confidence(answer_of(bucket), given)
        assert to_document(value) == check_min_confidence(given)


def test_an_unnamed_bucket_is_gated_at_nothing_unless_there_is_a_default():
    assert BucketThresholds.of({"choice:2": 0.9}).at("choice:3-5") == 0.0
    assert BucketThresholds.of({"choice:2": 0.9, "default": 0.4}).at("choice:3-5") == 0.4
    assert threshold_at(0.7, "noul:2") == 0.7


def test_the_order_in_which_a_map_is_written_is_no_part_of_it():
    entries = {"default": 0.1, "noul:2": 0.2, "choice:11+": 0.3, "choice:2": 0.4}
    values = {BucketThresholds.of(dict(pairs)) for pairs in itertools.permutations(entries.items())}
    assert [shown(value) for value in values] == ["{choice:2: 0.4, choice:11+: 0.3, noul:2: 0.2, default: 0.1}"]


def test_one_spelling_that_reads_back_exactly():
    rng = random.Random(6)
    values = [None, 0.0, 1.0, 0.7, 0.70000001, 1e-7, 1 / 3, *(BucketThresholds.of(random_map(rng)) for _ in range(200))]
    assert len({shown(value) for value in values}) == len(set(values))
    for value in values:
        assert parse(shown(value)) == parse(shown(value).replace(" ", "")) == value
    assert parse('{"choice:3-5": 0.5, "default": 1}') == BucketThresholds.of({"choice:3-5": 0.5, "default": 1})
    assert parse(" 0.50 ") == 0.5


@pytest.mark.parametrize(
    "text",
    ["", "x", "nan", "1.5", "{}", "{choice:2}", "{choice:2: x}", "{choice:2: 0.1, choice:2: 0.2}", "{a: 0.1}", "{0.5}"],
)
def test_a_word_that_is_none_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - float() speaks for itself
        parse(text)


def test_none_is_not_zero_and_two_spellings_of_one_gate_are_one():
    zero, seven = BucketThresholds.of({"choice:2": 0.0}), BucketThresholds.of({"default": 0.7})
    assert not same_gate(None, 0.0)
    assert not same_gate(None, zero)
    assert same_gate(None, None)
    assert same_gate(0.0, zero)
    assert same_gate(seven, 0.7)
    assert not same_gate(seven, BucketThresholds.of({"default": 0.7, "noul:2": 0.6}))
    assert same_gate(seven, BucketThresholds.of(dict.fromkeys(BUCKETS, 0.7)))


def test_numbers_come_before_maps():
    one, other = BucketThresholds.of({"choice:2": 0.1}), BucketThresholds.of({"default": 0.0})
    assert sorted([other, 0.9, one, 0.0], key=order) == [0.0, 0.9, one, other]
