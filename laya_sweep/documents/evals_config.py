"""The `config` of an upstream report: what every one records, whether a run or an evaluation made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
) -> dict[str, Any]:
    """The part of a report that says how it was made.

    Args:
        own: what this kind of report records beside.
        versions: installed, by distribution name: laya and laya-sweep.
        timing: how calls were made.
        tolerances: of `score_within`; without any the report does not speak of it.
        errored: what has no answer; likewise.
    """
    document: dict[str, Any] = {
        "schema": EVALS_SCHEMA,
        **own,
        "coverage_metric_definition": COVERAGE_METRIC_DEFINITION,
        "laya_version": versions["laya"],
        "laya_sweep_version": versions["laya-sweep"],
        "thresholds": {"min": {}, "max": {}, "baseline_tolerance": {}},
        "timing": dict(timing),
    }
    document |= {"score_within": [*tolerances]} if tolerances else {}
    return document | ({"errored": [*errored]} if errored else {})
