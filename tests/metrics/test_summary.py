"""`summarise`: its rows, their order, and their independence of the order and sharding of decisions."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from decision_tables import choices, decisions, pick
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.metrics import MetricRow, SliceColumn, concat, curve, summarise
from laya_sweep.metrics.arrays import Floats


def same(a: list[MetricRow], b: list[MetricRow], skip: tuple[str, ...] = ("acc_at_50_coverage",)) -> None:
    """Rows equal in everything that is no float, and to 1e-12 in what is."""
    assert len(a) == len(b)
    for one, other in zip(a, b, strict=True):
        if one.metric.removesuffix("_partial") in skip:
            continue
        for x, y in zip(astuple(one), astuple(other), strict=True):
            if isinstance(x, float) and isinstance(y, float):
                assert x == pytest.approx(y, abs=1e-12), one
            else:
                assert x == y, one


@given(st.randoms(use_true_random=False), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_rows_and_shards_in_any_order(random: object, seed: int) -> None:
    columns = decisions(90, seed=seed, digits=2)
    order = np.random.default_rng(seed).permutation(90)
    cuts = sorted(np.random.default_rng(seed + 1).integers(0, 90, 3).tolist())
    shards = [columns.take(part) for part in np.split(order, cuts)]
    options = {"replicates": 40, "min_confidence": (0.0, 0.5), "score_within": (0.5,)}
    same(summarise(columns, **options), summarise(concat(shards), **options))


def test_order_of_rows() -> None:
    rows = summarise(decisions(60), replicates=0, min_confidence=(0.9, 0.0), score_within=(1, 0.25))
    places = list(dict.fromkeys((row.slice_dimension, row.slice_value) for row in rows))
    assert places == [
        ("overall", ""),
        ("language", "de"),
        ("language", "en"),
        ("language", "fr"),
        ("macro:language", ""),
    ]
    names = [(row.metric, row.min_confidence) for row in rows if row.slice_dimension == "overall"]
    assert names == [
        *((name, None) for name in ("choice_accuracy", "accuracy", "noul_accuracy", "score_mae")),
        *((name, None) for name in ("score_within_1", "score_within_0.25", "mean_confidence", "ece")),
        *((name, None) for name in ("clipped_confidences", "brier", "nll", "aurc", "excess_aurc", "augrc")),
        *((name, None) for name in ("auroc", "selective_accuracy@50", "selective_accuracy@80")),
        *((name, None) for name in ("acc_at_50_coverage", "macro_f1", "macro_f1_slot", "majority_baseline")),
        *((name, None) for name in ("first_option_baseline", "noul_majority_baseline")),
        *((name, None) for name in ("noul_first_option_baseline", "distinct_predictions")),
        *((name, 0.0) for name in ("coverage", "abstention_rate", "selective_precision")),
        *((name, 0.9) for name in ("coverage", "abstention_rate", "selective_precision")),
    ]


def test_definitions() -> None:
    rows = summarise(decisions(60), slices=(), replicates=0)
    second = {row.metric for row in rows if row.definition == 2}
    assert second == {"aurc", "excess_aurc", "augrc", "selective_accuracy@50", "selective_accuracy@80"}
    assert {row.definition for row in rows} == {1, 2}


def test_who_enters_what() -> None:
    columns = decisions(300, seed=8, unlabelled=0.2)
    rows = summarise(columns, slices=(), replicates=0, min_confidence=(0.0,))
    kind, right = columns.question_type, columns.correct
    answered, score = right >= 0, ~np.isnan(columns.score_error)
    sizes = {
        "choice_accuracy": ((kind == 0) & answered).sum(),
        "noul_accuracy": ((kind == 2) & answered).sum(),
        "score_mae": score.sum(),
        "mean_confidence": (answered | score).sum(),
        "ece": answered.sum(),
        "nll": answered.sum(),
        "coverage": answered.sum(),
        "macro_f1": ((kind == 0) & answered).sum(),
    }
    assert {name: pick(rows, name).n for name in sizes} == sizes


def test_nothing_at_all() -> None:
    empty = decisions(60).take(np.empty(0, dtype=int))
    rows = summarise(empty, min_confidence=(0.5,), score_within=(0.1,), expected={"language": ["en"]})
    assert {row.value for row in rows} == {None}
    assert all(row.reason and row.low is None for row in rows)
    assert {row.slice_dimension for row in rows} == {"overall", "macro:language"}


def test_a_score_answer_without_a_finite_score_is_not_lost() -> None:
    columns = decisions(30, kinds=(1,), unlabelled=0.0)
    error = columns.score_error.copy()
    error[:2] = np.nan
    rows = summarise(decisions(30, kinds=(1,), unlabelled=0.0, score_error=error), score_within=(0.5,), replicates=0)
    for name in ("score_mae", "score_within_0.5"):
        assert pick(rows, name).reason == "2 of 30 score errors are not finite"


def test_a_gold_probability_of_zero_leaves_no_likelihood() -> None:
    columns = choices([0.9, 0.8], [1, 0], p_gold=np.array([0.9, 0.0]))
    row = pick(summarise(columns, slices=(), replicates=0), "nll")
    assert (row.value, row.reason) == (None, "1 of 2 log-likelihoods are not finite")


def test_macro_names_the_slice_that_has_no_value() -> None:
    columns = choices([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 1], language=["de", "de", "en", "en"])
    rows = summarise(columns, replicates=0)
    macro = pick(rows, "auroc", "macro:language")
    assert macro.value is None
    assert macro.reason == ("incomplete: 1 of 2 slices have no value: en (one class only: every answer is right)")
    assert pick(rows, "auroc_partial", "macro:language").value == 1.0
    assert not [row for row in rows if row.metric == "ece_partial"]


def test_tags_may_put_a_decision_into_several_slices() -> None:
    tag = SliceColumn(np.array([0, 1, 1], dtype=np.int32), ("easy", "new"), np.array([0, 0, 2], dtype=np.int64))
    columns = choices([0.9, 0.8, 0.7], [1, 0, 0], slices={"tag": tag})
    for table in (columns, columns.take([2, 1, 0])):
        rows = summarise(table, slices=("tag",), replicates=0)
        assert pick(rows, "accuracy", "tag", "easy").value == 1.0
        assert pick(rows, "accuracy", "tag", "new").value == 0.5
        assert pick(rows, "accuracy", "macro:tag").n_clusters == 2
    double = concat([columns, columns])
    assert pick(summarise(double, slices=("tag",), replicates=0), "accuracy", "tag", "new").n == 4


def test_single_run_curve_holds_the_points_of_a_multirun() -> None:
    columns = decisions(400, seed=6, digits=3, source=np.arange(400, dtype=np.int32) // 4)
    points = curve(columns.level, columns.correct, source=columns.source)
    thresholds = (0.0, 0.5, 0.7, 0.9)
    rows = summarise(columns, slices=(), replicates=0, min_confidence=thresholds)
    for threshold in thresholds:
        at = np.flatnonzero(points.threshold >= threshold)[-1]
        found = {row.metric: row for row in rows if row.min_confidence == threshold}
        assert found["coverage"].value == points.coverage[at]
        assert found["abstention_rate"].value == pytest.approx(1 - points.coverage[at], abs=1e-15)
        precision = found["selective_precision"]
        assert precision.value == points.precision[at]
        assert precision.n == points.accepted[at]
        assert (precision.low, precision.high) == pytest.approx((points.low[at], points.high[at]))


@given(st.integers(0, 10**6), st.floats(0.05, 20.0))
@settings(max_examples=25, deadline=None)
def test_temperature_moves_no_prediction(seed: int, temperature: float) -> None:
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 3, (40, 7)).astype(np.float32)
    gold = rng.integers(0, 7, 40)

    def scored(t: float) -> list[MetricRow]:
        scaled = logits.astype(np.float64) / t
        p: Floats = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        pred = logits.argmax(axis=1)
        columns = choices(
            p.max(axis=1),
            (pred == gold).astype(np.int8),
            gold_label=gold.astype(np.int32),
            pred_label=scaled.argmax(axis=1).astype(np.int32),
            p_gold=p[np.arange(40), gold],
        )
        return summarise(columns, slices=(), replicates=20)

    names = ("accuracy", "macro_f1", "macro_f1_slot", "majority_baseline", "distinct_predictions")
    for name in names:
        assert pick(scored(1.0), name) == pick(scored(temperature), name)


def test_compatible_mode_gives_values_where_strict_refuses() -> None:
    conf = [0.9, np.nan, 0.6, 0.4]
    columns = choices(conf, [1, 0, 1, 0])
    strict = summarise(columns, slices=(), replicates=20)
    compatible = summarise(columns, slices=(), replicates=20, nan="compatible")
    for name in ("ece", "aurc", "selective_accuracy@50"):
        assert pick(strict, name).value is None
        assert pick(compatible, name).value is not None
    assert pick(compatible, "brier").value is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slices": ("qid",)}, r"Expected slice dimensions among \['language'\], but got \['qid'\]"),
        ({"expected": {"qid": ["a"]}}, "Expected slice dimensions among"),
        ({"bins": 0}, "Expected `bins` to be an integer of at least 1, but got 0"),
        ({"replicates": -1}, "Expected `replicates` to be an integer of at least 0, but got -1"),
        ({"confidence": 1.0}, "Expected `confidence` to be below 1, but got 1.0"),
        ({"min_confidence": (True,)}, r"Expected `min_confidence` to be a number in \[0, 1\], but got True"),
        ({"min_confidence": (1.5,)}, "Expected `min_confidence`"),
        ({"score_within": (-1,)}, "Expected `tolerance` to be a finite number of at least 0, but got -1"),
        ({"coverages": (0.0,)}, r"Expected `coverage` to be a number in \(0, 1\], but got 0.0"),
        ({"metrics": ("f1",)}, "Expected metrics to be among .*, but got f1"),
        ({"nan": "drop"}, "Expected `nan` to be 'strict' or 'compatible', but got 'drop'"),
    ],
)
def test_refusals(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        summarise(decisions(9), **options)  # type: ignore[arg-type]
