"""Judging the rules of a policy."""

import pytest
from gate_cards import IDENTITY, ZH, key, only, ours

from laya_sweep.domain.slices import SlicePlace
from laya_sweep.errors import UsageError
from laya_sweep.gates.scorecard import Count, Scorecard
from laya_sweep.judging.functions import judge
from laya_sweep.metrics import Interval

ZH_PLACE = SlicePlace("language", "zh")
MODES = pytest.mark.parametrize("mode", ["strict", "compatible"])


def rule(metric="choice_accuracy", min_count=50, slice_=None, **limit):
    return {"slice": slice_ or {"language": "zh"}, "metric": metric, "min_count": min_count, **limit}


def judged(candidate, *rules, baseline=None, mode=None):
    """The verdict of the rules alone: a baseline without overall drift."""
    return judge(candidate, policy={"version": 1, "rules": [*rules]}, baseline=baseline, mode=mode)


def rules_of(verdict):
    return [check for check in verdict.checks if check.kind == "policy"]


ABSOLUTE = [
    ({"min": 0.7}, True),
    ({"min": 0.7001}, False),
    ({"max": 0.7}, True),
    ({"max": 0.6999}, False),
]


@MODES
@pytest.mark.parametrize(("limit", "passed"), ABSOLUTE)
def test_absolute_rules(limit, passed, mode):
    verdict = judged(ours(), rule(**limit), mode=mode)
    assert only(verdict, "choice_accuracy", ZH_PLACE).passed is passed
    assert verdict.exit_code == (0 if passed else 1)


RELATIVE = [  # zh candidate, baseline, limit, passes: equal passes in either mode, whatever the arithmetic
    (0.7, 0.7, {"max_drop": 0}, True),
    (0.78, 0.8, {"max_drop": 0.02}, True),
    (0.1, 0.3, {"max_drop": 0.2}, True),
    (0.7, 0.8, {"max_drop": 0.1}, True),
    (0.3, 0.1, {"max_increase": 0.2}, True),
    (0.7, 0.8, {"max_drop": 0.0999}, False),
    (0.9, 0.8, {"max_drop": 0}, True),
    (0.9, 0.8, {"max_increase": 0.05}, False),
    (0.7, 0.8, {"max_increase": 0}, True),
]


@MODES
@pytest.mark.parametrize(("here", "there", "limit", "passed"), RELATIVE)
def test_relative_rules_and_equality(here, there, limit, passed, mode):
    candidate, baseline = (ours(zh={**ZH, "choice_accuracy": value}) for value in (here, there))
    verdict = judged(candidate, rule(**limit), baseline=baseline, mode=mode)
    assert [check.passed for check in rules_of(verdict)] == [passed]


def test_a_rule_says_slice_metric_counts_values_limit_and_interval():
    candidate = ours(zh={**ZH, "choice_accuracy": 0.6})
    [check] = rules_of(judged(candidate, rule(max_drop=0.05), baseline=ours()))
    assert check.message == (
        "policy rule 1 (language=zh choice_accuracy, min_count 50): candidate 0.6000 [0.5623, 0.8090] (n=50), "
        "baseline 0.7000 [0.5623, 0.8090] (n=50), max_drop 0.05, exceeded by 0.05"
    )
    document = check.document()
    assert (document["dimension"], document["value"], document["metric"]) == ("language", "zh", "choice_accuracy")
    assert document["candidate"] == {"value": 0.6, "n": 50, "accepted": None, "low": 0.5623, "high": 0.809}
    assert document["limit_name"] == "max_drop"
    assert document["drift"] == pytest.approx(0.1)


def test_a_coverage_rule_gives_the_accepted_count_of_both_sides():
    lower = ours(zh={**ZH, "selective_accuracy@50": 0.5})
    [check] = rules_of(judged(lower, rule("selective_accuracy@50", max_drop=0.1), baseline=ours()))
    assert "candidate 0.5000 (n=50, 26 accepted), baseline 0.7500 (n=50, 26 accepted)" in check.message


@MODES
@pytest.mark.parametrize("n", [0, 1, 49])
def test_too_few_answers_on_either_side_fail(n, mode):
    few = ours(counts={key("choice_accuracy", "language", "zh"): Count(n)})
    for candidate, baseline, side in ((few, ours(), "candidate"), (ours(), few, "baseline")):
        [check] = rules_of(judged(candidate, rule(max_drop=1), baseline=baseline, mode=mode))
        assert not check.passed
        assert f"{side} 0.7000" in check.message
        assert f"n={n}, below min_count 50" in check.message
    assert not rules_of(judged(few, rule(min=0), mode=mode))[0].passed
    assert rules_of(judged(ours(), rule(min=0), baseline=few, mode=mode))[0].passed, "an absolute rule counts one side"


@MODES
def test_an_unknown_count_is_too_few(mode):
    [check] = rules_of(judged(ours(counts={}), rule(min=0, min_count=1), mode=mode))
    assert not check.passed
    assert "n is not known, below min_count 1" in check.message


MISSING = [
    (rule(min=0, slice_={"language": "xx"}), "no such slice; values of language: zh"),
    (rule(min=0, slice_={"tag": "vip"}), "no such slice; values of tag: none"),
    (rule("macro_f1", min=0), "no such metric; metrics that exist: choice_accuracy, ece"),
]


@MODES
@pytest.mark.parametrize(("given", "said"), MISSING)
def test_a_missing_slice_or_metric_fails_and_names_what_there_is(given, said, mode):
    [check] = rules_of(judged(ours(), given, mode=mode))
    assert not check.passed
    assert said in check.message
    relative = {**given, "max_drop": 1}
    del relative["min"]
    [check] = rules_of(judged(ours(), relative, baseline=ours(), mode=mode))
    assert not check.passed


@MODES
def test_a_metric_missing_in_the_baseline_alone_fails(mode):
    richer = ours(zh={**ZH, "nll": 1.0})
    [check] = rules_of(judged(richer, rule("nll", max_increase=1), baseline=ours(), mode=mode))
    assert not check.passed
    assert "baseline has no value: no such metric" in check.message


@MODES
def test_cases_without_an_answer_fail_every_policy(mode):
    lost = ours(errored=5, asked=8)
    [failure] = judged(lost, rule(min=0), mode=mode).failures
    assert "candidate has 5 of 8 cases without an answer (5 errored, 0 skipped)" in failure.message
    [failure] = judged(ours(), rule(min=0), baseline=ours(skipped=1), mode=mode).failures
    assert "baseline has 1 of 100 cases without an answer (0 errored, 1 skipped)" in failure.message


@MODES
@pytest.mark.parametrize("name", IDENTITY)
def test_relative_rules_need_both_identities_in_either_mode(name, mode):
    anonymous = ours(identity={key: value for key, value in IDENTITY.items() if key != name})
    for pair in ((anonymous, ours()), (ours(), anonymous)):
        checks = rules_of(judged(pair[0], rule(max_drop=1), baseline=pair[1], mode=mode))
        assert [check.passed for check in checks] == [False, True]
        assert checks[0].message == f"policy: relative rules need {name} on both sides"
        assert rules_of(judged(pair[0], rule(min=0), baseline=pair[1], mode="compatible"))[0].passed


@MODES
def test_coverage_definitions_must_agree_for_relative_rules_alone(mode):
    old = ours(coverage_metric_definition=None)
    for pair in ((ours(), old), (old, ours())):
        [check] = rules_of(judged(pair[0], rule("selective_accuracy@50", max_drop=1), baseline=pair[1], mode=mode))
        assert not check.passed
        assert "not compared" in check.message
        assert rules_of(judged(pair[0], rule("ece", max_increase=1), baseline=pair[1], mode=mode))[0].passed
    assert judged(old, rule("selective_accuracy@50", min=0), mode=mode).passed


def test_a_relative_rule_without_a_baseline_is_a_usage_error():
    with pytest.raises(UsageError, match="policy rule 2 max_increase: expected a baseline to compare with, got none"):
        judged(ours(), rule(min=0), rule(max_increase=0))


def test_another_policy_than_the_recorded_one_is_said():
    recorded = {"version": 1, "rules": [rule(min=0.5)]}
    assert judged(ours(recorded_policy=recorded), rule(min=0.5)).notes == ()
    assert judged(ours(), rule(min=0.5)).notes == ()
    verdict = judged(ours(recorded_policy=recorded), rule(min=0.6))
    [note] = verdict.notes
    assert "differs from the one recorded with the result" in note
    assert f"note: {note}" in verdict.lines()
    assert verdict.asked["policy"]["rules"] == [rule(min=0.6)]


def test_a_slice_interval_is_shown_where_it_is_known():
    card = ours(intervals={key("ece", "language", "zh"): Interval(0.1, 0.31)})
    assert "candidate 0.2000 [0.1000, 0.3100] (n=50), max 0.1, missed by 0.1" in (
        rules_of(judged(card, rule("ece", max=0.1)))[0].message
    )


def test_a_bare_map_has_no_slices_to_judge():
    [check] = rules_of(judged(Scorecard("x", overall={"ece": 0.1}), rule("ece", max=1)))
    assert not check.passed
