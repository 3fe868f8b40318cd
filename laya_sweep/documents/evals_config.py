"""The `config` of an upstream report: what every one records, whether a run or an evaluation made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from laya_sweep.gates.comparability import EVALS_SCHEMA
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION


def evals_config(
    own: Mapping[str, Any],
    *,
    versions: Mapping[str, str],
    timing: Mapping[str, Any],
    tolerances: Sequence[float],
    errored: Sequence[Mapping[str, Any]],
    asked: Mapping[str, Any] = MappingProxyType({}),
    overall: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Any]:
    """The part of a report that says how it was made.

    Args:
        own: what this kind of report records beside.
        versions: installed, by distribution name: laya and laya-sweep.
        timing: how calls were made.
        tolerances: of `score_within`; without any the report does not speak of it.
        errored: what has no answer; likewise.
        asked: the configuration of a run, which has its `thresholds` and `gate_policy`.
        overall: the figures, by which the thresholds are named as upstream names them.
    """
    document: dict[str, Any] = {
        "schema": EVALS_SCHEMA,
        **own,
        "coverage_metric_definition": COVERAGE_METRIC_DEFINITION,
        "laya_version": versions["laya"],
        "laya_sweep_version": versions["laya-sweep"],
        "thresholds": _thresholds(asked.get("thresholds", {}), overall),
        "timing": dict(timing),
    }
    document |= {"gate_policy": asked["gate_policy"]} if asked.get("gate_policy") is not None else {}
    document |= {"score_within": [*tolerances]} if tolerances else {}
    return document | ({"errored": [*errored]} if errored else {})


def _thresholds(asked: Mapping[str, Any], overall: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The gate that was applied: `min_accuracy` is of choices, else of nouls, and `max_ece` of `ece`."""
    least, most = dict(asked.get("min", {})), dict(asked.get("max", {}))
    if asked.get("min_accuracy") is not None:
        choices = "choice_accuracy" in overall or "noul_accuracy" not in overall
        least["choice_accuracy" if choices else "noul_accuracy"] = asked["min_accuracy"]
    if asked.get("max_ece") is not None:
        most["ece"] = asked["max_ece"]
    return {"min": least, "max": most, "baseline_tolerance": dict(asked.get("baseline_tolerance", {}))}
