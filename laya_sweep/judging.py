"""Gates on finished runs: a run's results as scorecards, and a verdict for each of them.

A sweep judges what it has just written by reading it back, and the verbs judge what was written before, so a gate
that is added later meets the same figures. A result is checkpoint x regime x transform x min_confidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.compute as pc

from laya_sweep.derive import decision_columns
from laya_sweep.errors import Problem, UsageError
from laya_sweep.gates import (
    POLICY_VERSION,
    Mode,
    Policy,
    Scorecard,
    Thresholds,
    Verdict,
    accepted_counts,
    judge,
    limits,
    parse_policy,
    read_limits,
    read_policy,
    read_scorecard,
    scorecard_of_rows,
)
from laya_sweep.jsonfile import read_object
from laya_sweep.metrics import MetricRow
from laya_sweep.reports import timing_figures
from laya_sweep.run_folder import write_json
from laya_sweep.settings import GateSettings
from laya_sweep.stored_run import REPORT_SCHEMA, StoredResult, StoredRun

VERDICT_FILE = "verdict.json"


class Named(NamedTuple):
    """A result's place among the results of a run."""

    checkpoint: str
    regime: str
    transform: str
    min_confidence: float | None

    def __str__(self) -> str:
        threshold = "none" if self.min_confidence is None else f"{self.min_confidence:g}"
        return f"{self.checkpoint} {self.regime} {self.transform} min_confidence={threshold}"


class Judged(NamedTuple):
    """A verdict and the result it is about."""

    result: Named | str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Gate:
    """Everything a result is asked, read and checked before any model loads."""

    thresholds: Thresholds
    tolerances: Mapping[str, float] | None
    policy: Policy | None
    baseline: Mapping[Named, Scorecard] | Scorecard | None
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


def prepare_gate(settings: GateSettings, baseline_path: Path | None) -> Gate:
    """Read and check thresholds, tolerances, policy and baseline.

    Raises:
        UsageError: any of them cannot be read or cannot mean anything.
    """
    given = limits(settings.tolerance, "gate.tolerance")
    if settings.tolerances is not None:
        given = {**read_limits(settings.tolerances, "gate.tolerances"), **given}
    policy = None if settings.policy is None else read_policy(settings.policy)
    baseline = None if baseline_path is None else read_baseline(baseline_path)
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
        baseline=baseline,
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


def read_baseline(path: Path) -> Mapping[Named, Scorecard] | Scorecard:
    """A run of ours (all its results), an upstream report, a per-language published document, or a bare metric map.

    Raises:
        UsageError: it is none of these.
    """
    return run_scorecards(StoredRun.open(path)) if path.is_dir() else read_scorecard(path)


def run_scorecards(run: StoredRun) -> dict[Named, Scorecard]:
    """Every result of a run as a scorecard."""
    cards = {}
    for result in run.results:
        rows, accepted = _metric_rows(result), accepted_counts(decision_columns(result.decisions))
        facts = result.facts if _has_facts(result) else None
        errors = 0 if facts is None else facts.filter(pc.equal(facts["status"], "error")).num_rows
        for threshold in run.config.get("min_confidence", [None]):
            name = Named(result.checkpoint, result.regime, result.transform, threshold)
            cards[name] = scorecard_of_rows(
                f"{run.folder}: {name}",
                rows,
                identity=_identity(run),
                min_confidence=threshold,
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
    known: dict[str, Any] = {"schema": REPORT_SCHEMA}
    return known | {name: config[name] for name in ("dataset_sha256", "questions_sha256") if name in config}


def _metric_rows(result: StoredResult) -> list[MetricRow]:
    own = (result.checkpoint, result.regime, result.transform)
    return [
        MetricRow(
            slice_dimension=row["slice"],
            **{name: row[name] for name in MetricRow.__dataclass_fields__ if name != "slice_dimension"},
        )
        for row in result.run.table("metrics").to_pylist()
        if (row["checkpoint"], row["regime"], row["transform"]) == own
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
