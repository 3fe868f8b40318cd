"""Whether the abstention marks of each result and threshold are shown to be the runtime's, and if not why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.domain.identity import value_digest
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.thresholds import MinConfidence, to_document
from laya_sweep.execution.parity import marks_fault
from laya_sweep.run.plan import Plan
from laya_sweep.run.planning import Planned


def parity_key(checkpoint: Checkpoint, plan: Plan) -> str:
    """What decides the runtime's answers to given cases: a cell's identity without its cases, and temperatures."""
    identity = next((cell.identity for cell in plan.cells if cell.asked_of == checkpoint.name), {})
    engine = {name: value for name, value in identity.items() if name not in ("suite", "language", "transform")}
    return value_digest([engine, checkpoint.temperatures])


def parity_faults(planned: Planned) -> dict[tuple[str, MinConfidence], str | None]:
    """By checkpoint and threshold, from the sample that passed the parity check of this run or an earlier one."""
    faults: dict[tuple[str, MinConfidence], str | None] = {}
    for checkpoint in planned.plan.checkpoints:
        sample = planned.store.parity_sample(parity_key(checkpoint, planned.plan))
        for threshold in planned.settings.min_confidence:
            if threshold is not None:
                faults[checkpoint.name, threshold] = marks_fault(sample, threshold)
    return faults


def mark_entries(
    planned: Planned, served: Mapping[ResultKey, bool], faults: Mapping[tuple[str, MinConfidence], str | None]
) -> list[dict[str, Any]]:
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
            fault = _fault(key, threshold, planned, faults) if served[key] else _not_served(key, planned)
            entry = {**key._asdict(), "min_confidence": to_document(threshold), "min_confidence_sent": fault is None}
            entries.append(entry | ({} if fault is None else {"reason": fault}))
    return entries


def _fault(
    key: ResultKey,
    threshold: MinConfidence,
    planned: Planned,
    faults: Mapping[tuple[str, MinConfidence], str | None],
) -> str | None:
    """Of a result: that of the first of its checkpoints that has one."""
    members = planned.plan.results[key.checkpoint]
    if not members:
        return "no case was answered"
    found = [(model, faults[entry.name, threshold]) for model, entry in members.items()]
    wrong = [fault if model == key.checkpoint else f"{model}: {fault}" for model, fault in found if fault]
    return wrong[0] if wrong else None


def _not_served(key: ResultKey, planned: Planned) -> str:
    if planned.regimes[key.regime].kind == "map":
        return f"the parity sample was answered without the map of regime {key.regime}: these marks were not compared"
    return f"the runtime does not serve regime {key.regime}: these are not its marks"
