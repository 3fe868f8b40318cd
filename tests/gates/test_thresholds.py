"""Absolute limits on overall figures."""

import math

import pytest
from gate_cards import key, only, ours, with_overall

from laya_sweep.errors import UsageError
from laya_sweep.gates.scorecard import Count, Scorecard
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.judging.functions import judge


def judged(card, **limits):
    return judge(card, thresholds=Thresholds.of(**limits))


@pytest.mark.parametrize(
    ("limits", "metric", "passed"),
    [
        ({"minimum": {"choice_accuracy": 0.8}}, "choice_accuracy", True),
        ({"minimum": {"choice_accuracy": 0.81}}, "choice_accuracy", False),
        ({"maximum": {"ece": 0.1}}, "ece", True),
        ({"maximum": {"ece": 0.0999}}, "ece", False),
        ({"min_accuracy": 0.8}, "choice_accuracy", True),
        ({"min_accuracy": 0.9}, "choice_accuracy", False),
        ({"max_ece": 0.05}, "ece", False),
        ({"maximum": {"choice_accuracy": 0.7}}, "choice_accuracy", False),
    ],
)
def test_a_limit_is_kept_or_not(limits, metric, passed):
    verdict = judged(ours(), **limits)
    assert only(verdict, metric).passed is passed
    assert verdict.exit_code == (0 if passed else 1)


def test_equal_passes_by_arithmetic_in_strict_mode_and_exactly_in_compatible():
    card = with_overall(ours(), choice_accuracy=0.1 + 0.2 - 1e-16)
    limits = Thresholds.of(minimum={"choice_accuracy": 0.1 + 0.2})
    assert card.overall["choice_accuracy"] < 0.1 + 0.2
    assert judge(card, thresholds=limits, mode="strict").passed
    assert not judge(card, thresholds=limits, mode="compatible").passed


@pytest.mark.parametrize("mode", ["strict", "compatible"])
def test_nan_keeps_no_limit(mode):
    card = with_overall(ours(), ece=math.nan)
    for limits in ({"minimum": {"ece": 0}}, {"maximum": {"ece": 1}}):
        assert not judge(card, thresholds=Thresholds.of(**limits), mode=mode).passed


def test_min_accuracy_is_of_nouls_where_there_are_no_choices():
    card = Scorecard("run", overall={"noul_accuracy": 0.6})
    assert only(judged(card, min_accuracy=0.6), "noul_accuracy").passed
    assert not judged(card, min_accuracy=0.7).passed
    assert not judged(card, minimum={"choice_accuracy": 0.1}).passed, "a noul never stands in for a choice"


def test_min_accuracy_without_any_accuracy_fails():
    assert not judged(Scorecard("run", overall={"score_mae": 0.6}), min_accuracy=0.0).passed


def test_two_limits_on_one_metric_are_both_judged():
    verdict = judged(ours(), minimum={"choice_accuracy": 0.9}, min_accuracy=0.7)
    assert [check.passed for check in verdict.checks] == [False, True]


def test_a_metric_without_value_fails_says_why_and_which_there_are():
    reason = "2 of 100 confidences are not finite"
    card = ours(missing={key("nll"): reason})
    [message] = [check.message for check in judged(card, maximum={"nll": 5}).failures]
    assert message == (
        f"nll has no value for max 5: {reason}; metrics with a value: "
        "choice_accuracy, ece, mean_confidence, selective_accuracy@50"
    )
    [message] = [check.message for check in judged(card, minimum={"brier": 0.1}).failures]
    assert "brier has no value for min 0.1: no such metric; metrics that exist: choice_accuracy, ece," in message
    [failure] = judged(Scorecard("run"), minimum={"ece": 0}).failures
    assert "there are no figures at all" in failure.message


def test_the_message_gives_value_count_accepted_and_limit():
    card = ours(counts={key("selective_accuracy@50"): Count(100, 61)})
    check = only(judged(card, minimum={"selective_accuracy@50": 0.95}), "selective_accuracy@50")
    assert check.message == "selective_accuracy@50 0.9000 (n=100, 61 accepted), min 0.95: missed by 0.05"


def test_limits_that_mean_nothing_are_refused_all_at_once():
    with pytest.raises(UsageError) as raised:
        Thresholds.of({"a": True, "b": "x"}, [1], math.inf, "0.1")
    assert [problem.what for problem in raised.value.problems] == [
        "gate.min a",
        "gate.min b",
        "gate.max",
        "gate.min_accuracy",
        "gate.max_ece",
    ]


def test_no_limit_is_no_gate():
    assert not Thresholds.of()
    assert Thresholds.of(max_ece=0.0)
    verdict = judge(ours(errored=5), thresholds=Thresholds())
    assert (verdict.checks, verdict.passed, verdict.summary()) == ((), True, "no gate was asked for")
