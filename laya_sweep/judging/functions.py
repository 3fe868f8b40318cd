"""Gates as functions over whatever a person has at hand: a run, an evaluation, a report, a map of figures.

A run of several results is judged result by result: one verdict holds the checks of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from laya_sweep.errors import Problem, QualityError, UsageError
from laya_sweep.gates.door import Door
from laya_sweep.gates.judgement import Demands
from laya_sweep.gates.limits import limits, read_limits
from laya_sweep.gates.mode import Mode
from laya_sweep.gates.policy import Policy, parse_policy, read_policy
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.gates.verdict import Verdict
from laya_sweep.judging.baselines import BaselineNames, ByCheckpoint
from laya_sweep.judging.gate import Judged
from laya_sweep.judging.opened import HoldsFigures, Opened, open_figures, refuse_idle
from laya_sweep.judging.preparation import Choice, make_gate


def scorecards(result: HoldsFigures, *, model: str | None = None, branch: str | None = None) -> dict[str, Scorecard]:
    """The scorecards of anything that can be judged, by name; only a run and its report.json have several.

    Args:
        result: as `HoldsFigures` says.
        model, branch: which results, of a published document that holds several.

    Raises:
        UsageError: it cannot be read, or is nothing that can be judged.
    """
    opened = open_figures(result, "result", model=model, branch=branch)
    refuse_idle([opened], model, branch)
    return {str(one.name): one.card for one in opened.results}


def judge(
    candidate: HoldsFigures,
    *,
    thresholds: Thresholds | None = None,
    baseline: HoldsFigures | ByCheckpoint | None = None,
    tolerances: Mapping[str, float] | Path | str | None = None,
    policy: Policy | Mapping[str, Any] | Path | str | None = None,
    mode: Mode | None = None,
    two_sided: bool = False,
    max_errored_share: float = 0.0,
    model: str | None = None,
    branch: str | None = None,
    languages: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    baseline_checkpoint: str | None = None,
    baseline_regime: str | None = None,
    baseline_transform: str | None = None,
) -> Verdict:
    """Everything asked of a result, as the command and a sweep ask it.

    Args:
        candidate, baseline: as `HoldsFigures` says. Of two runs, results of one name are compared. A `ByCheckpoint`
            has a baseline for each checkpoint.
        tolerances: by metric, or the path of a JSON file with them.
        policy: rules about slices: read, a JSON value, or the path of a JSON file.
        thresholds, mode, two_sided, max_errored_share: as in `laya_sweep.gates.judgement.Demands`.
        model, branch: which results, of published documents that hold several.
        languages: those in which results are compared with the baseline; None for all of it.
        only: which figures are compared with the baseline, such as "ece" or "macro.ece"; None for all of them.
        baseline_checkpoint, baseline_regime, baseline_transform: names of the baseline's results; None for the same.

    Raises:
        UsageError: a document cannot be read or judged, or a limit cannot mean anything.
    """
    opened = open_figures(candidate, "candidate", model=model, branch=branch)
    if isinstance(tolerances, Path | str):
        tolerances = read_limits(Path(tolerances), "tolerance")
    demands = Demands(
        thresholds=thresholds or Thresholds(),
        tolerances=limits(tolerances, "tolerance"),
        policy=_policy(policy),
        mode=mode,
        two_sided=two_sided,
        max_errored_share=max_errored_share,
        only=None if only is None else tuple(dict.fromkeys(only)),
    )
    names = BaselineNames(baseline_checkpoint, baseline_regime, baseline_transform)
    choice = Choice(model, branch, None if languages is None else tuple(languages), names)
    judged = make_gate(demands, baseline, choice, Door.PYTHON, opened).judge(opened.results)
    return judged[0].verdict if len(opened.results) == 1 else _joined(judged, opened)


def compare(
    candidate: HoldsFigures,
    baseline: HoldsFigures | ByCheckpoint,
    tolerances: Mapping[str, float] | Path | str | None = None,
    *,
    mode: Mode | None = None,
    two_sided: bool = False,
    model: str | None = None,
    branch: str | None = None,
    languages: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    baseline_checkpoint: str | None = None,
    baseline_regime: str | None = None,
    baseline_transform: str | None = None,
) -> Verdict:
    """A result against a baseline alone; as `judge`, but there must be one."""
    if baseline is None:  # what a file that holds `null` is read as; without a baseline nothing could fail
        raise UsageError(Problem("baseline", "a result to compare with", "None", "name another"))
    chosen: dict[str, Any] = {"model": model, "branch": branch, "languages": languages, "only": only}
    chosen |= {
        "baseline_checkpoint": baseline_checkpoint,
        "baseline_regime": baseline_regime,
        "baseline_transform": baseline_transform,
    }
    return judge(candidate, baseline=baseline, tolerances=tolerances, mode=mode, two_sided=two_sided, **chosen)


def assert_no_regression(
    candidate: HoldsFigures,
    baseline: HoldsFigures | ByCheckpoint,
    tolerances: Mapping[str, float] | Path | str | None = None,
    *,
    mode: Mode | None = None,
    two_sided: bool = False,
    model: str | None = None,
    branch: str | None = None,
    languages: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    baseline_checkpoint: str | None = None,
    baseline_regime: str | None = None,
    baseline_transform: str | None = None,
) -> Verdict:
    """For a test suite: `compare`, and an AssertionError that names every failure.

    Raises:
        QualityError: a check failed; it is an AssertionError too.
        UsageError: as `judge`.
    """
    chosen: dict[str, Any] = {"model": model, "branch": branch, "languages": languages, "only": only}
    chosen |= {
        "baseline_checkpoint": baseline_checkpoint,
        "baseline_regime": baseline_regime,
        "baseline_transform": baseline_transform,
    }
    verdict = compare(candidate, baseline, tolerances, mode=mode, two_sided=two_sided, **chosen)
    if not verdict.passed:
        raise QualityError(*(check.message for check in verdict.failures))
    return verdict


def _policy(given: Policy | Mapping[str, Any] | Path | str | None) -> Policy | None:
    if given is None or isinstance(given, Policy):
        return given
    return read_policy(Path(given)) if isinstance(given, Path | str) else parse_policy(given)


def _joined(judged: Sequence[Judged], candidate: Opened) -> Verdict:
    """The verdicts on all results of a run as one, each check with the name of its result."""
    checks = tuple(
        replace(check, message=f"{name}: {check.message}") for name, verdict in judged for check in verdict.checks
    )
    notes = tuple(f"{name}: {note}" for name, verdict in judged for note in verdict.notes)
    first = judged[0].verdict
    return Verdict(candidate.name, first.baseline, first.mode, checks, notes, first.asked)
