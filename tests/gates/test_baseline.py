"""A result against a baseline, in both modes."""

import math
from dataclasses import replace

import pytest
from gate_cards import IDENTITY, only, ours, with_overall

from laya_sweep import assert_no_regression, compare
from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.domain.thresholds import BucketThresholds, from_document
from laya_sweep.errors import QualityError, UsageError
from laya_sweep.gates.scorecard import Scorecard

MAP = BucketThresholds.of({"choice:2": 0.7})


def code(candidate, baseline, tolerances=None, **options):
    return compare(candidate, baseline, tolerances, **options).exit_code


MOVES = [  # metric, candidate, tolerance, passes compatible, passes strict, passes strict two-sided
    ("choice_accuracy", 0.8, 0.0, True, True, True),
    ("choice_accuracy", 0.75, 0.0, False, False, False),
    ("choice_accuracy", 0.75, 0.06, True, True, True),
    ("choice_accuracy", 0.9, 0.0, False, True, False),
    ("choice_accuracy", 0.9, 0.2, True, True, True),
    ("ece", 0.2, 0.05, False, False, False),
    ("ece", 0.0, 0.05, False, True, False),
    ("mean_confidence", 0.95, 0.01, False, False, False),
    ("mean_confidence", 0.85, 0.01, False, False, False),
    ("mean_confidence", 0.91, 0.02, True, True, True),
    ("choice_accuracy", 0.78, 0.02, False, True, True),
    ("choice_accuracy", math.nan, 1.0, False, False, False),
    ("ece", -math.inf, 1.0, False, False, False),
]


@pytest.mark.parametrize(("metric", "value", "tolerance", "compatible", "strict", "two_sided"), MOVES)
def test_how_far_a_figure_may_move(metric, value, tolerance, compatible, strict, two_sided):
    candidate, allowed = with_overall(ours(), **{metric: value}), {metric: tolerance}
    assert compare(candidate, ours(), allowed, mode="compatible").passed is compatible
    assert compare(candidate, ours(), allowed, mode="strict").passed is strict
    assert compare(candidate, ours(), allowed, mode="strict", two_sided=True).passed is two_sided


def test_a_drift_equal_to_its_limit_has_one_answer_in_each_mode():
    """0.8 - 0.78 is 0.020000000000000018: strict calls that equal, and compatible is upstream's exact arithmetic."""
    candidate = with_overall(ours(), choice_accuracy=0.78)
    assert code(candidate, ours(), {"choice_accuracy": 0.02}) == 0
    assert code(candidate, ours(), {"choice_accuracy": 0.02}, two_sided=True) == 0


def test_a_result_is_its_own_baseline():
    verdict = compare(ours(), ours())
    assert verdict.passed
    assert {check.drift for check in verdict.checks if check.kind == "baseline"} == {0.0}
    assert verdict.mode == "strict"


@pytest.mark.parametrize("mode", ["strict", "compatible"])
def test_a_metric_the_run_lost_fails_and_names_what_there_is(mode):
    candidate = ours(overall={"ece": 0.1})
    check = only(compare(candidate, ours(), mode=mode), "choice_accuracy")
    assert not check.passed
    assert check.message == (
        "choice_accuracy has no value, baseline 0.8000 (n=100): no such metric; metrics that exist: ece"
    )


@pytest.mark.parametrize("mode", ["strict", "compatible"])
def test_a_metric_only_the_candidate_has_is_no_matter(mode):
    assert compare(with_overall(ours(), macro_f1=0.5), ours(), mode=mode).passed


@pytest.mark.parametrize("mode", ["strict", "compatible"])
def test_timings_are_compared_only_where_named(mode):
    slow, fast = with_overall(ours(), latency_p50_ms=90.0), with_overall(ours(), latency_p50_ms=10.0)
    assert compare(slow, fast, mode=mode).passed
    assert compare(ours(), fast, mode=mode).passed, "a timing nobody named may be missing"
    assert not compare(slow, fast, {"latency_p50_ms": 20}, mode=mode).passed
    assert not compare(ours(), fast, {"latency_p50_ms": 20}, mode=mode).passed


@pytest.mark.parametrize("mode", ["strict", "compatible"])
@pytest.mark.parametrize("baseline", [Scorecard("b"), ours(overall={}), ours(scope=(SlicePlace("language", "xx"),))])
def test_a_baseline_without_figures_is_a_usage_error(baseline, mode):
    with pytest.raises(UsageError, match="expected figures to compare with, got none"):
        compare(ours(), baseline, mode=mode)


def test_a_baseline_of_timings_alone_fails_in_strict_mode():
    baseline = ours(overall={"latency_p50_ms": 3.0})
    assert code(ours(), baseline, mode="strict") == 1
    assert code(ours(), baseline, mode="compatible") == 0


@pytest.mark.parametrize(
    ("candidate", "lacking"),
    [(ours(), "neither side has it"), (with_overall(ours(), nll=1.0), "the baseline lacks it")],
)
def test_a_tolerance_that_meets_no_figure(candidate, lacking):
    verdict = compare(candidate, ours(), {"nll": 0.1})
    assert verdict.exit_code == 1
    [failure] = verdict.failures
    assert f"tolerance for nll: nothing to compare, {lacking}; metrics of the baseline: choice_accuracy, ece" in (
        failure.message
    )
    compatible = compare(candidate, ours(), {"nll": 0.1}, mode="compatible")
    assert compatible.passed
    assert compatible.notes[1:] == ("tolerance for nll meets no figure",)


@pytest.mark.parametrize("mode", ["strict", "compatible"])
@pytest.mark.parametrize("value", [math.inf, math.nan, True, "0.1", None])
def test_a_tolerance_that_cannot_fail_or_pass_is_a_usage_error(value, mode):
    with pytest.raises(UsageError, match="tolerance ece"):
        compare(ours(), ours(), {"ece": value}, mode=mode)


def test_a_negative_tolerance_is_a_usage_error_or_never_met():
    with pytest.raises(UsageError, match="at least 0"):
        compare(ours(), ours(), {"ece": -1.0})
    assert code(ours(), ours(), {"ece": -1.0}, mode="compatible") == 1


OLD = [({"coverage_metric_definition": None}, "none is recorded"), ({"coverage_metric_definition": 1}, "definition 1")]


@pytest.mark.parametrize("mode", ["strict", "compatible"])
@pytest.mark.parametrize(("change", "said"), OLD)
def test_coverage_metrics_are_not_subtracted_across_definitions(change, said, mode):
    old = ours(**change)
    for pair in ((ours(), old), (old, ours()), (old, old)):
        verdict = compare(*pair, {"selective_accuracy@50": 1.0}, mode=mode)
        failed = {check.figure.metric for check in verdict.failures}
        assert failed == {"selective_accuracy@50"}, "ece and the like are not touched"
        assert said in verdict.failures[0].message
        assert verdict.failures[0].drift is None


@pytest.mark.parametrize("key", IDENTITY)
def test_another_measurement_is_not_comparable(key):
    other = ours(identity={**IDENTITY, key: "x" * 64})
    for mode in ("strict", "compatible"):
        verdict = compare(ours(), other, mode=mode)
        assert [check.kind for check in verdict.failures] == ["comparability"]
        lines = verdict.lines(everything=True)
        assert any(
            line.startswith("choice_accuracy 0.8000 (n=100), baseline 0.8000 (n=100): +0.0000") for line in lines
        )
        [said] = [line for line in lines if line.startswith("FAIL: baseline is not comparable: ")]
        assert f"{key} (" in said
        assert f"baseline is {'x' * 64}, this run is {IDENTITY[key]}" in said


@pytest.mark.parametrize("key", IDENTITY)
def test_an_identity_that_is_not_recorded_is_unknown_or_a_refusal(key):
    anonymous = ours(identity={name: value for name, value in IDENTITY.items() if name != key})
    for pair in ((ours(), anonymous), (anonymous, ours()), (anonymous, anonymous)):
        assert code(*pair, mode="compatible") == 0
        assert code(*pair, mode="strict") == 1


@pytest.mark.parametrize("mode", ["strict", "compatible"])
@pytest.mark.parametrize(
    "pair",
    [(None, 0.0), (0.0, 0.7), (0.5, 0.7), (None, 0.7), (0.7, {"choice": 0.7}), (0.7, MAP), (None, MAP), (0.0, MAP)],
)
def test_two_min_confidences_are_two_experiments(pair, mode):
    sides = [ours(min_confidence=value) for value in pair]
    assert code(*sides, mode=mode) == code(*reversed(sides), mode=mode) == 1
    assert all(code(side, side, mode=mode) == 0 for side in sides)


@pytest.mark.parametrize("mode", ["strict", "compatible"])
def test_one_gate_in_two_spellings_is_one_experiment(mode):
    pairs = [(0.7, {"default": 0.7}), (0.0, {"choice:2": 0.0}), ({"noul:2": 0.4}, {"noul:2": 0.4, "default": 0.0})]
    for pair in pairs:
        sides = [ours(min_confidence=from_document(value)) for value in pair]
        assert code(*sides, mode=mode) == 0


def test_an_unrecorded_min_confidence_is_unknown_or_a_refusal():
    unknown = replace(ours(), min_confidence=Scorecard("x").min_confidence)
    assert code(ours(), unknown, mode="compatible") == 0
    assert code(ours(), unknown, mode="strict") == 1


def test_the_default_mode_is_strict_between_ours_alone():
    foreign = replace(ours(), ours=False)
    assert compare(ours(), foreign).mode == "compatible"
    assert compare(with_overall(ours(), ece=0.0), foreign).exit_code == 1
    assert compare(with_overall(ours(), ece=0.0), ours()).exit_code == 0


def test_a_comparison_restricted_to_languages_and_metrics():
    zh = SlicePlace("language", "zh")
    baseline = ours().restricted(languages=["zh"], metrics=["choice_accuracy"])
    worse = ours(zh={"choice_accuracy": 0.6, "ece": 0.9})
    verdict = compare(worse, baseline, {"choice_accuracy": 0.05})
    assert [check.figure for check in verdict.checks if check.kind == "baseline"] == [(*zh, "choice_accuracy")]
    assert not only(verdict, "choice_accuracy", zh).passed
    lacking = compare(ours(), ours().restricted(languages=["zh", "xx"]), mode="compatible")
    assert [check.message for check in lacking.failures] == ["baseline has no figures of language=xx; it has zh"]
    assert ours().restricted().scope == (OVERALL,)


def test_assert_no_regression_is_for_test_suites():
    assert assert_no_regression(ours(), ours()).passed
    with pytest.raises(AssertionError, match=r"exceeded by 0\.1"):
        assert_no_regression(with_overall(ours(), choice_accuracy=0.7), ours())
    with pytest.raises(QualityError) as raised:
        assert_no_regression(with_overall(ours(), choice_accuracy=0.7, ece=0.5), ours())
    assert len(raised.value.failures) == 2
