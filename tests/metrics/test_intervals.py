"""Intervals against closed forms and simulation. All seeds are fixed: these tests pass or fail for good."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from decision_tables import choices, decisions, pick

from laya_sweep.metrics import bootstrap_interval, holm, replicate_weights, summarise, wilson
from laya_sweep.metrics.bootstrap import weight_chunks
from laya_sweep.metrics.cluster import Clusters, running_effective_n
from laya_sweep.metrics.draws import Draws, draws_interval
from laya_sweep.metrics.interval import wilson_bounds


def test_wilson_textbook_values() -> None:
    # Newcombe (1998), table I: 81/263, 15/148, 0/20, 1/29.
    for successes, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        interval = wilson(successes, n)
        assert interval is not None
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_wilson_solves_the_score_equation() -> None:
    p, n, z = np.array([0.1, 0.5, 0.93]), np.array([7.0, 40.0, 1234.5]), 1.959963984540054
    for limit in wilson_bounds(p, n):
        assert np.abs(p - limit) == pytest.approx(z * np.sqrt(limit * (1 - limit) / n), rel=1e-9)


def test_bootstrap_error_of_a_mean_is_s_over_root_n() -> None:
    values = np.random.default_rng(0).gamma(2.0, size=400)
    means = np.concatenate([c.weights @ values for c in weight_chunks(400, 4000, seed=13)]) / 400
    assert means.std() == pytest.approx(values.std() / np.sqrt(400), rel=0.05)


def test_summary_interval_of_a_mean_is_its_standard_error() -> None:
    columns = decisions(500, seed=2, kinds=(0,), unlabelled=0.0, source=np.arange(500, dtype=np.int32))
    row = pick(summarise(columns, slices=(), replicates=4000), "mean_confidence")
    error = columns.confidence.std() / np.sqrt(500)
    assert (row.high - row.low) / (2 * 1.96) == pytest.approx(error, rel=0.05)


def clustered(seed: int, clusters: int, per_cluster: int) -> Iterator[np.ndarray]:
    """Confidence, correctness and source: clusters differ in difficulty, confidence is 0.12 too high."""
    rng = np.random.default_rng(seed)
    source = np.repeat(np.arange(clusters), per_cluster)
    ease = np.clip(rng.normal(0.62, 0.15, clusters), 0.05, 0.88)[source]
    yield np.clip(ease + 0.12, 0, 1)
    yield (rng.random(len(source)) < ease).astype(np.int8)
    yield source


def truth() -> tuple[float, float]:
    """Accuracy and ECE of the process above, from a million clusters."""
    confidence, _, _ = clustered(999, 1_000_000, 1)
    ease = confidence - 0.12
    bins = np.minimum((confidence * 15).astype(int), 14)
    gap = np.bincount(bins, weights=confidence - ease, minlength=15)
    return float(ease.mean()), float(np.abs(gap).sum() / len(ease))


@pytest.mark.slow
def test_intervals_cover_in_19_of_20_simulations() -> None:
    accuracy, calibration = truth()
    covered = {"choice_accuracy": 0, "ece": 0}
    rounds = 600
    for seed in range(rounds):
        confidence, right, source = clustered(seed, 150, 4)
        rows = summarise(choices(confidence, right, source=source), slices=(), replicates=300, metrics=list(covered))
        for name, value in (("choice_accuracy", accuracy), ("ece", calibration)):
            row = pick(rows, name)
            covered[name] += row.low <= value <= row.high
    shares = {name: count / rounds for name, count in covered.items()}
    assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


@pytest.mark.slow
def test_macro_interval_covers_where_languages_share_utterances() -> None:
    rounds, hits, width = 300, 0, []
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        ease = np.clip(rng.normal(0.6, 0.25, 80), 0, 1)
        right = (rng.random((5, 80)) < ease).astype(np.int8)
        columns = choices(
            np.full(400, 0.7),
            right.reshape(-1),
            source=np.tile(np.arange(80), 5),
            language=np.repeat(list("abcde"), 80),
        )
        rows = summarise(columns, replicates=300, metrics=["choice_accuracy"])
        row = pick(rows, "choice_accuracy", "macro:language")
        overall = pick(rows, "choice_accuracy")
        width.append((row.high - row.low) / (overall.high - overall.low))
        hits += row.low <= 0.5975 <= row.high
    assert 0.92 <= hits / rounds <= 0.98
    # Two roads to one interval: resampled sources, and Wilson on the effective number of answers.
    assert np.mean(width) == pytest.approx(1.0, abs=0.05)


def test_degenerate_slices_have_no_interval_and_say_why() -> None:
    one = pick(summarise(choices([0.9], [1]), slices=()), "ece")
    assert (one.low, one.high, one.reason) == (None, None, "no interval: one decision")
    same = pick(summarise(choices([0.9, 0.8], [1, 0], source=[4, 4]), slices=()), "choice_accuracy")
    assert (same.low, same.reason) == (None, "no interval: one cluster")
    rare = pick(summarise(choices([0.9, 0.8, 0.7], [1, 1, 0]), slices=()), "auroc")
    assert rare.value == 1.0
    assert rare.low is None
    assert rare.reason.startswith("no interval: ")
    assert rare.reason.endswith("of 1000 replicates have no value")
    none = pick(summarise(choices([0.9, 0.8], [1, 0]), slices=(), replicates=0), "ece")
    assert none.reason == "no interval: no bootstrap replicates were asked for"


def test_weights_depend_on_seed_and_index_alone() -> None:
    whole = np.concatenate([c.weights for c in weight_chunks(50, 20, seed=7)])
    for index in (0, 3, 19):
        assert (whole[index] == replicate_weights(50, 7, index)).all()
    assert (whole.sum(axis=1) == 50).all()
    assert not (replicate_weights(50, 7, 0) == replicate_weights(50, 8, 0)).all()


def test_chunks_bound_memory() -> None:
    chunks = list(weight_chunks(10**6, 70, seed=1))
    assert [chunk.start for chunk in chunks] == [0, 67]
    assert max(chunk.weights.nbytes for chunk in chunks) <= 64 * 2**20 + 10**6


def test_bootstrap_interval_refuses_undefined_replicates() -> None:
    assert bootstrap_interval(np.array([0.1, np.nan, np.inf]), 0.1) == "2 of 3 replicates have no value"
    assert bootstrap_interval(np.array([0.1]), 0.1) == "fewer than 2 replicates"


def test_a_biased_figure_is_corrected_and_never_outside_its_interval() -> None:
    values = np.random.default_rng(0).normal(0.12, 0.01, 1000)
    for recentre, middle in ((1, 0.10), (2, 0.08)):
        low, high = draws_interval(Draws(values, recentre=recentre), 0.10)
        assert low <= 0.10 <= high
        assert (low + high) / 2 == pytest.approx(middle, abs=0.001 * recentre)
    low, high = draws_interval(Draws(values, excess=0.2), 0.12)
    assert low == 0.0 < 0.12 < high < 0.15


def test_effective_n() -> None:
    source = np.repeat(np.arange(30), 10)
    alike = np.repeat(np.arange(30) % 3 == 0, 10)
    assert Clusters(source).spread(alike).effective_n == pytest.approx(30.0)
    assert Clusters(source).spread(np.ones(300, dtype=bool)) == (30, 30.0)
    assert Clusters(np.arange(300)).spread(alike) == (300, 300.0)
    rng = np.random.default_rng(1)
    alone = rng.random(300) < 0.4
    assert 200 < Clusters(source).spread(alone).effective_n <= 300


def test_running_effective_n_is_that_of_each_prefix() -> None:
    rng = np.random.default_rng(4)
    source, right = rng.integers(0, 9, 60), rng.random(60) < 0.6
    ends = np.array([0, 1, 7, 30, 59])
    found = running_effective_n(source, right, ends)
    for end, value in zip(ends, found, strict=True):
        expected = Clusters(source[: end + 1]).spread(right[: end + 1]).effective_n
        assert value == pytest.approx(expected, rel=1e-9)


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert len(holm([])) == 0
    with pytest.raises(ValueError, match="Expected `p_values`"):
        holm([0.1, np.nan])
