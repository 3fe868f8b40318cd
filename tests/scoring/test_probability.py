"""Probabilities and confidences, against the runtime's own functions and arithmetic, row by row."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laya.common import answer_confidence, confidence_from_probs
from laya.confidence import apply_confidence_gate

from laya_sweep.scoring.probability import (
    abstains,
    entropy_confidence,
    gate_confidence,
    margin,
    runtime_softmax,
    softmax,
)

OPTION_COUNTS = (1, 2, 3, 5, 7, 8, 9, 11, 16, 17, 20, 33, 60, 129)


def random_logits(options, rows=300, seed=13):
    """Logits of every temper, from flat to saturated, in float32, each with its temperature."""
    generator = np.random.default_rng([seed, options])
    spread = 10.0 ** generator.uniform(-3, 2, size=(rows, 1))
    logits = (generator.normal(size=(rows, options)) * spread).astype(np.float32)
    return logits, generator.uniform(0.05, 6.0, size=rows)


def runtime_row(logits, temperature):
    """The decoder of the runtime, for one row: its divisions, in its order and its types."""
    z = logits / float(temperature)
    p = np.exp(z - z.max())
    p /= p.sum()
    return p


@pytest.mark.parametrize("options", OPTION_COUNTS)
def test_the_gate_compares_what_the_runtime_reports(options):
    logits, temperature = random_logits(options)
    ours, gate = runtime_softmax(logits, temperature), gate_confidence(logits, temperature)
    assert (ours.dtype, gate.dtype) == (np.float32, np.float64)
    for i in range(len(logits)):
        theirs = runtime_row(logits[i], temperature[i])
        assert theirs.dtype == np.float32
        np.testing.assert_array_equal(ours[i], theirs)
        assert gate[i] == round(answer_confidence(theirs, options), 4)


def test_the_gate_does_not_depend_on_the_other_rows_or_the_memory_layout():
    logits, temperature = random_logits(20)
    gate = gate_confidence(logits, temperature)
    np.testing.assert_array_equal(gate_confidence(np.asfortranarray(logits), temperature), gate)
    np.testing.assert_array_equal(gate_confidence(logits[::-1], temperature[::-1]), gate[::-1])
    alone = [gate_confidence(logits[i : i + 1], temperature[i : i + 1])[0] for i in range(len(logits))]
    np.testing.assert_array_equal(alone, gate)


def test_float64_would_not_do_for_the_gate():
    """Why there are two softmaxes: at 4 decimals the two arithmetics part somewhere."""
    logits, temperature = random_logits(20, rows=4000)
    rounded = np.round(softmax(logits, temperature).max(axis=1), 4)
    assert (rounded != gate_confidence(logits, temperature)).any()


@pytest.mark.parametrize("options", OPTION_COUNTS)
def test_softmax_is_exact_to_float64(options):
    logits, temperature = random_logits(options, rows=60)
    for row, t, got in zip(logits, temperature, softmax(logits, temperature), strict=True):
        scaled = [float(value) / t for value in row]
        weights = [math.exp(value - max(scaled)) for value in scaled]
        total = math.fsum(weights)
        np.testing.assert_allclose(got, [weight / total for weight in weights], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1e4, 1e30])
@pytest.mark.parametrize("probabilities_of", [softmax, runtime_softmax])
def test_tiny_and_huge_logits_stay_probabilities(scale, probabilities_of):
    logits = np.array([[1, 0, -1], [-1, -1, -1], [0.5, 0.5, -0.5]], dtype=np.float32) * np.float32(scale)
    p = probabilities_of(logits, np.array([0.5, 1.0, 5.0]))
    assert np.isfinite(p).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(p[1], 1 / 3, rtol=1e-6)
    assert (p.argmax(axis=1) == [0, 0, 0]).all()


@pytest.mark.parametrize("options", OPTION_COUNTS)
def test_entropy_confidence_is_the_runtimes(options):
    p = softmax(*random_logits(options))
    ours = entropy_confidence(p)
    theirs = [confidence_from_probs(row, options) for row in p]
    np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert ((ours >= 0) & (ours <= 1)).all()


def test_entropy_confidence_at_its_ends():
    assert entropy_confidence(np.full((1, 4), 0.25)) == pytest.approx(0.0, abs=1e-12)
    assert entropy_confidence(np.eye(3)[:1]) == pytest.approx(1.0)
    assert entropy_confidence(np.ones((2, 1))).tolist() == [1.0, 1.0]


def test_margin_is_the_gap_of_the_two_best():
    p = softmax(*random_logits(9))
    ordered = np.sort(p, axis=1)
    np.testing.assert_array_equal(margin(p), ordered[:, -1] - ordered[:, -2])
    assert margin(np.array([[0.4, 0.2, 0.4]])).tolist() == [0.0]
    assert margin(np.ones((3, 1))).tolist() == [1.0, 1.0, 1.0]


thresholds = st.none() | st.floats(0, 1) | st.integers(0, 10_000).map(lambda i: i / 10_000)


@settings(deadline=None)
@given(st.lists(st.integers(0, 10_000).map(lambda i: round(i / 10_000, 4)), min_size=1, max_size=20), thresholds)
def test_abstention_is_the_runtimes_mark(gates, threshold):
    answers = {str(i): {"answer_confidence": gate} for i, gate in enumerate(gates)}
    apply_confidence_gate([{"answers": answers}], threshold)
    theirs = [answer.get("abstention") == "abstained" for answer in answers.values()]
    assert abstains(np.array(gates), threshold).tolist() == theirs


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (None, [False, False, False, False]),
        (0.0, [False, False, False, False]),
        (0.7, [True, True, False, False]),
        (1.0, [True, True, True, False]),
    ],
)
def test_at_the_threshold_an_answer_is_kept(threshold, expected):
    assert abstains(np.array([0.0, 0.6999, 0.7, 1.0]), threshold).tolist() == expected


def test_a_confidence_of_float32_seven_tenths_is_kept_at_seven_tenths():
    """float32(0.7) is below 0.7: the comparison is of the rounded number, in float64."""
    assert float(np.float32(0.7)) < 0.7
    one, near = np.ones(1), np.float32(np.log(7 / 3))
    steps = [near + np.float32(i) * np.spacing(near) for i in range(-9, 10)]
    found = [np.array([[step, 0.0]], np.float32) for step in steps]
    below = [logits for logits in found if runtime_softmax(logits, one).max() == np.float32(0.7)]
    logits = below[0]
    assert gate_confidence(logits, one).tolist() == [0.7]
    assert abstains(gate_confidence(logits, one), 0.7).tolist() == [False]


def test_a_probability_above_one_by_noise_is_one():
    logits, temperature = random_logits(60, rows=3000)
    gate = gate_confidence(logits, temperature)
    assert ((gate >= 0) & (gate <= 1)).all()
    np.testing.assert_array_equal(gate, np.round(gate, 4))
