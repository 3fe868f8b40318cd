"""The fourth step: results -> the files of a run's folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from laya_sweep.domain.result_key import ResultKey
from laya_sweep.errors import AUTO
from laya_sweep.files.atomic import write_bytes, write_json
from laya_sweep.reports.drift import DriftRunner, DriftTable, drift_markdown, drift_table, runner_groups
from laya_sweep.reports.markdown import ReportNotes, markdown
from laya_sweep.results.timing import timing_document
from laya_sweep.run.derivation import DerivedResult
from laya_sweep.run.language_facts import language_facts, shares
from laya_sweep.run.marks import mark_entries
from laya_sweep.run.notes import dataset_notes
from laya_sweep.run.places import Inferred
from laya_sweep.run.plan import Plan
from laya_sweep.run.planning import Planned
from laya_sweep.run.report_config import config_document
from laya_sweep.run.tables import run_tables
from laya_sweep.store.run_folder import write_tables
from laya_sweep.store.stored_run import NARROWED_SCHEMAS, REPORT_SCHEMA, TIMING_FILE


def write_run(
    folder: Path, planned: Planned, inferred: Inferred, results: Sequence[DerivedResult], drift: Sequence[DriftTable]
) -> dict[str, Any]:
    """Write tables, report.json, report.md and timing.json; the document of the last is returned."""
    tables = run_tables(planned.plan, inferred, results)
    write_tables(folder, tables)
    reports, languages = [result.report for result in results], language_facts(planned.plan.languages)
    notes = ReportNotes(
        dataset_notes(planned),
        {code: shares(facts.scripts) for code, facts in languages.items()},
        {code: shares(facts.routers) for code, facts in languages.items()},
    )
    document = {
        "schema": NARROWED_SCHEMAS.get(planned.settings.narrowing.name, REPORT_SCHEMA),
        "config": config_document(
            planned.settings, planned.suite, planned.plan, inferred.temperatures, languages, planned.gate.demands
        ),
        "results": [report.document() for report in reports],
    } | ({"drift": [table.document() for table in drift]} if drift else {})
    write_json(folder / "report.json", document)
    write_bytes(folder / "report.md", (markdown(reports, notes) + drift_markdown(drift)).encode("utf-8"))
    served = {result.key: bool(result.report.served) for result in results}
    timing = timing_document(
        tables["timings"],
        tables["calls"],
        _asked_rows(planned.plan, tables["logits"]),
        mark_entries(planned, served, inferred.marks),
    )
    write_json(folder / TIMING_FILE, timing)
    return timing


def drift_tables(plan: Plan, reference: str | None, results: Sequence[DerivedResult]) -> list[DriftTable]:
    """Runners of the same weights, or all against a named one, under each transform and regime."""
    by_key = {result.key: result for result in results}
    tables = []
    for group in runner_groups(_runners(plan), reference):
        for transform, regime in dict.fromkeys(key[1:] for key in by_key):
            own = {one.checkpoint: by_key[ResultKey(one.checkpoint, transform, regime)] for one in group}
            reports = {name: result.report for name, result in own.items()}
            tables.append(drift_table(group, reports, {name: result.decisions for name, result in own.items()}))
    return tables


def _runners(plan: Plan) -> list[DriftRunner]:
    """What answers for each result; a routed one has no weights or place of its own."""
    runners = []
    for name, members in plan.results.items():
        if plan.router(name):
            runners.append(DriftRunner(name, AUTO, None, (AUTO, name)))
        else:
            own = members[name]
            place = (own.source.lower(), own.subfolder, own.commit)
            runners.append(DriftRunner(name, own.runner, own.made_of, place))
    return runners


def _asked_rows(plan: Plan, logits: pa.Table) -> Mapping[str, int]:
    """Checkpoint -> its rows, without those of refused cases: nobody called for them."""
    rows = dict.fromkeys(plan.results, 0) | Counter(logits["checkpoint"].to_pylist())
    for cell in plan.cells:
        rows[cell.checkpoint] -= cell.refused_rows
    return rows
