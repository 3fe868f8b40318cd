"""Whether the abstention marks of each result and threshold are shown to be the runtime's, and if not why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.domain.identity import value_digest
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.thresholds import MinConfidence, to_document
from laya_sweep.execution.parity import marks_fault
from laya_sweep.run.map_marks import map_sample
from laya_sweep.run.places import MarkFaults, ScoredPlace
from laya_sweep.run.plan import Plan
from laya_sweep.run.planning import Planned


def parity_key(checkpoint: Checkpoint, plan: Plan) -> str:
    """What decides the runtime's answers to given cases: a cell's identity without its cases, and temperatures."""
    identity = next((cell.identity for cell in plan.cells if cell.asked_of == checkpoint.name), {})
    engine = {name: value for name, value in identity.items() if name not in ("suite", "language", "transform")}
    return value_digest([engine, checkpoint.temperatures])


def parity_faults(
    planned: Planned, places: Sequence[ScoredPlace], temperatures: Mapping[str, Sequence[TemperatureFact]]
) -> MarkFaults:
    """By checkpoint, map and threshold, from samples that the runtime answered in this run or an earlier one.

    Raises:
        ParityError: the runtime's confidences under a map are others than those derived.
    """
    thresholds = [threshold for threshold in planned.settings.min_confidence if threshold is not None]
    maps = [regime for regime in planned.settings.regimes if regime.kind == "map"]
    faults: MarkFaults = {}
    for checkpoint in planned.plan.checkpoints if thresholds else ():
        key = parity_key(checkpoint, planned.plan)
        samples: dict[str | None, Sequence[Mapping[str, Any]] | None] = {None: planned.store.parity_sample(key)}
        for regime in maps:
            samples[regime.name] = map_sample(planned, checkpoint, regime, places, temperatures[checkpoint.name], key)
        for name, sample in samples.items():
            for threshold in thresholds:
                faults[checkpoint.name, name, threshold] = marks_fault(sample, threshold)
    return faults


def mark_entries(planned: Planned, served: Mapping[ResultKey, bool], faults: MarkFaults) -> list[dict[str, Any]]:
    """An entry a result and threshold, for timing.json.

    Args:
        planned: names results, thresholds and who answers.
        served: whether the runtime applies the temperatures of a result.
        faults: as `parity_faults`.
    """
    thresholds = [threshold for threshold in planned.settings.min_confidence if threshold is not None]
    entries = []
    for key in planned.keys:
        for threshold in thresholds:
            fault = _fault(key, threshold, planned, faults, served=served[key])
            entry = {**key._asdict(), "min_confidence": to_document(threshold), "min_confidence_sent": fault is None}
            entries.append(entry | ({} if fault is None else {"reason": fault}))
    return entries


def _fault(
    key: ResultKey, threshold: MinConfidence, planned: Planned, faults: MarkFaults, *, served: bool
) -> str | None:
    """Of a result: that of the first of its checkpoints that has one."""
    by_map = planned.regimes[key.regime].kind == "map"
    if not (served or by_map):
        return f"the runtime does not serve regime {key.regime}: these are not its marks"
    members = planned.plan.results[key.checkpoint]
    if not members:
        return "no case was answered"
    regime = key.regime if by_map else None
    found = [(model, faults[entry.name, regime, threshold]) for model, entry in members.items()]
    wrong = [fault if model == key.checkpoint else f"{model}: {fault}" for model, fault in found if fault]
    return wrong[0] if wrong else None
