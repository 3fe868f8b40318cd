"""A finished run's results as scorecards: as they stand, and as the upstream report that each of them exports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from laya_sweep.documents.figures_intake import document_scorecard
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.documents.scorecards import scorecard_of
from laya_sweep.domain.result_key import GatedKey
from laya_sweep.files.json_file import read_object
from laya_sweep.gates.comparability import narrowing_identity
from laya_sweep.gates.figures import accepted_counts, with_figures, without_marks
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.results.columns import decision_columns
from laya_sweep.results.figures import metric_row
from laya_sweep.results.timing import timing_figures
from laya_sweep.store.stored_run import StoredResult, StoredRun

#: What a sweep's gates found, in the run's folder.
VERDICT_FILE = "verdict.json"


def run_scorecards(run: StoredRun) -> dict[GatedKey, Scorecard]:
    """Every result of a run as a scorecard, one for each threshold.

    What a threshold keeps is a figure of the runtime's marks only where they are shown to be the runtime's; elsewhere
    (a regime that it does not serve, a sample that did not pass) it has no value here, and a gate on it fails.
    """
    return {key: card for result in run.results for key, card in result_scorecards(result).items()}


def result_scorecards(result: StoredResult) -> dict[GatedKey, Scorecard]:
    """One result of a run, once for each threshold; one that was imported without cases is its document's."""
    run = result.run
    if not run.has("decisions"):
        return {GatedKey(result.key, None): document_scorecard(result)}
    of_ours = run.imported is None  # an imported run has decisions and no facts
    rows = [
        metric_row(row)
        for row in run.table("metrics").to_pylist()
        if all(row[name] == value for name, value in result.key._asdict().items())
    ]
    accepted, timings = accepted_counts(decision_columns(result.decisions)), dict[str, float]()
    known = Scorecard(
        "",
        identity=_identity(run),
        absent={f"language {code}": reason for code, reason in result.failed.items()},
        recorded_policy=_recorded_policy(run),
    )
    if of_ours:
        facts = result.facts
        errored = facts.filter(pc.equal(facts["status"], "error")).num_rows
        known = replace(known, rounding=run.rounding, errored=errored, asked=facts.num_rows)
        timings = timing_figures(result.timings) if result.timings.num_rows else {}
    cards = {}
    for threshold in run.thresholds or [None]:
        key, fault = GatedKey(result.key, threshold), result.marks_fault(threshold)
        own = replace(known, name=f"{run.folder}: {key}", min_confidence=threshold)
        cards[key] = with_figures(own, rows if fault is None else without_marks(rows, fault), accepted, timings)
    return cards


def exported_scorecard(result: StoredResult) -> Scorecard:
    """The ungated upstream report of a result, as gates see it.

    Raises:
        UsageError: as `laya_evals_document`.
    """
    return scorecard_of(laya_evals_document(result, None), f"run {result.run.folder}")


def _identity(run: StoredRun) -> dict[str, Any]:
    known: dict[str, Any] = {"schema": run.report["schema"], **narrowing_identity(run.narrowing)}
    return known | {name: run.config[name] for name in ("dataset_sha256", "questions_sha256") if name in run.config}


def _recorded_policy(run: StoredRun) -> Any:  # noqa: ANN401 - a policy document
    path = run.folder / VERDICT_FILE
    if not path.is_file():
        return None
    results = read_object(path, "verdict").get("results") or [{}]
    return results[0].get("asked", {}).get("policy")
