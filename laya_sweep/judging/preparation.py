"""A gate before it judges: what was written is read, and what cannot mean anything is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from laya_sweep.domain.settings import BaselinePaths, GateSettings
from laya_sweep.errors import Problem, UsageError
from laya_sweep.gates.door import Door
from laya_sweep.gates.judgement import Demands
from laya_sweep.gates.limits import limits, read_limits
from laya_sweep.gates.policy import POLICY_VERSION, parse_policy, read_policy
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.judging.baselines import SAME_NAMES, BaselineNames, Baselines, ByCheckpoint, Sources
from laya_sweep.judging.demanded import refuse_unmeant
from laya_sweep.judging.gate import Gate
from laya_sweep.judging.opened import HoldsFigures, Opened, open_figures, refuse_idle


class Choice(NamedTuple):
    """What is chosen of a baseline; see `GateSettings`."""

    model: str | None = None
    branch: str | None = None
    languages: tuple[str, ...] | None = None
    names: BaselineNames = SAME_NAMES


def prepare_gate(
    settings: GateSettings,
    baseline: BaselinePaths,
    door: Door = Door.SWEEP,
    candidate: Opened | None = None,
) -> Gate:
    """Read and check thresholds, tolerances, policy and baseline.

    Args:
        settings: what is asked.
        baseline: what results are compared with, or that by checkpoint.
        door: how it was written.
        candidate: what will be judged, where it is known.

    Raises:
        UsageError: any of them cannot be read or cannot mean anything.
    """
    given = limits(settings.tolerance, door.option("tolerance"))
    if settings.tolerances is not None:
        given = {**read_limits(settings.tolerances, door.option("tolerances")), **given}
    demands = Demands(
        thresholds=Thresholds.of(settings.min, settings.max, settings.min_accuracy, settings.max_ece, door),
        tolerances=given,
        policy=None if settings.policy is None else read_policy(settings.policy),
        mode=settings.mode,
        two_sided=settings.two_sided,
        max_errored_share=settings.max_errored_share,
        only=settings.only,
    )
    choice = Choice(
        settings.model,
        settings.branch,
        settings.languages,
        BaselineNames(settings.baseline_checkpoint, settings.baseline_regime, settings.baseline_transform),
    )
    return make_gate(
        demands, ByCheckpoint(baseline) if isinstance(baseline, Mapping) else baseline, choice, door, candidate
    )


def make_gate(
    demands: Demands,
    baseline: HoldsFigures | ByCheckpoint | None,
    choice: Choice,
    door: Door,
    candidate: Opened | None,
) -> Gate:
    """A gate of what is asked, once it is checked that all of it can mean something.

    Args:
        demands: what is asked.
        baseline: as `HoldsFigures` says, or a `ByCheckpoint` of these.
        choice: what of the baseline.
        door: how it was written.
        candidate: what will be judged, where it is known.

    Raises:
        UsageError: the baseline cannot be read, or an option means nothing.
    """
    chosen = {"model": choice.model, "branch": choice.branch}
    sources: Sources | None = None
    if isinstance(baseline, ByCheckpoint):
        sources = {
            name: None if given is None else open_figures(given, f"baseline of {name}", **chosen)
            for name, given in baseline.items()
        }
    elif baseline is not None:
        sources = open_figures(baseline, "baseline", **chosen)
    baselines = None if sources is None else Baselines(sources, choice.names, choice.languages, door)
    opened = [] if baselines is None else baselines.opened
    refuse_idle([*opened, *([] if candidate is None else [candidate])], choice.model, choice.branch, door)
    if baselines is None:
        _refuse_without_baseline(demands, choice, door)
    refuse_unmeant(demands, opened, candidate, door)
    return Gate(demands, baselines, door)


def _refuse_without_baseline(demands: Demands, choice: Choice, door: Door) -> None:
    rules = () if demands.policy is None else demands.policy.rules
    relative = [f"policy rule {rule.index} {rule.limit_name}" for rule in rules if rule.relative]
    for name, expected, idle in (
        ("languages", "a baseline to compare in them", choice.languages is not None),
        ("only", "a baseline to compare with", demands.only is not None),
        *((f"baseline_{name}", "a baseline to choose from", True) for name in choice.names.given),
        ("tolerance", "a baseline to compare with", bool(demands.tolerances)),
        ("policy", "a baseline to compare with", bool(relative)),
    ):
        if idle:
            step = f"name one with {door.written('baseline', 'RUN_OR_JSON')}"
            raise UsageError(Problem(relative[0] if name == "policy" else door.option(name), expected, "none", step))


def with_rules(gate: Gate, rules: Sequence[Mapping[str, Any]]) -> Gate:
    """The gate with more rules behind those of its policy."""
    if not rules:
        return gate
    policy = gate.demands.policy
    document = {"version": POLICY_VERSION, "rules": [*([] if policy is None else policy.document["rules"]), *rules]}
    return replace(gate, demands=replace(gate.demands, policy=parse_policy(document)))
