"""The one judge of results: everything they are asked, and a verdict for each of them.

A sweep judges what it has just written by reading it back, and the verbs judge what was written before, so a gate
that is added later meets the same figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from laya_sweep.domain.result_key import GatedKey
from laya_sweep.domain.settings import GateSettings
from laya_sweep.errors import Problem, UsageError
from laya_sweep.files.atomic import write_json
from laya_sweep.gates.judgement import Demands, Pairing, judge
from laya_sweep.gates.limits import limits, read_limits
from laya_sweep.gates.policy import POLICY_VERSION, parse_policy, read_policy
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.gates.verdict import Verdict
from laya_sweep.judging.opened import Opened, OpenResult, open_figures, refuse_idle
from laya_sweep.store.stored_run import StoredRun


class Judged(NamedTuple):
    """A verdict and the result it is about."""

    result: GatedKey | str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Gate:
    """Everything a result is asked, read and checked before any model loads.

    Attributes:
        demands: what is asked.
        baseline: what results are compared with.
        languages: those in which they are compared; None for everything that the baseline has.
    """

    demands: Demands
    baseline: Opened | None = None
    languages: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        return bool(self.demands.thresholds) or self.demands.policy is not None or self.baseline is not None

    def judge(self, results: Iterable[OpenResult]) -> list[Judged]:
        """A verdict for each of some results.

        Raises:
            UsageError: a run as baseline has no such result, or the gate cannot be applied to one.
        """
        return [Judged(result.name, judge(result.card, self.demands, self._beside(result))) for result in results]

    def _beside(self, result: OpenResult) -> Pairing | None:
        if self.baseline is None:
            return None
        other = self.baseline.counterpart(result)
        baseline = other.facing(result)
        if self.languages is not None:
            baseline = baseline.restricted(languages=self.languages)
        return Pairing(result.facing(other), baseline)


def prepare_gate(settings: GateSettings, baseline: Path | None, candidate: Opened | None = None) -> Gate:
    """Read and check thresholds, tolerances, policy and baseline.

    Args:
        settings: what is asked.
        baseline: what results are compared with.
        candidate: what will be judged, where it was read from a document that may hold several models or branches.

    Raises:
        UsageError: any of them cannot be read or cannot mean anything.
    """
    given = limits(settings.tolerance, "gate.tolerance")
    if settings.tolerances is not None:
        given = {**read_limits(settings.tolerances, "gate.tolerances"), **given}
    policy = None if settings.policy is None else read_policy(settings.policy)
    chosen = {"model": settings.model, "branch": settings.branch}
    opened = None if baseline is None else open_figures(baseline, "baseline", **chosen)
    refuse_idle([one for one in (opened, candidate) if one is not None], **chosen)
    if opened is None:
        for name, expected, idle in (
            ("languages", "a baseline to compare in them", settings.languages is not None),
            ("tolerance", "a baseline to be near to", bool(given)),
            ("policy", "a baseline for its max_drop and max_increase rules", policy and policy.needs_baseline),
        ):
            if idle:
                raise UsageError(Problem(f"gate.{name}", expected, "none", "name one with baseline=RUN_OR_JSON"))
    demands = Demands(
        thresholds=Thresholds.of(settings.min, settings.max, settings.min_accuracy, settings.max_ece),
        tolerances=given,
        policy=policy,
        mode=settings.mode,
        two_sided=settings.two_sided,
        max_errored_share=settings.max_errored_share,
    )
    return Gate(demands, opened, settings.languages)


def with_rules(gate: Gate, rules: Sequence[Mapping[str, Any]]) -> Gate:
    """The gate with more rules behind those of its policy."""
    if not rules:
        return gate
    policy = gate.demands.policy
    document = {"version": POLICY_VERSION, "rules": [*([] if policy is None else policy.document["rules"]), *rules]}
    return replace(gate, demands=replace(gate.demands, policy=parse_policy(document)))


def judge_run(folder: Path, gate: Gate) -> list[Judged]:
    """A verdict for every result of a run.

    Raises:
        UsageError: the folder holds no readable run, or the gate cannot be applied to it.
    """
    return gate.judge(open_figures(StoredRun.open(folder), "candidate").results)


def write_verdicts(path: Path, judged: Iterable[Judged]) -> None:
    """verdict.json: one entry a result."""
    entries = [{"result": str(name), **verdict.document()} for name, verdict in judged]
    write_json(path, {"passed": all(entry["passed"] for entry in entries), "results": entries})


def verdict_lines(judged: Sequence[Judged]) -> list[str]:
    """All verdicts in words: per result every comparison, then what failed and why."""
    return [f"{name}: {line}" for name, verdict in judged for line in verdict.lines()]
