"""One test for each line of the list of faults that users of comparable runners reported, part "Numbers"."""

from __future__ import annotations

import math

import numpy as np
import pytest
from decision_tables import choices, decisions, pick

from laya_sweep.metrics import (
    aurc,
    auroc,
    brier,
    compare,
    concat,
    coverage,
    ece,
    mean_confidence,
    selective_accuracy,
    selective_precision,
    summarise,
)


def test_confidence_exactly_0_or_1_is_in_a_bin() -> None:
    assert ece([0.0], [1]) == 1.0
    assert ece([0.95, 1.0], [1, 0]) == 0.475


def test_float32_noise_above_1_is_clipped_and_counted() -> None:
    assert ece([1.0000001], [0]) == 1.0
    rows = summarise(choices([1.0000001, 0.5], [0, 1]), slices=(), replicates=0)
    assert pick(rows, "clipped_confidences").value == 1.0
    assert pick(rows, "ece").value == 0.75


def test_nan_confidences_leave_no_value_and_their_count() -> None:
    conf, ok = [math.nan, math.nan, 0.9, 0.9], [0, 0, 0, 0]
    for metric in (ece, brier, aurc, auroc, selective_accuracy):
        assert metric(conf, ok) is None
    assert mean_confidence(conf) is None
    rows = summarise(choices(conf, ok), slices=(), replicates=0, min_confidence=(0.5,))
    confidence_metrics = (
        *("ece", "brier", "aurc", "excess_aurc", "augrc", "auroc", "mean_confidence", "acc_at_50_coverage"),
        *("selective_accuracy@50", "selective_accuracy@80", "coverage", "abstention_rate"),
        "selective_precision",
    )
    for name in confidence_metrics:
        row = pick(rows, name)
        assert (row.value, row.low, row.high) == (None, None, None)
        assert row.reason == "2 of 4 confidences are not finite"
    assert pick(rows, "choice_accuracy").value == 0.0


def test_a_tie_group_is_never_split_by_a_coverage_cut() -> None:
    conf, ok = [0.7] * 40, [1] * 20 + [0] * 20
    for metric in (aurc, selective_accuracy):
        assert metric(conf, ok) == metric(conf, ok[::-1]) == 0.5


def test_a_float32_threshold_keeps_the_answer_at_it() -> None:
    served = np.array([0.7], dtype=np.float32).astype(np.float64)
    assert served[0] < 0.7
    level = np.round(served * 10_000).astype(int)
    assert coverage(level, 0.7) == 1.0


def test_no_threshold_and_threshold_zero_differ() -> None:
    columns = choices([0.9, 0.0], [1, 0])
    assert not [r for r in summarise(columns, min_confidence=(None,), replicates=0) if r.metric == "coverage"]
    rows = summarise(columns, min_confidence=(None, 0.0), slices=(), replicates=0)
    control = pick(rows, "coverage")
    assert (control.min_confidence, control.value) == (0.0, 1.0)
    assert pick(rows, "selective_precision").value == 0.5


def test_unequal_shards_are_joined_by_row_and_never_averaged() -> None:
    shards = [choices([0.9] * 4, [1] * 4), choices([0.6] * 4, [1] * 4), choices([0.8] * 2, [0] * 2)]
    joined = summarise(concat(shards), slices=(), replicates=0)
    whole = summarise(choices([0.9] * 4 + [0.6] * 4 + [0.8] * 2, [1] * 8 + [0] * 2), slices=(), replicates=0)
    assert pick(joined, "choice_accuracy").value == 0.8
    for name in ("ece", "macro_f1", "aurc"):
        assert pick(joined, name).value == pick(whole, name).value


def test_macro_and_micro_are_both_named() -> None:
    rows = summarise(choices([0.9] * 100, [1] * 90 + [0] * 10, language=["de"] * 90 + ["en"] * 10), replicates=0)
    assert pick(rows, "choice_accuracy").value == 0.9
    assert pick(rows, "choice_accuracy", "macro:language").value == 0.5


def test_no_macro_over_the_survivors() -> None:
    columns = choices([0.9, 0.8], [1, 0], language=["de", "en"])
    rows = summarise(columns, replicates=0, expected={"language": ["de", "en", "fr"]})
    macro = pick(rows, "choice_accuracy", "macro:language")
    assert macro.value is None
    assert macro.reason == "incomplete: 1 of 3 slices have no value: fr (no rows)"
    assert pick(rows, "choice_accuracy_partial", "macro:language").value == 0.5


def test_copying_rows_under_one_source_leaves_the_intervals() -> None:
    once = decisions(80, seed=3, kinds=(0,), unlabelled=0.0, source=np.arange(80, dtype=np.int32))
    tenfold = once.take(np.repeat(np.arange(80), 10))
    for name in ("choice_accuracy", "mean_confidence", "ece", "brier", "aurc", "auroc", "macro_f1"):
        one, ten = (pick(summarise(c, slices=(), metrics=[name]), name) for c in (once, tenfold))
        # Integer arithmetic apart, the ranking areas of a table and of its copies differ in their steps.
        assert ten.high - ten.low == pytest.approx(one.high - one.low, rel=0.02), name
        assert ten.n == 10 * one.n
        assert ten.n_clusters == one.n_clusters == 80


def test_paired_by_id_and_never_by_position() -> None:
    ids, a, b = list("abcdef"), [1, 1, 0, 1, 0, 1], [1, 0, 0, 1, 1, 0]
    conf = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    straight = compare(ids, a, conf, ids, b, conf)
    assert straight == compare(ids, a, conf, ids[::-1], b[::-1], conf[::-1])
    with pytest.raises(ValueError, match="Expected each id once in run b, but got 'a' more than once"):
        compare(ids, a, conf, ["a", "a"], [1, 1], [0.1, 0.2])


def test_auroc_of_a_constant_or_of_one_class_has_no_value() -> None:
    for conf, ok, reason in (
        ([0.5, 0.5], [1, 0], "constant confidence: nothing is ranked"),
        ([0.5, 0.6], [1, 1], "one class only: every answer is right"),
        ([0.5, 0.6], [0, 0], "one class only: every answer is wrong"),
    ):
        row = pick(summarise(choices(conf, ok), slices=(), replicates=0), "auroc")
        assert (row.value, row.reason) == (None, reason)


def test_baselines_stand_beside_every_accuracy() -> None:
    rows = summarise(decisions(200, seed=1), replicates=0)
    for dimension, value in (("overall", ""), ("language", "de"), ("macro:language", "")):
        for name in ("majority_baseline", "first_option_baseline", "distinct_predictions"):
            assert pick(rows, name, dimension, value).value is not None
        for name in ("noul_majority_baseline", "noul_first_option_baseline"):
            assert pick(rows, name, dimension, value).value is not None


def test_a_constant_model_is_seen() -> None:
    n = 10
    gold = np.array([0] * 7 + [1, 2, 3], dtype=np.int32)
    columns = choices([0.9] * n, (gold == 0).astype(np.int8), gold_label=gold, pred_label=np.zeros(n, dtype=np.int32))
    rows = summarise(columns, slices=(), replicates=0)
    assert pick(rows, "choice_accuracy").value == pick(rows, "majority_baseline").value == 0.7
    assert pick(rows, "distinct_predictions").value == 1.0


def test_selective_precision_without_accepted_answers() -> None:
    assert selective_precision([10, 20], [1, 1], 0.9) is None
