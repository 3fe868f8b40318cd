"""Advice on thresholds: what it promises holds in simulation, and thresholds do not transfer between option counts."""

from __future__ import annotations

import numpy as np
import pytest
from decision_tables import choices
from scipy.stats import beta

from laya_sweep.calibration.advice import CERTAINTY, advise, kept_by, map_of_advice
from laya_sweep.metrics import CHOICE, NOUL, curve


def answers(rng, n, precision, options=4, source=None, **columns):
    """n answers whose confidence c is uniform in [0, 1] and right with probability precision(c)."""
    confidence = np.round(rng.uniform(0, 1, n), 4)
    right = rng.random(n) < precision(confidence)
    return choices(confidence, right, source=source, n_options=np.full(n, options, np.int32), **columns)


def joined(*parts):
    fields = ("confidence", "correct", "n_options")
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in fields}
    return choices(columns["confidence"], columns["correct"], n_options=columns["n_options"])


def sharp(confidence):
    return 0.5 + confidence / 2


def blunt(confidence):
    return 0.2 + 0.75 * confidence


@pytest.mark.slow
@pytest.mark.parametrize("precision", [sharp, blunt, lambda c: np.full(len(c), 0.8)])
def test_the_promise_holds_as_often_as_it_says(precision):
    """Over 120 calibration sets, a threshold whose true precision is below the target comes in at most 1 of 20."""
    target, broken = 0.8001, 0
    grid = np.linspace(0, 1, 10_001)
    truth = np.cumsum(precision(grid)[::-1])[::-1] / np.arange(len(grid), 0, -1)
    for seed in range(120):
        [entry] = advise(answers(np.random.default_rng([7, seed]), 250, precision), target)
        if entry.threshold is not None:
            broken += truth[round(entry.threshold * 10_000)] < target
    assert broken <= 6


def test_without_the_correction_it_would_not():
    """The same search with each cut's own 95% bound: the reason for the correction."""
    broken = 0
    for seed in range(120):
        columns = answers(np.random.default_rng([7, seed]), 250, lambda c: np.full(len(c), 0.8))
        points = curve(columns.level, columns.correct)
        bounds = beta.ppf(0.05, points.correct, points.accepted - points.correct + 1)
        broken += bool((bounds >= 0.8001).any())
    assert broken > 12


def test_answers_of_one_source_promise_less():
    rng = np.random.default_rng(5)
    once = answers(rng, 120, lambda c: np.full(len(c), 0.97))
    tenfold = once.take(np.repeat(np.arange(120), 10))
    [alone], [copied] = advise(once, 0.85), advise(tenfold, 0.85)
    assert copied.bound == pytest.approx(alone.bound, abs=0.02)
    apart = choices(tenfold.confidence, tenfold.correct, n_options=tenfold.n_options)
    assert advise(apart, 0.85)[0].bound > copied.bound + 0.02


def test_the_threshold_is_the_lowest_of_those_tried_and_its_figures_are_the_curve_s():
    columns = answers(np.random.default_rng(3), 2000, sharp)
    [entry] = advise(columns, 0.9)
    points = curve(columns.level, columns.correct, source=columns.source)
    at = points.threshold.tolist().index(entry.threshold)
    assert (entry.kept.accepted, entry.kept.right) == (points.accepted[at], points.correct[at])
    assert entry.kept.coverage == points.coverage[at]
    assert entry.kept.interval == pytest.approx((points.low[at], points.high[at]), abs=1e-12)
    assert 0.9 <= entry.bound <= entry.kept.precision
    assert entry.threshold > 0.6  # below it the true precision is less than 0.9


def test_one_threshold_for_all_option_counts_does_not_transfer():
    """Two options are right half the time by luck, and twelve are not: the same confidence means two things."""
    rng = np.random.default_rng(11)
    two, twelve = (lambda c: 0.55 + 0.45 * c), (lambda c: 0.98 - 0.1 * (1 - c))
    fitted = joined(answers(rng, 1500, two, 2), answers(rng, 1500, twelve, 12))
    fresh = joined(answers(rng, 4000, two, 2), answers(rng, 4000, twelve, 12))
    thresholds = map_of_advice(advise(fitted, 0.9))
    assert thresholds["choice:2"] > thresholds["choice:11+"] + 0.2
    own = kept_by(fresh, thresholds)
    assert all(kept.precision >= 0.9 for kept in own.values())
    low = kept_by(fresh, dict.fromkeys(thresholds, thresholds["choice:11+"]))
    assert low["choice:2"].precision < 0.9  # the twelve-option threshold accepts too much of two options
    high = kept_by(fresh, dict.fromkeys(thresholds, thresholds["choice:2"]))
    assert high["choice:11+"].coverage < own["choice:11+"].coverage - 0.2  # and the other keeps too little of twelve


def test_no_threshold_is_said_and_asks_for_certainty():
    rng = np.random.default_rng(0)
    [entry] = advise(answers(rng, 400, lambda c: np.full(len(c), 0.6)), 0.9)
    assert entry.threshold is None
    assert entry.kept.precision < 0.9
    assert entry.bound < 0.9
    assert map_of_advice([entry]) == {"choice:3-5": CERTAINTY, "default": CERTAINTY}


@pytest.mark.parametrize("n", [1, 20, 44])
def test_too_few_rows_are_no_evidence_even_if_all_are_right(n):
    [entry] = advise(choices(np.full(n, 0.99), np.ones(n), n_options=np.full(n, 4, np.int32)), 0.94)
    assert (entry.threshold, entry.kept, entry.candidates) == (None, None, 0)
    assert entry.needed > n


def test_ties_stand_together_and_one_level_is_one_candidate():
    [entry] = advise(choices(np.full(400, 0.7), np.ones(400), n_options=np.full(400, 4, np.int32)), 0.9)
    assert (entry.threshold, entry.candidates, entry.kept.accepted) == (0.7, 1, 400)
    assert entry.bound == pytest.approx(0.05 ** (1 / 400))


def test_unlabelled_answers_and_those_without_confidence_count_nowhere():
    confidence = np.concatenate([np.full(100, 0.9), [np.nan] * 5, np.full(7, 0.1)])
    correct = np.concatenate([np.ones(105), np.full(7, -1)])
    kinds = np.full(112, CHOICE, np.int8)
    kinds[:40] = NOUL
    columns = choices(confidence, correct, n_options=np.full(112, 2, np.int32), question_type=kinds)
    assert [(entry.bucket, entry.n) for entry in advise(columns, 0.5)] == [("choice:2", 60), ("noul:2", 40)]
