"""The whole judgement of a result: absent data, comparability, thresholds, baseline, policy, in one verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.baseline import Comparison, baseline_checks, comparison_notes, unmet_names
from laya_sweep.gates.comparability import comparability_check
from laya_sweep.gates.completeness import data_checks
from laya_sweep.gates.figure_name import named
from laya_sweep.gates.limits import tolerances as checked_tolerances
from laya_sweep.gates.mode import Mode, mode_of
from laya_sweep.gates.part import Part
from laya_sweep.gates.policy import Policy
from laya_sweep.gates.rules import policy_checks, recorded_policy_note
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import Thresholds, threshold_checks
from laya_sweep.gates.verdict import Check, Verdict, names


@dataclass(frozen=True, slots=True)
class Demands:
    """What is asked of a result.

    Attributes:
        thresholds: absolute limits on its overall figures.
        tolerances: by name, how far a figure may be from the baseline's; one that is not named may not move.
        only: the figures that are compared with the baseline, by name; None for all of them.
        policy: rules about slices.
        mode: None is strict where all sides are results of this package, else compatible.
        two_sided: in strict mode, an improvement beyond the tolerance fails too.
        max_errored_share: in strict mode and for results of this package, the share of cases that may have no
            answer. Elsewhere upstream's rule holds: a policy allows none, other gates do not ask.
    """

    thresholds: Thresholds = field(default_factory=Thresholds)
    tolerances: Mapping[str, float] = field(default_factory=dict)
    policy: Policy | None = None
    mode: Mode | None = None
    two_sided: bool = False
    max_errored_share: float = 0.0
    only: tuple[str, ...] | None = None

    def comparison(self, part: Part) -> Comparison:
        """What is asked beside a baseline."""
        return Comparison(self.tolerances, self.only, self.two_sided, part)

    def document(self) -> dict[str, Any]:
        """As JSON values; the mode stands with the verdict, which knows both sides."""
        return {
            "thresholds": self.thresholds.document(),
            "tolerances": dict(self.tolerances),
            **({} if self.only is None else {"only": list(self.only)}),
            "two_sided": self.two_sided,
            "max_errored_share": self.max_errored_share,
            "policy": None if self.policy is None else dict(self.policy.document),
        }


@dataclass(frozen=True, slots=True)
class Pairing:
    """A result beside a baseline, both as they can be held against each other.

    Of a run beside an upstream report `candidate` is what the run exports as one: its own figures, in the rounding
    of the report.
    """

    candidate: Scorecard
    baseline: Scorecard


def judge(candidate: Scorecard, demands: Demands, compared: Pairing | None = None, part: Part = Part.WHOLE) -> Verdict:
    """Everything asked of one result. Figures are read and limits applied anew on every call.

    Args:
        candidate: the result, on which thresholds and the rules of a policy that need no baseline are judged.
        demands: what is asked.
        compared: it and what it is compared with.
        part: of a result with several thresholds, what is judged here.

    Raises:
        UsageError: a limit or tolerance cannot mean anything; a tolerance or a relative rule without a baseline.
    """
    baseline = None if compared is None else compared.baseline
    mode = mode_of(demands.mode, candidate, baseline)
    if compared is None:
        _refuse_without_baseline(demands)
    checked_tolerances(demands.tolerances, mode)
    share = finite_number(demands.max_errored_share)
    if share is None or not 0.0 <= share <= 1.0:
        got = one_line(repr(demands.max_errored_share))
        raise UsageError(Problem("max_errored_share", "a share within [0, 1]", got, "correct the value"))
    checks = tuple(_checks(candidate, compared, demands, mode, part))
    notes = tuple(_notes(candidate, baseline, demands, mode, part))
    return Verdict(candidate.name, None if baseline is None else baseline.name, mode, checks, notes, demands.document())


def _checks(card: Scorecard, compared: Pairing | None, demands: Demands, mode: Mode, part: Part) -> Iterator[Check]:
    """Absent data, the baseline, thresholds, the policy."""
    baseline = None if compared is None else compared.baseline
    knowing = mode == "strict" or card.ours
    gated = bool(demands.thresholds) or baseline is not None
    if part is not Part.MOVED and (demands.policy is not None or (gated and knowing)):
        yield from data_checks(card, baseline, demands.max_errored_share if knowing else 0.0)
    if compared is not None:
        sides = (compared.candidate, compared.baseline)
        yield from baseline_checks(*sides, demands.comparison(part), mode)
        yield comparability_check(*sides, mode, part)
    yield from threshold_checks(card, demands.thresholds, mode, part)
    if demands.policy is not None:
        held = card if compared is None else compared.candidate
        yield from policy_checks(card, held, baseline, demands.policy.of(part), mode)


def _notes(card: Scorecard, baseline: Scorecard | None, demands: Demands, mode: Mode, part: Part) -> Iterator[str]:
    if baseline is not None:
        if part is not Part.MOVED:
            yield from comparison_notes(baseline, demands.comparison(Part.WHOLE), mode)
        idle = [name for name in unmet_names(baseline, demands.tolerances) if part.has(named(name).metric)]
        if idle and mode == "compatible":
            yield f"tolerance for {names(idle)} meets no figure"
    if part is not Part.MOVED and demands.policy is not None and (note := recorded_policy_note(card, demands.policy)):
        yield note


def _refuse_without_baseline(demands: Demands) -> None:
    """A limit on a difference with nothing to differ from would do nothing, and look as if it did."""
    problems = []
    if demands.tolerances:
        problems.append(Problem("tolerance", "a baseline to compare with", "none", "name a baseline"))
    if demands.policy is not None and demands.policy.needs_baseline:
        first = next(rule for rule in demands.policy.rules if rule.relative)
        what = f"policy rule {first.index} {first.limit_name}"
        problems.append(Problem(what, "a baseline to compare with", "none", "name a baseline"))
    if problems:
        raise UsageError(*problems)
