"""The plain functions: closed forms, degenerate inputs, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laya_sweep import metrics
from laya_sweep.metrics import (
    Measure,
    acc_at_50_coverage,
    augrc,
    aurc,
    auroc,
    brier,
    coverage,
    curve,
    distinct_predictions,
    ece,
    excess_aurc,
    first_option_baseline,
    macro_f1,
    majority_baseline,
    mean_confidence,
    nll,
    score_mae,
    score_within,
    selective_accuracy,
    selective_precision,
)
from laya_sweep.metrics.levels import LevelCounts

PAIRED = (ece, brier, aurc, excess_aurc, augrc, auroc, selective_accuracy, acc_at_50_coverage)
COLUMNS = (mean_confidence, nll, score_mae, majority_baseline, first_option_baseline, distinct_predictions)

pairs = st.lists(st.tuples(st.integers(0, 20).map(lambda k: k / 20), st.booleans()), min_size=2, max_size=60)


@pytest.mark.parametrize("metric", PAIRED)
def test_nothing_gives_no_value(metric: Callable[..., float | None]) -> None:
    assert metric([], []) is None
    with pytest.raises(ValueError, match="Expected columns of one length"):
        metric([0.5], [])
    with pytest.raises(ValueError, match="Expected `correct` to hold only 0 and 1, but got 2"):
        metric([0.5], [2])
    with pytest.raises(ValueError, match="Expected `confidence` to have one dimension"):
        metric([[0.5]], [1])


@pytest.mark.parametrize("metric", COLUMNS)
def test_no_rows_give_no_value(metric: Callable[..., float | None]) -> None:
    assert metric([]) is None


def test_one_answer() -> None:
    assert (aurc([0.3], [1]), aurc([0.3], [0])) == (0.0, 1.0)
    assert (augrc([0.3], [1]), augrc([0.3], [0])) == (0.0, 0.5)
    assert (selective_accuracy([0.3], [0]), acc_at_50_coverage([0.3], [1])) == (0.0, 1.0)


@given(pairs)
def test_augrc_is_auroc_and_accuracy(rows: list[tuple[float, bool]]) -> None:
    confidence, right = zip(*rows, strict=True)
    area, share = auroc(confidence, right), sum(right) / len(right)
    if area is not None:
        expected = (1 - area) * share * (1 - share) + (1 - share) ** 2 / 2
        assert augrc(confidence, right) == pytest.approx(expected, abs=1e-12)


@given(pairs, st.randoms(use_true_random=False))
def test_order_of_rows_moves_no_bit(rows: list[tuple[float, bool]], random: Any) -> None:
    again = random.sample(rows, len(rows))
    for metric in (aurc, excess_aurc, augrc, auroc, selective_accuracy):
        assert metric(*zip(*rows, strict=True)) == metric(*zip(*again, strict=True))
    for metric in (ece, brier):
        assert metric(*zip(*rows, strict=True)) == pytest.approx(metric(*zip(*again, strict=True)), abs=1e-12)


@given(pairs)
def test_both_roads_to_levels_agree(rows: list[tuple[float, bool]]) -> None:
    confidence, right = (np.array(column) for column in zip(*rows, strict=True))
    fast = LevelCounts.update(confidence.astype(float), right)
    slow = LevelCounts.update(confidence - 3.0, right)
    assert (fast.rows == slow.rows).all()
    assert (fast.hits == slow.hits).all()


@given(pairs)
def test_a_perfect_ranking_has_no_excess(rows: list[tuple[float, bool]]) -> None:
    right = sorted((ok for _, ok in rows), reverse=True)
    confidence = np.linspace(1, 0, len(right))
    assert excess_aurc(confidence, right) == pytest.approx(0.0, abs=1e-12)
    if 0 < sum(right) < len(right):
        assert auroc(confidence, right) == 1.0


def test_minus_zero_is_zero() -> None:
    assert LevelCounts.of([-0.0, 0.0], [1, 0]).rows.tolist() == [2]
    assert ece([-0.0], [0]) == 0.0


def test_infinities() -> None:
    rows = ([math.inf, 0.5, -math.inf, math.nan], [1, 1, 0, 0])
    for metric in (ece, brier, aurc, auroc, selective_accuracy):
        assert metric(*rows) is None
    assert auroc(*rows, nan="compatible") == 1.0
    assert selective_accuracy(*rows, 0.25, nan="compatible") == 1.0
    assert brier([math.inf], [1], nan="compatible") == math.inf


@pytest.mark.parametrize("bins", [0, -1, True, 1.5, "15", None])
def test_bins(bins: Any) -> None:
    with pytest.raises(ValueError, match="Expected `bins` to be an integer of at least 1, but got"):
        ece([0.5], [1], bins)


def test_bin_count_is_a_parameter() -> None:
    confidence, right = [0.1, 0.4, 0.6, 0.9], [1, 0, 1, 0]
    assert ece(confidence, right, 1) == pytest.approx(0.0)
    assert ece(confidence, right, np.int64(2)) == pytest.approx(0.25)


@given(st.integers(1, 40), st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_bins_are_those_of_the_edges(bins: int, confidence: list[float]) -> None:
    edges = np.linspace(0, 1, bins + 1)
    values = np.concatenate([confidence, edges])
    expected = np.maximum(np.searchsorted(edges, values, side="left") - 1, 0)
    assert (metrics.calibration.bin_index(values, bins) == expected).all()


def test_score_figures() -> None:
    error = [0.25, -0.5, math.nan]
    assert score_within(error, 0.25) is None
    assert score_within(error, 0.25, nan="compatible") == pytest.approx(1 / 3)
    assert score_mae(error[:2]) == 0.375
    for tolerance in (-0.1, math.inf, math.nan, True, "1"):
        with pytest.raises(ValueError, match="Expected `tolerance` to be a finite number of at least 0"):
            score_within(error, tolerance)  # type: ignore[arg-type]


def test_f1_counts_a_class_that_is_only_predicted() -> None:
    assert macro_f1([0, 0], [0, 1]) == pytest.approx((2 / 3 + 0) / 2)
    with pytest.raises(TypeError, match="Expected `gold` to hold integers, but got float64"):
        macro_f1([0.5], [1])


def test_curve() -> None:
    rng = np.random.default_rng(0)
    level, right = rng.integers(0, 10_001, 500) // 100 * 100, rng.integers(-1, 2, 500)
    whole = curve(level, right)
    assert (np.diff(whole.threshold) < 0).all()
    assert whole.accepted[-1] == whole.n == (right >= 0).sum()
    assert whole.coverage[-1] == 1.0
    assert ((whole.low <= whole.precision) & (whole.precision <= whole.high)).all()
    for at in (0, 10, len(whole.threshold) - 1):
        labelled = right >= 0
        threshold = whole.threshold[at]
        assert whole.coverage[at] == coverage(level[labelled], threshold)
        assert whole.precision[at] == selective_precision(level[labelled], right[labelled], threshold)


def test_clustered_curve_is_wider() -> None:
    level, right = np.repeat([9000, 8000, 7000, 6000], 10), np.repeat([1, 0, 1, 1], 10)
    plain, wide = curve(level, right), curve(level, right, source=np.repeat(np.arange(4), 10))
    assert (wide.high - wide.low > 1.5 * (plain.high - plain.low)).all()
    assert (wide.precision == plain.precision).all()


def test_curve_without_points() -> None:
    assert curve([-1, 9000], [1, 0]).reason == "1 of 2 confidences are not finite"
    assert curve([9000], [-1]).reason == "no labelled choice or noul answers"
    assert len(curve([], [], source=[]).threshold) == 0
    with pytest.raises(ValueError, match=r"Expected `level` in -1 \.\. 10000, but got"):
        curve([10_001], [1])


def test_a_measure_has_a_value_or_a_reason() -> None:
    with pytest.raises(ValueError, match="Expected a value or a reason"):
        Measure(None, 3)
    with pytest.raises(ValueError, match="Expected a value or a reason"):
        Measure(0.5, 3, "both")
