"""Gates on finished runs: a run's results as scorecards, and a verdict for each of them.

A sweep judges what it has just written by reading it back, and the verbs judge what was written before, so a gate
that is added later meets the same figures. A result is checkpoint x regime x transform x min_confidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow.compute as pc

from laya_sweep.documents.report_scorecards import is_report, report_scorecards
from laya_sweep.documents.scorecards import scorecard_of
from laya_sweep.domain.result_key import Named
from laya_sweep.domain.settings import GateSettings
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.atomic import write_json
from laya_sweep.files.json_file import read_json, read_object
from laya_sweep.gates.comparability import narrowing_identity
from laya_sweep.gates.figures import accepted_counts, scorecard_of_rows
from laya_sweep.gates.judgement import judge
from laya_sweep.gates.limits import limits, read_limits
from laya_sweep.gates.mode import Mode
from laya_sweep.gates.policy import POLICY_VERSION, Policy, parse_policy, read_policy
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.gates.verdict import Verdict
from laya_sweep.metrics.summary import MetricRow
from laya_sweep.results.columns import decision_columns
from laya_sweep.results.figures import metric_row
from laya_sweep.results.timing import timing_figures
from laya_sweep.store.stored_run import StoredResult, StoredRun

VERDICT_FILE = "verdict.json"


class Judged(NamedTuple):
    """A verdict and the result it is about."""

    result: Named | str
    verdict: Verdict


#: The results of a run of ours by name, or the one that a document of others holds.
Cards: TypeAlias = Mapping[Named, Scorecard] | Scorecard


@dataclass(frozen=True, slots=True)
class Gate:
    """Everything a result is asked, read and checked before any model loads."""

    thresholds: Thresholds
    tolerances: Mapping[str, float] | None
    policy: Policy | None
    baseline: Cards | None
    mode: Mode | None
    two_sided: bool
    max_errored_share: float

    def __bool__(self) -> bool:
        return bool(self.thresholds) or self.policy is not None or self.baseline is not None

    def judge(self, name: Named, card: Scorecard) -> Verdict:
        """The verdict on one result.

        Raises:
            UsageError: a run as baseline has no such result, or the gate cannot mean anything.
        """
        return judge(
            card,
            thresholds=self.thresholds,
            baseline=self._baseline_of(name),
            tolerances=self.tolerances,
            policy=self.policy,
            mode=self.mode,
            two_sided=self.two_sided,
            max_errored_share=self.max_errored_share,
        )

    def _baseline_of(self, name: Named) -> Scorecard | None:
        if not isinstance(self.baseline, Mapping):
            return self.baseline
        if len(self.baseline) == 1:
            return next(iter(self.baseline.values()))
        if name not in self.baseline:
            known = "; ".join(map(str, self.baseline))
            raise UsageError(Problem("baseline", f"a run with a result {name}", known, "name another baseline"))
        return self.baseline[name]


def prepare_gate(settings: GateSettings, baseline_path: Path | None, candidate: Cards | None = None) -> Gate:
    """Read and check thresholds, tolerances, policy and baseline.

    Args:
        settings: what is asked.
        baseline_path: what results are compared with.
        candidate: what will be judged, where it was read from a document that may hold several models or branches.

    Raises:
        UsageError: any of them cannot be read or cannot mean anything.
    """
    given = limits(settings.tolerance, "gate.tolerance")
    if settings.tolerances is not None:
        given = {**read_limits(settings.tolerances, "gate.tolerances"), **given}
    policy = None if settings.policy is None else read_policy(settings.policy)
    baseline = None if baseline_path is None else read_cards(baseline_path, "baseline", settings)
    _refuse_idle(settings, [cards for cards in (baseline, candidate) if cards is not None])
    if baseline is None and settings.languages is not None:
        raise UsageError(
            Problem("gate.languages", "a baseline to compare in them", "none", "name one with baseline=RUN_OR_JSON")
        )
    if baseline is None and given:
        raise UsageError(
            Problem("gate.tolerance", "a baseline to be near to", "none", "name one with baseline=RUN_OR_JSON")
        )
    if baseline is None and policy is not None and policy.needs_baseline:
        expected = "a baseline for its max_drop and max_increase rules"
        raise UsageError(Problem("gate.policy", expected, "none", "name one with baseline=RUN_OR_JSON"))
    return Gate(
        thresholds=Thresholds.of(settings.min, settings.max, settings.min_accuracy, settings.max_ece),
        tolerances=given or None,
        policy=policy,
        baseline=_restricted(baseline, settings.languages),
        mode=settings.mode,
        two_sided=settings.two_sided,
        max_errored_share=settings.max_errored_share,
    )


def with_rules(gate: Gate, rules: Sequence[Mapping[str, Any]]) -> Gate:
    """The gate with more rules behind those of its policy."""
    if not rules:
        return gate
    own = [] if gate.policy is None else gate.policy.document["rules"]
    return replace(gate, policy=parse_policy({"version": POLICY_VERSION, "rules": [*own, *rules]}))


def read_cards(path: Path, role: str, settings: GateSettings) -> Cards:
    """All results of a run of ours or of its report.json; or of a document of others the one that it holds.

    That is an upstream report, a per-language published document, of which the settings may name the model or branch,
    or a bare map of metrics.

    Args:
        path: the run's folder, or the file.
        role: what it is ("candidate", "baseline"), for messages.
        settings: the model and branch.

    Raises:
        UsageError: it is none of these, or a model or branch has to be named.
    """
    if path.is_dir():
        return run_scorecards(StoredRun.open(path))
    document = read_json(path, role, any_number=True)
    if is_report(document):
        return report_scorecards(document, str(path))
    what = f"{role} {one_line(path)}"
    return scorecard_of(document, what, name=str(path), model=settings.model, branch=settings.branch)


def _restricted(cards: Cards | None, languages: Sequence[str] | None) -> Cards | None:
    """A baseline of which these languages alone are compared."""
    if cards is None or languages is None:
        return cards
    if isinstance(cards, Scorecard):
        return cards.restricted(languages=languages)
    return {name: card.restricted(languages=languages) for name, card in cards.items()}


def _refuse_idle(settings: GateSettings, read: Sequence[Cards]) -> None:
    """A model or branch that no document has a place for would be an option that goes nowhere."""
    used = frozenset[str]().union(*(cards.selectors for cards in read if isinstance(cards, Scorecard)))
    for name, value in (("model", settings.model), ("branch", settings.branch)):
        if value is not None and f"--{name}" not in used:
            expected = "a published document with several to choose from"
            raise UsageError(Problem(f"gate.{name}", expected, f"{value!r} for others", f"drop --{name}"))


def run_scorecards(run: StoredRun) -> dict[Named, Scorecard]:
    """Every result of a run as a scorecard.

    What a threshold keeps is a figure of the runtime's marks only where they are shown to be the runtime's; elsewhere
    (a regime that it does not serve, a sample that did not pass) it has no value here, and a gate on it fails.
    """
    cards = {}
    for result in run.results:
        rows, accepted = _metric_rows(result), accepted_counts(decision_columns(result.decisions))
        facts = result.facts if _has_facts(result) else None
        errors = 0 if facts is None else facts.filter(pc.equal(facts["status"], "error")).num_rows
        for threshold in run.thresholds or [None]:
            name = Named(result.checkpoint, result.regime, result.transform, threshold)
            cards[name] = scorecard_of_rows(
                f"{run.folder}: {name}",
                _with_shown_marks(rows, result.marks_fault(threshold)),
                identity=_identity(run),
                min_confidence=threshold,
                rounding=run.rounding if _has_facts(result) else None,
                accepted=accepted,
                timings=_timings(result),
                errored=errors,
                asked=None if facts is None else facts.num_rows,
                absent={f"language {code}": reason for code, reason in result.failed.items()},
                recorded_policy=_recorded_policy(run),
            )
    return cards


def judge_run(folder: Path, gate: Gate) -> list[Judged]:
    """A verdict for every result of a run.

    Raises:
        UsageError: the folder holds no readable run, or the gate cannot be applied to it.
    """
    return judge_cards(run_scorecards(StoredRun.open(folder)), gate)


def judge_cards(cards: Mapping[Named, Scorecard], gate: Gate) -> list[Judged]:
    """A verdict for each of some results."""
    return [Judged(name, gate.judge(name, card)) for name, card in cards.items()]


def write_verdicts(path: Path, judged: Iterable[Judged]) -> None:
    """verdict.json: one entry a result."""
    entries = [{"result": str(name), **verdict.document()} for name, verdict in judged]
    write_json(path, {"passed": all(entry["passed"] for entry in entries), "results": entries})


def verdict_lines(judged: Sequence[Judged]) -> list[str]:
    """All verdicts in words: per result every comparison, then what failed and why."""
    return [f"{name}: {line}" for name, verdict in judged for line in verdict.lines()]


def _identity(run: StoredRun) -> dict[str, Any]:
    config = run.config
    known: dict[str, Any] = {"schema": run.report["schema"], **narrowing_identity(run.narrowing)}
    return known | {name: config[name] for name in ("dataset_sha256", "questions_sha256") if name in config}


def _metric_rows(result: StoredResult) -> list[MetricRow]:
    own = (result.checkpoint, result.regime, result.transform)
    return [
        metric_row(row)
        for row in result.run.table("metrics").to_pylist()
        if (row["checkpoint"], row["regime"], row["transform"]) == own
    ]


def _with_shown_marks(rows: Iterable[MetricRow], fault: str | None) -> Iterable[MetricRow]:
    """The figures; with a fault those at a threshold have no value, and say why."""
    if fault is None:
        return rows
    return [
        row if row.min_confidence is None else replace(row, value=None, low=None, high=None, reason=fault)
        for row in rows
    ]


def _has_facts(result: StoredResult) -> bool:
    """An imported run has decisions and no facts."""
    return result.run.imported is None


def _timings(result: StoredResult) -> dict[str, float]:
    return timing_figures(result.timings) if _has_facts(result) and result.timings.num_rows else {}


def _recorded_policy(run: StoredRun) -> Any:  # noqa: ANN401 - a policy document
    path = run.folder / VERDICT_FILE
    if not path.is_file():
        return None
    results = read_object(path, "verdict").get("results") or [{}]
    return results[0].get("asked", {}).get("policy")
