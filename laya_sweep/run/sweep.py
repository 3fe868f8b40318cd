"""One sweep from settings to an exit code: plan, infer, derive, write, judge.

Each step takes a value and gives one; what a person sees of a step is said here.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.settings import Settings
from laya_sweep.errors import IncompleteError, SweepInterruptedError, combine_exit_codes, exit_code
from laya_sweep.execution.events import WorkerReady
from laya_sweep.execution.parity import sample_document
from laya_sweep.files.atomic import write_json
from laya_sweep.files.hub import Hub
from laya_sweep.judging.gate import Gate, judge_run, verdict_lines, write_verdicts
from laya_sweep.judging.run_cards import VERDICT_FILE
from laya_sweep.reports.drift import drift_lines
from laya_sweep.reports.line import language_figures, language_line
from laya_sweep.results.columns import decision_columns
from laya_sweep.results.decisions import score_place
from laya_sweep.results.rows import PlaceRows, joined
from laya_sweep.results.timing import model_seconds
from laya_sweep.run.console import Console
from laya_sweep.run.derivation import derive
from laya_sweep.run.inference import infer
from laya_sweep.run.marks import parity_faults, parity_key
from laya_sweep.run.notes import dataset_notes, dry_run_text, place_notes, plan_notes, result_lines
from laya_sweep.run.places import Gathering, Inferred, ScoredPlace
from laya_sweep.run.plan import Cell
from laya_sweep.run.planning import Planned, plan_sweep
from laya_sweep.run.provenance import provenance_document
from laya_sweep.run.temperatures import CheckpointTemperatures
from laya_sweep.run.writing import drift_tables, write_run
from laya_sweep.store.run_folder import claim

_EXIT_INCOMPLETE = exit_code(IncompleteError())


def sweep(settings: Settings, console: Console, hub: Hub) -> int:
    """Run one sweep and return its exit code.

    Raises:
        UsageError: the request cannot be run; nothing was written.
        SweepInterruptedError: the user stopped it; committed facts stay.
    """
    started = time.perf_counter()
    planned = plan_sweep(settings, hub)
    if settings.dry_run:
        _note(console, dataset_notes(planned))
        console.result(dry_run_text(settings, planned.plan))
        return _EXIT_INCOMPLETE if planned.plan.failed_languages else 0
    with claim(settings.out_dir) as folder:
        _note(console, plan_notes(planned))
        inferred = _infer(planned, console)
        results = derive(planned, inferred)
        drift = drift_tables(planned.plan, settings.drift, results)
        timing = write_run(folder, planned, inferred, results, drift)
        wall_s = time.perf_counter() - started
        provenance = provenance_document(planned.plan, settings, inferred.stats, wall_s)
        write_json(folder / "provenance.json", provenance)
        for result in results:
            for line in result_lines(result.report):
                console.result(line)
        for table in drift:
            for line in drift_lines(table, timing):
                console.result(line)
        console.note(f"{inferred.stats.forward_rows} forwards done, results in {folder}")
        incomplete = 0 if all(result.report.complete for result in results) else _EXIT_INCOMPLETE
        return combine_exit_codes([incomplete, _judge(folder, planned.gate, console)])


def _infer(planned: Planned, console: Console) -> Inferred:
    """Compute what is missing; each place is scored, and its lines are said, as soon as all of it is there."""
    plan, settings, store = planned.plan, planned.settings, planned.store
    temperatures = CheckpointTemperatures(plan.checkpoints, store)
    gathering = Gathering(plan.cells, store)
    places: list[ScoredPlace] = []

    def finished(cell: Cell) -> None:
        parts = gathering.add(cell)
        if parts is not None:
            places.append(_score(parts, planned, temperatures, console))

    def ready(event: WorkerReady) -> None:
        """A worker has torch at hand and resolved its checkpoint's temperatures: keep them."""
        checkpoint = next(entry for entry in plan.checkpoints if entry.name == event.checkpoint)
        temperatures.keep(checkpoint, event.handshake.temperatures)
        if event.handshake.parity.sample:
            store.keep_parity_sample(parity_key(checkpoint, plan), sample_document(event.handshake.parity))

    waiting = plan.waiting
    for cell in plan.cells:
        if cell.key not in waiting:
            finished(cell)
    try:
        with console.progress(plan.pending_rows) as bar:
            stats = infer(plan, settings, store, bar, ready, finished)
    except KeyboardInterrupt as error:
        raise SweepInterruptedError("stopped; what was committed stays, the same command goes on from there") from error
    for cell in plan.cells:
        if not gathering.has(cell):
            finished(cell)
    resolved = {entry.name: temperatures.of(entry.name) for entry in plan.checkpoints}
    return Inferred(stats, tuple(places), resolved, parity_faults(planned, places, resolved))


def _score(
    parts: list[PlaceRows], planned: Planned, temperatures: CheckpointTemperatures, console: Console
) -> ScoredPlace:
    """Score what answered one language of a result under every regime, and say its lines."""
    rows = joined(sorted(parts, key=lambda part: part.expected.answered_by))
    failure = rows.failure(planned.settings.on_error)
    _note(console, place_notes(rows, parts, failure, {entry.name: entry.max_len for entry in planned.plan.checkpoints}))
    if failure is not None:
        return ScoredPlace(rows, failure, {})
    seconds = model_seconds(rows.timings)
    decisions: dict[str, pa.Table] = {}
    for name, regime in planned.regimes.items():
        buckets = {part.expected.answered_by: temperatures.buckets(part.expected.asked_of) for part in parts}
        table = score_place(parts, regime, buckets, planned.settings.metrics.rounding)
        decisions[name] = table
        if table.num_rows and planned.checking is None:
            line = language_line(rows.expected.language, language_figures(decision_columns(table)), seconds)
            key = ResultKey(rows.expected.checkpoint, rows.expected.transform, name)
            console.result(f"{key.title} {line}")
    return ScoredPlace(rows, None, decisions)


def _judge(folder: Path, gate: Gate, console: Console) -> int:
    """Judge what was written, by reading it back; without a gate there is no verdict, nor an earlier one."""
    if not gate:
        (folder / VERDICT_FILE).unlink(missing_ok=True)
        return 0
    judged = judge_run(folder, gate)
    write_verdicts(folder / VERDICT_FILE, judged)
    for line in verdict_lines(judged, gate.door):
        console.result(line)
    return max(verdict.exit_code for _, verdict in judged)


def _note(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.note(line)
