"""Gates as functions over whatever a person has at hand: a run, an evaluation, a report, a map of figures.

Everything becomes scorecards in one place, `scorecards`. A run of several results is judged result by result: one
verdict holds the checks of all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.documents.scorecards import read_scorecard, scorecard_of
from laya_sweep.domain.result_key import Named
from laya_sweep.errors import Problem, QualityError, UsageError
from laya_sweep.gates import judgement
from laya_sweep.gates.comparability import EVALS_SCHEMA
from laya_sweep.gates.limits import read_limits
from laya_sweep.gates.mode import Mode
from laya_sweep.gates.policy import Policy
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.gates.verdict import Verdict
from laya_sweep.judging.gate import run_scorecards
from laya_sweep.store.stored_run import StoredRun


class Judgeable(ABC):
    """What has figures of its own to judge, and a report of upstream's kind: an `Evaluation`."""

    name: str

    @property
    @abstractmethod
    def scorecard(self) -> Scorecard:
        """What gates ask about it."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Its report."""


#: A run (its folder or `StoredRun`), an `Evaluation`, a report or map of figures (values or the path of a JSON file).
Result: TypeAlias = StoredRun | Judgeable | Scorecard | Mapping[str, Any] | Path | str


@dataclass(frozen=True)
class _Side:
    """One result to judge; `report` makes the scorecard of the upstream report that it exports, where it does."""

    name: Named | str
    make: Callable[[], Scorecard]
    report: Callable[[], Scorecard] | None = None

    @cached_property
    def card(self) -> Scorecard:
        """Its own scorecard; made when it is asked for, since intervals take a while."""
        return self.make()

    def facing(self, others: Sequence[_Side]) -> Scorecard:
        """The card to hold against others: where these are upstream reports, that of the same kind of report."""
        if self.report is not None and any(other.is_upstream for other in others):
            return self.report()
        return self.card

    @property
    def is_upstream(self) -> bool:
        """Whether it is a report of upstream's kind; what exports one is not."""
        return self.report is None and self.card.identity.get("schema") == EVALS_SCHEMA


def scorecards(result: Result) -> dict[str, Scorecard]:
    """The scorecards of anything that can be judged, by name; only a run has several.

    Raises:
        UsageError: it cannot be read, or is nothing that can be judged.
    """
    return {str(side.name): side.card for side in _sides(result, "result")}


def judge(
    candidate: Result,
    *,
    thresholds: Thresholds | None = None,
    baseline: Result | None = None,
    tolerances: Mapping[str, float] | Path | str | None = None,
    policy: Policy | Mapping[str, Any] | Path | str | None = None,
    mode: Mode | None = None,
    two_sided: bool = False,
    max_errored_share: float = 0.0,
) -> Verdict:
    """Everything asked of a result; see `laya_sweep.gates.judge`, of which this takes more kinds of results.

    Args:
        candidate, baseline: as `Result` says. Of two runs, results of one name are compared.
        tolerances: by metric, or the path of a JSON file with them.
        thresholds, policy, mode, two_sided, max_errored_share: as there.

    Raises:
        UsageError: a document cannot be read or judged, or a limit cannot mean anything.
    """
    ours = _sides(candidate, "candidate")
    theirs = [] if baseline is None else _sides(baseline, "baseline")
    allowed = read_limits(Path(tolerances), "tolerance") if isinstance(tolerances, Path | str) else tolerances
    verdicts = []
    for side in ours:
        other = _namesake(side, theirs)
        verdict = judgement.judge(
            side.facing(theirs),
            thresholds=thresholds,
            baseline=None if other is None else other.facing(ours),
            tolerances=allowed,
            policy=policy,
            mode=mode,
            two_sided=two_sided,
            max_errored_share=max_errored_share,
        )
        verdicts.append(verdict)
    return verdicts[0] if len(verdicts) == 1 else _joined(ours, verdicts, candidate)


def compare(
    candidate: Result,
    baseline: Result,
    tolerances: Mapping[str, float] | Path | str | None = None,
    *,
    mode: Mode | None = None,
    two_sided: bool = False,
) -> Verdict:
    """A result against a baseline alone; as `judge`, but there must be one."""
    if baseline is None:  # what a file that holds `null` is read as; without a baseline nothing could fail
        raise UsageError(Problem("baseline", "a result to compare with", "None", "name another"))
    return judge(candidate, baseline=baseline, tolerances=tolerances, mode=mode, two_sided=two_sided)


def assert_no_regression(
    candidate: Result,
    baseline: Result,
    tolerances: Mapping[str, float] | Path | str | None = None,
    *,
    mode: Mode | None = None,
    two_sided: bool = False,
) -> Verdict:
    """For a test suite: `compare`, and an AssertionError that names every failure.

    Raises:
        QualityError: a check failed; it is an AssertionError too.
        UsageError: as `judge`.
    """
    verdict = compare(candidate, baseline, tolerances, mode=mode, two_sided=two_sided)
    if not verdict.passed:
        raise QualityError(*(check.message for check in verdict.failures))
    return verdict


def _sides(result: Result, role: str) -> list[_Side]:
    if isinstance(result, Judgeable):
        name = result.name
        return [_Side(name, lambda: result.scorecard, lambda: scorecard_of(result.document(), role, name=name))]
    if isinstance(result, StoredRun):
        return _results(result, role)
    if isinstance(result, Path | str):
        path = Path(result)
        if path.is_dir() or (path.name == "report.json" and path.with_name("metrics.parquet").is_file()):
            return _results(StoredRun.open(path if path.is_dir() else path.parent), role)
        return [_side(read_scorecard(path, role))]
    return [_side(result if isinstance(result, Scorecard) else scorecard_of(result, role))]


def _side(card: Scorecard) -> _Side:
    return _Side(card.name, partial(_kept, card))


def _results(run: StoredRun, role: str) -> list[_Side]:
    found = [
        _Side(name, partial(_kept, card), _exported(run, name, role)) for name, card in run_scorecards(run).items()
    ]
    if not found:
        raise UsageError(Problem(f"{role} {run.folder}", "a run with results", "none", "name another run"))
    return found


def _kept(card: Scorecard) -> Scorecard:
    return card


def _exported(run: StoredRun, name: Named, role: str) -> Callable[[], Scorecard]:
    def report() -> Scorecard:
        result = run.select(name.checkpoint, name.regime, name.transform)
        return scorecard_of(laya_evals_document(result, name.min_confidence), role, name=f"{run.folder}: {name}")

    return report


def _namesake(side: _Side, others: Sequence[_Side]) -> _Side | None:
    """What a result is compared with: the only one there is, else the one of its name."""
    if len(others) < 2:
        return others[0] if others else None
    for other in others:
        if other.name == side.name:
            return other
    known = "; ".join(str(other.name) for other in others)
    step = "choose one: scorecards(baseline)[NAME]"
    raise UsageError(Problem("baseline", f"a result {side.name}", known, step))


def _joined(sides: Sequence[_Side], verdicts: Sequence[Verdict], candidate: Result) -> Verdict:
    """The verdicts on all results of a run as one, each check with the name of its result."""
    named = [*zip((side.name for side in sides), verdicts, strict=True)]
    checks = tuple(replace(check, message=f"{name}: {check.message}") for name, one in named for check in one.checks)
    notes = tuple(f"{name}: {note}" for name, one in named for note in one.notes)
    title = str(candidate.folder) if isinstance(candidate, StoredRun) else str(candidate)
    first = verdicts[0]
    return Verdict(title, first.baseline, first.mode, checks, notes, first.asked)
