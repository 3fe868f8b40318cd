"""Judging the rules of a policy. Evidence that is not there never counts as a pass."""

from __future__ import annotations

from laya_sweep.domain.tolerance import finite_number, within
from laya_sweep.gates.comparability import coverage_conflict, missing_identity
from laya_sweep.gates.figure_name import label
from laya_sweep.gates.mode import Mode, slack_of
from laya_sweep.gates.policy import Policy, Rule
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import absolute
from laya_sweep.gates.verdict import Check, Measured, measured, why_no_value
from laya_sweep.metrics.lookup import nature_of


def policy_checks(
    candidate: Scorecard, held: Scorecard, baseline: Scorecard | None, policy: Policy, mode: Mode
) -> list[Check]:
    """One check per rule, and one for the identities that relative rules need on both sides, in either mode.

    Args:
        candidate: the result.
        held: the same as it is held against the baseline, which relative rules read.
        baseline: what relative rules compare with.
        policy: the rules.
        mode: decides the room of absolute rules.
    """
    checks = [_judge(rule, held if rule.relative else candidate, baseline, mode) for rule in policy.rules]
    if policy.needs_baseline and baseline is not None and (lacking := missing_identity(held, baseline)):
        said = f"policy: relative rules need {', '.join(lacking)} on both sides"
        checks.insert(0, Check("policy", False, said))
    return checks


def recorded_policy_note(candidate: Scorecard, policy: Policy) -> str | None:
    """Says so when a result is judged under another policy than the one it was made under."""
    if candidate.recorded_policy is None or candidate.recorded_policy == policy.document:
        return None
    return "this policy differs from the one recorded with the result; the verdict follows the one given now"


def _judge(rule: Rule, candidate: Scorecard, baseline: Scorecard | None, mode: Mode) -> Check:
    here = measured(candidate, rule.figure)
    there = measured(baseline, rule.figure) if rule.relative and baseline is not None else None
    reason = _no_evidence("candidate", candidate, here, rule)
    if reason is None and rule.relative:
        reason = _no_comparison(candidate, baseline, there, rule)
    if reason is not None:
        return _check(rule, False, reason, here, there)
    return _relative(rule, here, there) if there is not None else _absolute(rule, here, mode)


def _no_evidence(side: str, card: Scorecard, figure: Measured, rule: Rule) -> str | None:
    """Why one side's figure cannot be judged: it is missing, or too few answers stand behind it."""
    if finite_number(figure.value) is None:
        return f"{side} has no value: {why_no_value(card, rule.figure)}"
    scored = 0 if figure.count is None else figure.count.scored
    if scored < rule.min_count:
        known = f"n={scored}" if figure.count is not None else "n is not known"
        return f"{side} {figure}: {known}, below min_count {rule.min_count}"
    return None


def _no_comparison(candidate: Scorecard, baseline: Scorecard | None, there: Measured | None, rule: Rule) -> str | None:
    if baseline is None or there is None:
        return f"{rule.limit_name} needs a baseline"
    conflict = coverage_conflict(candidate, baseline) if nature_of(rule.figure.metric).cuts else None
    if conflict is not None:
        return f"not compared, because {conflict}"
    return _no_evidence("baseline", baseline, there, rule)


def _absolute(rule: Rule, here: Measured, mode: Mode) -> Check:
    assert here.value is not None
    passed = absolute(here.value, rule.limit_name, rule.limit, slack_of(mode))
    end = "" if passed else f", missed by {abs(here.value - rule.limit):.4g}"
    return _check(rule, passed, f"candidate {here}, {rule.limit_name} {rule.limit:g}{end}", here, None)


def _relative(rule: Rule, here: Measured, there: Measured) -> Check:
    """Rounding room in both modes: upstream gives it to relative rules too."""
    assert here.value is not None
    assert there.value is not None
    drift = there.value - here.value if rule.limit_name == "max_drop" else here.value - there.value
    passed = within(drift, rule.limit)
    end = "" if passed else f", exceeded by {drift - rule.limit:.4g}"
    said = f"candidate {here}, baseline {there}, {rule.limit_name} {rule.limit:g}{end}"
    return _check(rule, passed, said, here, there, drift)


def _check(
    rule: Rule, passed: bool, said: str, here: Measured, there: Measured | None, drift: float | None = None
) -> Check:
    message = f"policy rule {rule.index} ({label(rule.figure)}, min_count {rule.min_count}): {said}"
    return Check("policy", passed, message, rule.figure, here, there, rule.limit_name, rule.limit, drift)
