"""Paired comparison: joined on ids, exact where it can be, by source where it must be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from laya_sweep.metrics import accuracy, compare, mcnemar, selective_accuracy


def runs(n: int = 200, seed: int = 0, gain: float = 0.1) -> dict[str, Any]:
    """Two runs over the same cases, 4 cases a source; B repairs some of A's errors."""
    rng = np.random.default_rng(seed)
    ease = np.repeat(rng.uniform(0.2, 0.9, n // 4), 4)
    a = rng.random(n) < ease
    b = a | (rng.random(n) < gain)
    ids = [f"case-{i}" for i in range(n)]
    return {
        "a_ids": ids,
        "a_correct": a,
        "a_confidence": rng.uniform(0, 1, n),
        "b_ids": ids,
        "b_correct": b,
        "b_confidence": rng.uniform(0, 1, n),
        "source": np.repeat(np.arange(n // 4), 4),
    }


def test_a_run_against_itself() -> None:
    run = runs()
    run |= {"b_correct": run["a_correct"], "b_confidence": run["a_confidence"]}
    result = compare(**run)
    assert (result.difference, result.low, result.high, result.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert (result.selective_difference, result.discordant) == (0.0, ())


def test_figures() -> None:
    run = runs()
    result = compare(**run, coverage=0.3)
    assert result.accuracy_a == accuracy(run["a_correct"])
    assert result.accuracy_b == accuracy(run["b_correct"])
    assert result.difference == pytest.approx(result.accuracy_a - result.accuracy_b, abs=1e-12)
    assert result.low < result.difference < result.high < 0
    assert (result.n, result.n_clusters) == (200, 50)
    assert (result.a_only_right, result.b_only_right) == (0, len(result.discordant))
    assert result.selective_a == selective_accuracy(run["a_confidence"], run["a_correct"], 0.3)
    assert result.selective_b == selective_accuracy(run["b_confidence"], run["b_correct"], 0.3)


def test_rows_in_any_order_and_unmatched_ids_are_listed() -> None:
    run = runs()
    order = np.random.default_rng(1).permutation(200)
    shuffled = run | {
        "b_ids": [run["b_ids"][i] for i in order],
        "b_correct": run["b_correct"][order],
        "b_confidence": run["b_confidence"][order],
    }
    assert compare(**run) == compare(**shuffled)
    fewer = run | {name: run[name][:-1] for name in ("b_ids", "b_correct", "b_confidence")}
    result = compare(**fewer)
    assert (result.n, result.only_a, result.only_b) == (199, ("case-199",), ())


def test_copies_under_one_source_leave_the_interval() -> None:
    run = runs()
    ten = {
        name: [f"{i}/{copy}" for copy in range(10) for i in column] if name.endswith("ids") else np.tile(column, 10)
        for name, column in run.items()
    }
    once, tenfold = compare(**run), compare(**ten)
    assert (tenfold.low, tenfold.high) == pytest.approx((once.low, once.high), abs=1e-12)


def test_nothing_in_common_and_too_little() -> None:
    none = compare(["a"], [1], [0.5], ["b"], [1], [0.5])
    assert (none.n, none.difference, none.reason) == (0, None, "no id is in both runs")
    one = compare(["a"], [1], [0.5], ["a"], [0], [0.5])
    assert (one.difference, one.low, one.reason) == (1.0, None, "no interval: one case")
    pair = compare(["a", "b"], [1, 1], [0.5, 0.5], ["a", "b"], [0, 1], [0.5, 0.5], [3, 3])
    assert pair.reason == "no interval: one cluster"


def test_no_selective_accuracy_with_nan() -> None:
    result = compare(["a", "b"], [1, 0], [0.5, np.nan], ["a", "b"], [1, 0], [0.5, 0.4])
    assert (result.selective_a, result.selective_b, result.selective_difference) == (None, 1.0, None)
    assert result.difference == 0.0


def test_refusals() -> None:
    with pytest.raises(ValueError, match="Expected columns of one length, but got a_ids 1, a_correct 2"):
        compare(["a"], [1, 0], [0.5], ["a"], [1], [0.5])
    with pytest.raises(ValueError, match="Expected each id once in run a"):
        compare(["a", "a"], [1, 0], [0.5, 0.5], ["a"], [1], [0.5])
    with pytest.raises(ValueError, match="a_ids 1, source 2"):
        compare(["a"], [1], [0.5], ["a"], [1], [0.5], [1, 2])


def test_mcnemar_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    for a, b in ((0, 1), (3, 3), (1, 9), (40, 61), (999, 1100), (1200, 1000), (5000, 5400)):
        assert mcnemar(a, b) == pytest.approx(stats.binomtest(a, a + b).pvalue, rel=1e-9)
        assert mcnemar(a, b) == mcnemar(b, a)


@pytest.mark.slow
def test_paired_intervals_cover() -> None:
    # B repairs a tenth of what A got wrong; A is right in 0.55 of cases, so the true difference is -0.045.
    hits = 0
    for seed in range(800):
        result = compare(**runs(400, seed), replicates=200)
        hits += result.low <= -0.045 <= result.high
    assert 0.93 <= hits / 800 <= 0.97
