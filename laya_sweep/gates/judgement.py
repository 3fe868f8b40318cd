"""The whole judgement of a result: absent data, comparability, thresholds, baseline, policy, in one verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.baseline import baseline_checks, unused_tolerances
from laya_sweep.gates.comparability import comparability_check
from laya_sweep.gates.completeness import data_checks
from laya_sweep.gates.limits import tolerances as checked_tolerances
from laya_sweep.gates.mode import Mode, mode_of
from laya_sweep.gates.policy import Policy, parse_policy, read_policy
from laya_sweep.gates.rules import policy_checks, recorded_policy_note
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import Thresholds, threshold_checks
from laya_sweep.gates.verdict import Check, Verdict


def judge(
    candidate: Scorecard,
    *,
    thresholds: Thresholds | None = None,
    baseline: Scorecard | None = None,
    tolerances: Mapping[str, float] | None = None,
    policy: Policy | Mapping[str, Any] | Path | str | None = None,
    mode: Mode | None = None,
    two_sided: bool = False,
    max_errored_share: float = 0.0,
) -> Verdict:
    """Everything asked of one result. Figures are read and limits applied anew on every call.

    Args:
        candidate: the result.
        thresholds: absolute limits on its overall figures.
        baseline: what it is compared with.
        tolerances: by metric, how far a figure may be from the baseline's; none means not at all.
        policy: rules about slices.
        mode: None is strict where all sides are results of this package, else compatible.
        two_sided: in strict mode, an improvement beyond the tolerance fails too.
        max_errored_share: in strict mode and for results of this package, the share of cases that may have no
            answer. Elsewhere upstream's rule holds: a policy allows none, other gates do not ask.

    Raises:
        UsageError: a limit, tolerance or policy cannot mean anything; a tolerance or a relative rule without a
            baseline.
    """
    rules = _policy(policy)
    decided = mode_of(mode, candidate, baseline)
    _refuse_without_baseline(baseline, tolerances, rules)
    allowed = checked_tolerances(tolerances, decided)
    asked = _Asked(thresholds or Thresholds(), allowed, rules, two_sided, _share(max_errored_share))
    checks = (*_checks(candidate, baseline, asked, decided), *_rule_checks(candidate, baseline, asked, decided))
    notes = tuple(_notes(candidate, baseline, asked, decided))
    compared_with = None if baseline is None else baseline.name
    return Verdict(candidate.name, compared_with, decided, checks, notes, asked.document())


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be judged, checked for sense."""

    thresholds: Thresholds
    tolerances: Mapping[str, float]
    policy: Policy | None
    two_sided: bool
    max_errored_share: float

    def document(self) -> dict[str, Any]:
        return {
            "thresholds": self.thresholds.document(),
            "tolerances": dict(self.tolerances),
            "two_sided": self.two_sided,
            "max_errored_share": self.max_errored_share,
            "policy": None if self.policy is None else dict(self.policy.document),
        }


def _checks(card: Scorecard, base: Scorecard | None, asked: _Asked, mode: Mode) -> Iterator[Check]:
    """Absent data, then the baseline."""
    knowing = mode == "strict" or card.ours
    gated = bool(asked.thresholds) or base is not None
    if asked.policy is not None or (gated and knowing):
        yield from data_checks(card, base, asked.max_errored_share if knowing else 0.0)
    if base is not None:
        yield from baseline_checks(card, base, asked.tolerances, mode, two_sided=asked.two_sided)
        yield comparability_check(card, base, mode)


def _rule_checks(card: Scorecard, base: Scorecard | None, asked: _Asked, mode: Mode) -> Iterator[Check]:
    """Thresholds, then the policy."""
    yield from threshold_checks(card, asked.thresholds, mode)
    if asked.policy is not None:
        yield from policy_checks(card, base, asked.policy, mode)


def _notes(card: Scorecard, base: Scorecard | None, asked: _Asked, mode: Mode) -> Iterator[str]:
    if base is not None and mode == "compatible":
        for name in unused_tolerances(base, asked.tolerances):
            yield f"tolerance for {one_line(name)} meets no figure"
    if asked.policy is not None and (note := recorded_policy_note(card, asked.policy)):
        yield note


def _policy(given: Policy | Mapping[str, Any] | Path | str | None) -> Policy | None:
    if given is None or isinstance(given, Policy):
        return given
    return read_policy(Path(given)) if isinstance(given, Path | str) else parse_policy(given)


def _refuse_without_baseline(base: Scorecard | None, tolerances: Any, rules: Policy | None) -> None:  # noqa: ANN401
    """A limit on a difference with nothing to differ from would do nothing, and look as if it did."""
    if base is not None:
        return
    problems = []
    if tolerances:
        problems.append(Problem("tolerance", "a baseline to compare with", "none", "name a baseline"))
    if rules is not None and rules.needs_baseline:
        first = next(rule for rule in rules.rules if rule.relative)
        what = f"policy rule {first.index} {first.limit_name}"
        problems.append(Problem(what, "a baseline to compare with", "none", "name a baseline"))
    if problems:
        raise UsageError(*problems)


def _share(given: float) -> float:
    share = finite_number(given)
    if share is None or not 0.0 <= share <= 1.0:
        got = one_line(repr(given))
        raise UsageError(Problem("max_errored_share", "a share within [0, 1]", got, "correct the value"))
    return share
