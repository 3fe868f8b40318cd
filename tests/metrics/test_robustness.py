"""Pairs of probability vectors against plain loops, known answers, a degenerate grid; and their rows with intervals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.metrics import (
    ROBUSTNESS_METRICS,
    PairColumns,
    PairFigures,
    SliceColumn,
    compare_pairs,
    summarise_pairs,
    summarise_robustness,
)

LN2 = math.log(2.0)


def by_hand(p, q):
    """One pair in plain Python, from the definitions of REQUIREMENTS C4."""
    drift = [abs(b - a) for a, b in zip(p, q, strict=True)]
    js = 0.0
    for a, b in zip(p, q, strict=True):
        m = (a + b) / 2
        js += (a * math.log(a / m) if a else 0.0) / 2 + (b * math.log(b / m) if b else 0.0) / 2
    return p.index(max(p)) == q.index(max(q)), sum(drift) / len(p), max(drift), js, max(q) - max(p)


def summary_by_hand(pairs):
    agree, mean, largest, js, gain = zip(*pairs, strict=True)
    n = len(pairs)
    return {
        "n": n,
        "semantic_agreement_rate": sum(agree) / n,
        "mean_probability_drift": sum(mean) / n,
        "max_probability_drift": max(largest),
        "mean_js_divergence": sum(js) / n,
        "mean_confidence_drift": sum(gain) / n,
        "mean_absolute_confidence_drift": sum(map(abs, gain)) / n,
        "worst_confidence_increase_on_disagreement": max(
            [0.0, *(g for a, g in zip(agree, gain, strict=True) if not a)]
        ),
    }


@st.composite
def pair_lists(draw):
    pairs = []
    for _ in range(draw(st.integers(1, 12))):
        count = draw(st.integers(1, 6))
        weights = st.lists(st.integers(0, 9), min_size=count, max_size=count).filter(any)
        pair = [draw(weights), draw(weights)]
        pairs.append([[value / sum(side) for value in side] for side in pair])
    return pairs


@settings(deadline=None, max_examples=40)
@given(pair_lists())
def test_pairs_of_any_option_counts_equal_plain_loops(pairs):
    found = compare_pairs([p for p, _ in pairs], [q for _, q in pairs])
    expected = [by_hand(p, q) for p, q in pairs]
    assert found.agreement.tolist() == [pair[0] for pair in expected]
    names = ("mean_probability_drift", "max_probability_drift", "js_divergence", "confidence_drift")
    for place, name in enumerate(names, start=1):
        assert getattr(found, name) == pytest.approx([pair[place] for pair in expected], abs=1e-12), name
    assert summarise_pairs(found) == pytest.approx(summary_by_hand(expected), abs=1e-12)


def test_a_matrix_and_its_rows_are_the_same_pairs():
    rng = np.random.default_rng(3)
    p, q = rng.dirichlet(np.ones(5), 40), rng.dirichlet(np.ones(5), 40)
    whole, rows = compare_pairs(p, q), compare_pairs([*p], [*q])
    for name in PairFigures.__dataclass_fields__:
        assert np.array_equal(getattr(whole, name), getattr(rows, name)), name


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ([1.0, 0.0], [0.0, 1.0], (False, 1.0, 1.0, LN2, 0.0)),
        ([0.5, 0.5], [0.5, 0.5], (True, 0.0, 0.0, 0.0, 0.0)),
        ([0.5, 0.5], [0.4, 0.6], (False, 0.1, 0.1, None, 0.1)),  # the tie is the first option's
        ([0.4, 0.4, 0.2], [0.2, 0.4, 0.4], (False, 0.4 / 3, 0.2, None, 0.0)),
        ([1.0], [1.0], (True, 0.0, 0.0, 0.0, 0.0)),
    ],
)
def test_known_answers(p, q, expected):
    found = compare_pairs([p], [q])
    got = [getattr(found, name)[0] for name in PairFigures.__dataclass_fields__]
    for value, known in zip(got, expected, strict=True):
        assert known is None or value == pytest.approx(known, abs=1e-12)


def test_no_pairs_are_no_agreement():
    assert summarise_pairs(compare_pairs([], [])) == {"n": 0}
    assert summarise_pairs(compare_pairs(np.zeros((0, 3)), np.zeros((0, 3)))) == {"n": 0}


def test_the_worst_increase_is_of_changed_answers_alone():
    agreeing = compare_pairs([[0.6, 0.4]], [[0.9, 0.1]])
    losing = compare_pairs([[0.9, 0.1]], [[0.4, 0.6]])
    gaining = compare_pairs([[0.6, 0.4]], [[0.3, 0.7]])
    name = "worst_confidence_increase_on_disagreement"
    assert [summarise_pairs(pairs)[name] for pairs in (agreeing, losing)] == [0.0, 0.0]
    assert summarise_pairs(PairFigures.concat([agreeing, losing, gaining]))[name] == pytest.approx(0.1)


def test_answers_read_off_the_logits_decide_agreement():
    found = compare_pairs([[0.5, 0.5]], [[0.5, 0.5]], [1], [0])
    assert found.agreement.tolist() == [False]
    with pytest.raises(ValueError, match="1 answers"):
        compare_pairs([[0.5, 0.5]], [[0.5, 0.5]], [1, 0], [0])


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([[0.5, 0.5]], []),
        ([[0.5, 0.5]], [[0.5, 0.25, 0.25]]),
        ([[0.5, 0.6]], [[0.5, 0.5]]),
        ([[1.5, -0.5]], [[0.5, 0.5]]),
        ([[math.nan, 1.0]], [[0.5, 0.5]]),
        ([[]], [[]]),
    ],
)
def test_what_is_no_pair_of_distributions_is_refused(p, q):
    with pytest.raises(ValueError, match="Expected"):
        compare_pairs(p, q)


def columns_of(pairs, right, source, language):
    before, after = np.array(right, dtype=np.int8).T
    return PairColumns(
        compare_pairs([p for p, _ in pairs], [q for _, q in pairs]),
        before,
        after,
        np.array(source, dtype=np.int32),
        {"language": SliceColumn.of(language)},
    )


@pytest.fixture(scope="module")
def columns():
    rng = np.random.default_rng(7)
    pairs = [(rng.dirichlet(np.ones(k)).tolist(), rng.dirichlet(np.ones(k)).tolist()) for k in [2, 3, 4] * 30]
    right = rng.integers(0, 2, (90, 2))
    right[::7] = -1
    return pairs, right.tolist(), (np.arange(90) // 3).tolist(), ["de", "en", "fr"] * 30


def figures(rows, dimension="overall", value=""):
    return {row.metric: row for row in rows if (row.slice_dimension, row.slice_value) == (dimension, value)}


def test_rows_are_the_summary_of_their_slice_with_its_interval(columns):
    pairs, right, _, language = columns
    rows = summarise_robustness(columns_of(*columns), replicates=200)
    for place in (("overall", ""), *(("language", code) for code in ("de", "en", "fr"))):
        own = [i for i in range(90) if place[1] in ("", language[i])]
        found, expected = figures(rows, *place), summary_by_hand([by_hand(*pairs[i]) for i in own])
        for name in ROBUSTNESS_METRICS:
            assert found[name].value == pytest.approx(expected[name], abs=1e-12)
            assert (found[name].n, found[name].n_clusters) == (len(own), 30)
        known = [right[i] for i in own if right[i][0] >= 0]
        assert found["flip_rate"].value == pytest.approx(1 - expected["semantic_agreement_rate"])
        assert found["accuracy_drop"].value == pytest.approx(sum(a - b for a, b in known) / len(known))
        assert found["right_to_wrong_rate"].value == pytest.approx(known.count([1, 0]) / len(known))
        assert found["wrong_to_right_rate"].value == pytest.approx(known.count([0, 1]) / len(known))
        assert found["accuracy_drop"].n == len(known) < len(own)
        for row in found.values():
            extreme = row.metric.startswith(("max_", "worst_"))
            assert (row.low is None) == extreme
            assert extreme == ((row.reason or "").startswith("no interval: "))
            assert extreme or row.low <= row.value <= row.high


def test_copies_of_a_pair_under_its_source_tell_nothing_new(columns):
    pairs, right, _, language = columns
    source = [*range(90)]
    once = figures(summarise_robustness(columns_of(pairs, right, source, language), replicates=300))
    ten = columns_of(pairs * 10, right * 10, source * 10, language * 10)
    copied = figures(summarise_robustness(ten, replicates=300))
    apart = figures(summarise_robustness(columns_of(pairs * 10, right * 10, range(900), language * 10), replicates=300))
    for name in ("semantic_agreement_rate", "mean_probability_drift", "mean_js_divergence", "accuracy_drop"):
        width = once[name].high - once[name].low
        assert copied[name].high - copied[name].low >= 0.9 * width, name
        assert apart[name].high - apart[name].low < 0.6 * width, name


def test_the_bootstrap_of_a_mean_is_as_wide_as_its_standard_error():
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(4), 400)
    q = rng.dirichlet(np.ones(4), 400)
    columns = columns_of([*zip(p, q, strict=True)], [[-1, -1]] * 400, range(400), ["en"] * 400)
    row = figures(summarise_robustness(columns, replicates=1000))["mean_probability_drift"]
    error = np.std(np.abs(p - q).mean(axis=1), ddof=1) / 20
    assert row.high - row.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_empty_groups_say_n_0_and_invent_nothing():
    empty = PairColumns(
        compare_pairs([], []),
        np.zeros(0, np.int8),
        np.zeros(0, np.int8),
        np.zeros(0, np.int32),
        {"language": SliceColumn.of([])},
    )
    rows = summarise_robustness(empty, expected={"language": ["en"]})
    assert {(row.slice_value, row.value, row.n, row.reason) for row in rows} == {
        ("", None, 0, "no pairs"),
        ("en", None, 0, "no pairs"),
    }


def test_unlabelled_pairs_have_drift_and_no_accuracy(columns):
    pairs, _, source, language = columns
    rows = figures(summarise_robustness(columns_of(pairs, [[-1, -1]] * 90, source, language), replicates=20))
    assert rows["semantic_agreement_rate"].n == 90
    drop = rows["accuracy_drop"]
    assert (drop.value, drop.n, drop.reason) == (None, 0, "no labelled pairs")


def test_one_pair_and_one_source_have_a_value_and_no_interval(columns):
    pairs, right, _, language = columns
    one = figures(summarise_robustness(columns_of(pairs[:1], right[1:2], [0], language[:1])))
    assert one["mean_probability_drift"].reason == "no interval: one pair"
    same = figures(summarise_robustness(columns_of(pairs[:9], right[:9], [4] * 9, language[:9])))
    assert same["semantic_agreement_rate"].reason == "no interval: one cluster"
