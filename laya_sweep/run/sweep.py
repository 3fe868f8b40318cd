"""One sweep from settings to an exit code: prepare, infer, derive, write."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from laya_sweep.calibration.overlap import map_notes, refuse_fitted_rows
from laya_sweep.checkpoints.checkpoint import Checkpoint, locate_all
from laya_sweep.checkpoints.route_counts import route_counts
from laya_sweep.checkpoints.routed import locate_routers
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.calibration_map import map_of, overrides_of
from laya_sweep.domain.identity import value_digest
from laya_sweep.domain.regime import Regime
from laya_sweep.domain.result_key import ResultKey, result_title
from laya_sweep.domain.settings import RegimeSettings, Settings
from laya_sweep.domain.thresholds import MinConfidence, to_document
from laya_sweep.errors import AUTO, IncompleteError, SweepInterruptedError, combine_exit_codes, exit_code
from laya_sweep.execution.events import WorkerReady
from laya_sweep.execution.parity import marks_fault, sample_document
from laya_sweep.files.atomic import require_writable, write_bytes, write_json
from laya_sweep.files.hub import Hub
from laya_sweep.judging.gate import judge_run, prepare_gate, verdict_lines, with_rules, write_verdicts
from laya_sweep.judging.run_cards import VERDICT_FILE
from laya_sweep.metrics.summary import MetricRow
from laya_sweep.reports.checks import check_lines
from laya_sweep.reports.drift import DriftTable, Runner, drift_lines, drift_markdown, drift_table, runner_groups
from laya_sweep.reports.line import language_figures, language_line, slice_lines
from laya_sweep.reports.markdown import markdown
from laya_sweep.reports.robustness import robustness_line
from laya_sweep.results.check_figure import CheckResult
from laya_sweep.results.checking import Checking, check_rows
from laya_sweep.results.columns import decision_columns
from laya_sweep.results.curves import curve_rows
from laya_sweep.results.decisions import is_served, score_place
from laya_sweep.results.expected import ExpectedRows
from laya_sweep.results.figures import metrics_table, summarise_result
from laya_sweep.results.pairs import pair_results, robustness_by_result
from laya_sweep.results.rows import PlaceRows, RowError, joined, select_rows
from laya_sweep.results.timing import model_seconds, timing_document
from laya_sweep.results.truncation import truncation_note, truncation_rows
from laya_sweep.run.console import Console
from laya_sweep.run.documents import (
    checkpoints_table,
    config_document,
    damage_line,
    dry_run_text,
    macro_line,
    not_applicable_notes,
    not_applicable_of,
    routes_line,
    variants_table,
)
from laya_sweep.run.inference import InferenceStats, infer
from laya_sweep.run.plan import Cell, Plan, make_plan
from laya_sweep.run.provenance import provenance_document
from laya_sweep.run.route_table import routes_table
from laya_sweep.run.temperatures import Temperatures
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.facts import FactStore
from laya_sweep.store.run_folder import claim, write_tables
from laya_sweep.store.schemas import CURVES, DECISIONS, LOGITS, PAIRS, RUN_CALLS, RUN_TIMINGS
from laya_sweep.store.stored_run import NARROWED_SCHEMAS, REPORT_SCHEMA, TIMING_FILE
from laya_sweep.suites.language import build_languages
from laya_sweep.suites.presentation import PresentationSuite
from laya_sweep.suites.suite import make_suite

_EXIT_INCOMPLETE = exit_code(IncompleteError())


def sweep(settings: Settings, console: Console, hub: Hub) -> int:
    """Run one sweep and return its exit code.

    Raises:
        UsageError: the request cannot be run; nothing was written.
        SweepInterruptedError: the user stopped it; committed facts stay.
    """
    started = time.perf_counter()
    run = SweepRun(settings, console, hub)
    if settings.dry_run:
        run.say_notes()
        console.result(dry_run_text(settings, run.plan))
        return _EXIT_INCOMPLETE if run.plan.failed_languages else 0
    with claim(settings.out_dir) as folder:
        return run.execute(folder, started)


class SweepRun:
    """A prepared sweep: everything is checked and planned, nothing has been written."""

    def __init__(self, settings: Settings, console: Console, hub: Hub) -> None:
        self._settings = settings
        self._console = console
        require_writable(settings.store.uri, "store.uri")
        if settings.out_dir is not None:
            require_writable(settings.out_dir, "out_dir")
        self._gate = prepare_gate(settings.gate, settings.baseline)
        self._store = FactStore(settings.store.uri)
        self._suite = make_suite(settings.dataset, hub)
        checkpoints = locate_all(settings.checkpoints, hub)
        self._languages = self._suite.languages(settings.languages)
        design = self._suite.design if isinstance(self._suite, PresentationSuite) else None
        self._checking = None if design is None else Checking(design, self._languages, settings.gate.checks)
        if self._checking is not None:
            self._gate = with_rules(self._gate, self._checking.rules())
        languages = build_languages(self._suite, self._languages)
        cases = [case for language in languages for case in language.cases]
        routers = locate_routers(settings.routers, cases, checkpoints, hub)
        self.plan: Plan = make_plan(settings, checkpoints, languages, self._store, routers)
        refuse_fitted_rows(settings.regimes, languages)
        self._regimes = [_regime(regime) for regime in settings.regimes]
        self._temperatures = Temperatures(self.plan.checkpoints, self._store)
        self._parts: dict[tuple[str, str, str], list[PlaceRows]] = {}
        self._rows: dict[tuple[str, str, str], PlaceRows] = {}
        self._cells = Counter(cell.place for cell in self.plan.cells)
        self._decisions: dict[ResultKey, dict[str, pa.Table]] = {}
        self._drift_lines: list[str] = []

    def execute(self, folder: Path, started: float) -> int:
        """Infer what is missing, derive everything, write the run's folder."""
        console, plan = self._console, self.plan
        self.say_notes()
        for code, error in plan.failed_languages.items():
            console.note(f"language {code} failed: {error}")
        for damage in plan.damaged:
            console.note(damage_line(damage))
        for note in map_notes(self._settings.regimes, plan.checkpoints):
            console.note(note)
        for checkpoint, count in plan.refusals.items():
            console.note(f"{checkpoint}: {count} rows ask for another checkpoint, which is an error of each of them")
        console.note(
            f"{len(plan.cells)} cells, {plan.rows} rows: {plan.rows - plan.pending_rows} cached, "
            f"{plan.pending_rows} to run"
        )
        for router in plan.routers:
            console.note(routes_line(router))
        waiting = plan.waiting
        for cell in plan.cells:
            if cell.key not in waiting:
                self._finish(cell)
        stats = self._infer()
        for cell in plan.cells:
            if not self._is_read(cell):
                self._finish(cell)
        results = self._write(folder)
        wall_s = time.perf_counter() - started
        write_json(folder / "provenance.json", provenance_document(plan, self._settings, stats, wall_s))
        for result in results:
            for line in self._lines(result):
                console.result(line)
        for line in self._drift_lines:
            console.result(line)
        console.note(f"{stats.forward_rows} forwards done, results in {folder}")
        incomplete = 0 if all(result.complete for result in results) else _EXIT_INCOMPLETE
        return combine_exit_codes([incomplete, self._judge(folder)])

    def say_notes(self) -> None:
        """What a person should know of the dataset, and of the questions that a transform leaves out."""
        for note in [*self._suite.notes(), *not_applicable_notes(self._settings, self.plan)]:
            self._console.note(note)

    def _lines(self, result: ResultReport) -> list[str]:
        """What the terminal says of a result as a whole."""
        if self._checking is not None:
            return check_lines(result)
        slices = [f"{result.title} {line}" for line in slice_lines(result)]
        compared = robustness_line(result)
        return [macro_line(result), *slices, *([] if compared is None else [compared])]

    def _judge(self, folder: Path) -> int:
        """Judge what was written, by reading it back; without a gate there is no verdict, nor an earlier one."""
        if not self._gate:
            (folder / VERDICT_FILE).unlink(missing_ok=True)
            return 0
        judged = judge_run(folder, self._gate)
        write_verdicts(folder / VERDICT_FILE, judged)
        for line in verdict_lines(judged):
            self._console.result(line)
        return max(verdict.exit_code for _, verdict in judged)

    def _infer(self) -> InferenceStats:
        try:
            with self._console.progress(self.plan.pending_rows) as bar:
                return infer(self.plan, self._settings, self._store, bar, self._ready, self._finish)
        except KeyboardInterrupt as error:
            raise SweepInterruptedError(
                "stopped; what was committed stays, the same command goes on from there"
            ) from error

    def _ready(self, event: WorkerReady) -> None:
        """A worker has torch at hand and resolved its checkpoint's temperatures: keep them."""
        checkpoint = next(entry for entry in self.plan.checkpoints if entry.name == event.checkpoint)
        self._temperatures.keep(checkpoint, event.handshake.temperatures)
        if event.handshake.parity.sample:
            self._store.keep_parity_sample(self._parity_key(checkpoint), sample_document(event.handshake.parity))

    def _is_read(self, cell: Cell) -> bool:
        return any(rows.expected.answered_by == cell.answered_by for rows in self._parts.get(cell.place, ()))

    def _finish(self, cell: Cell) -> None:
        """Read a complete cell back, unless the plan has; with the last one of its place, score that."""
        committed = cell.stored or self._store.read(cell.key)
        parts = self._parts.setdefault(cell.place, [])
        parts.append(select_rows(cell, committed.facts, committed.timings, committed.calls))
        if len(parts) == self._cells[cell.place]:
            self._score(parts)

    def _score(self, parts: list[PlaceRows]) -> None:
        """Score what answered one language of a result under every regime, and say its lines."""
        rows = joined(sorted(parts, key=lambda part: part.expected.answered_by))
        cell = rows.expected
        self._rows[cell.place] = rows
        name = result_title(cell.checkpoint, cell.language, cell.transform)
        failure = rows.failure(self._settings.on_error)
        if failure is not None:
            self._console.note(f"{name} failed: {failure}")
            return
        for error in rows.errors:
            self._console.note(f"{name} skipped {error}")
        budgets = {entry.name: entry.max_len for entry in self.plan.checkpoints}
        for part in parts:
            if note := truncation_note(part, budgets[part.expected.asked_of]):
                self._console.note(note)
        seconds = model_seconds(rows.timings)
        for regime in self._regimes:
            buckets = {part.expected.answered_by: self._temperatures.buckets(part.expected.asked_of) for part in parts}
            table = score_place(parts, regime, buckets, self._settings.metrics.rounding)
            key = ResultKey(cell.checkpoint, cell.transform, regime.name)
            self._decisions.setdefault(key, {})[cell.language] = table
            if table.num_rows and self._checking is None:
                figures = language_figures(decision_columns(table))
                self._console.result(f"{key.title} {language_line(cell.language, figures, seconds)}")

    def _write(self, folder: Path) -> list[ResultReport]:
        pairs = pair_results(self._result_keys(), self._decisions, self._rows.values())
        robustness = robustness_by_result(pairs, self._languages, self._settings.metrics.replicates)
        summaries = {key: self._summary(key) + robustness.get(key, []) for key in self._result_keys()}
        results = [self._report(key, rows) for key, rows in summaries.items()]
        temperatures = {entry.name: self._temperatures.of(entry.name) for entry in self.plan.checkpoints}
        tables = {
            "cases": cases_table(case for language in self.plan.languages for case in language.cases),
            "routes": routes_table(self.plan.routers),
            "checkpoints": checkpoints_table(self.plan.results, temperatures),
            "logits": self._joined("facts", LOGITS),
            "timings": self._joined("timings", RUN_TIMINGS),
            "calls": self._joined("calls", RUN_CALLS),
            "decisions": pa.concat_tables([self._decided(key) for key in self._result_keys()]),
            "curves": pa.concat_tables([CURVES.empty_table(), *self._curves()]),
            "variants": variants_table(self.plan.cells),
            "pairs": pa.concat_tables([PAIRS.empty_table(), *pairs.values()]),
            "metrics": metrics_table((key, row) for key, rows in summaries.items() for row in rows),
        }
        write_tables(folder, tables)
        drift, timing = self._drift(results), self._timing(tables)
        self._drift_lines = [line for table in drift for line in drift_lines(table, timing)]
        document = {
            "schema": NARROWED_SCHEMAS.get(self._settings.narrowing.name, REPORT_SCHEMA),
            "config": config_document(self._settings, self._suite, self.plan, temperatures),
            "results": [result.document() for result in results],
        } | ({"drift": [table.document() for table in drift]} if drift else {})
        write_json(folder / "report.json", document)
        write_bytes(folder / "report.md", (markdown(results) + drift_markdown(drift)).encode("utf-8"))
        write_json(folder / TIMING_FILE, timing)
        return results

    def _drift(self, results: Sequence[ResultReport]) -> list[DriftTable]:
        """Runners of the same weights, or all against a named one, under each transform and regime."""
        runners = [
            _runner(name, None if self.plan.router(name) else members[name])
            for name, members in self.plan.results.items()
        ]
        by_key = {ResultKey(result.checkpoint, result.transform, result.regime): result for result in results}
        tables = []
        for group in runner_groups(runners, self._settings.drift):
            for transform, regime in dict.fromkeys(key[1:] for key in by_key):
                keys = {runner.checkpoint: ResultKey(runner.checkpoint, transform, regime) for runner in group}
                own = {name: by_key[key] for name, key in keys.items()}
                tables.append(drift_table(group, own, {name: self._decided(key) for name, key in keys.items()}))
        return tables

    def _marks(self) -> list[dict[str, Any]]:
        """Whether the marks of each result and threshold are shown to be the runtime's, and if not why."""
        faults: dict[tuple[str, MinConfidence], str | None] = {}
        regimes = {regime.name: regime for regime in self._regimes}
        for checkpoint in self.plan.checkpoints:
            sample = self._store.parity_sample(self._parity_key(checkpoint))
            for threshold in self._settings.min_confidence:
                if threshold is not None:
                    faults[checkpoint.name, threshold] = marks_fault(sample, threshold)
        return [
            _mark_entry(
                key,
                threshold,
                self._fault(key, threshold, faults) if served else _not_served(key, regimes[key.regime]),
            )
            for key, served in ((key, self._is_served(key)) for key in self._result_keys())
            for threshold in self._settings.min_confidence
            if threshold is not None
        ]

    def _fault(
        self, key: ResultKey, threshold: MinConfidence, faults: Mapping[tuple[str, MinConfidence], str | None]
    ) -> str | None:
        """Of a result: that of the first of its checkpoints that has one."""
        members = self.plan.results[key.checkpoint]
        if not members:
            return "no case was answered"
        found = [(model, faults[entry.name, threshold]) for model, entry in members.items()]
        wrong = [fault if model == key.checkpoint else f"{model}: {fault}" for model, fault in found if fault]
        return wrong[0] if wrong else None

    def _is_served(self, key: ResultKey) -> bool:
        if next(regime for regime in self._regimes if regime.name == key.regime).kind == "map":
            return False
        served = {
            model: {fact.bucket: fact.served for fact in self._temperatures.of(entry.name)}
            for model, entry in self.plan.results[key.checkpoint].items()
        }
        return is_served(self._decided(key), served)

    def _parity_key(self, checkpoint: Checkpoint) -> str:
        """What decides the runtime's answers to given cases: a cell's identity without its cases, and temperatures."""
        identity = next((cell.identity for cell in self.plan.cells if cell.asked_of == checkpoint.name), {})
        engine = {name: value for name, value in identity.items() if name not in ("suite", "language", "transform")}
        return value_digest([engine, checkpoint.temperatures])

    def _timing(self, tables: Mapping[str, pa.Table]) -> dict[str, Any]:
        rows = dict.fromkeys(self.plan.results, 0)
        rows |= Counter(tables["logits"]["checkpoint"].to_pylist())
        for cell in self.plan.cells:
            rows[cell.checkpoint] -= cell.refused_rows  # nobody called for these
        return timing_document(tables["timings"], tables["calls"], rows, self._marks())

    def _result_keys(self) -> list[ResultKey]:
        return [
            ResultKey(name, transform.name, regime.name)
            for name in self.plan.results
            for transform in self._settings.transforms
            for regime in self._regimes
        ]

    def _summary(self, key: ResultKey) -> list[MetricRow]:
        settings = self._settings
        if self._checking is not None:
            answered = [*self.plan.results[key.checkpoint]]
            return check_rows(answered[0] if len(answered) == 1 else None, self._check_results(key))
        metrics = settings.metrics
        figures = summarise_result(
            self._decided(key), self._languages, settings.min_confidence, metrics.score_within, metrics.replicates
        )
        return figures + truncation_rows(self._published_cells(key))

    def _published_cells(self, key: ResultKey) -> list[PlaceRows]:
        """The cells of a result that have metrics."""
        ran = self._decisions.get(key, {})
        return [rows for rows in self._rows.values() if _is_of(rows.expected, key) and rows.expected.language in ran]

    def _check_results(self, key: ResultKey) -> list[CheckResult]:
        """The presentation checks of a result; of raw logits, so the same in every regime."""
        if self._checking is None:
            return []
        own = [rows for rows in self._rows.values() if (rows.expected.checkpoint, rows.expected.transform) == key[:2]]
        return self._checking.results(rows for rows in own if rows.failure(self._settings.on_error) is None)

    def _curves(self) -> list[pa.Table]:
        return [curve_rows(key, self._decided(key)) for key in self._result_keys() if key in self._decisions]

    def _decided(self, key: ResultKey) -> pa.Table:
        """Decisions of one result, languages in order of their codes."""
        tables = self._decisions.get(key, {})
        return pa.concat_tables([DECISIONS.empty_table(), *(tables[code] for code in sorted(tables))])

    def _report(self, key: ResultKey, rows: list[MetricRow]) -> ResultReport:
        ran = self._decisions.get(key, {})
        router = self.plan.router(key.checkpoint)
        failed = dict(self.plan.failed_languages)
        errored: list[RowError] = []
        for cell_rows in self._rows.values():
            cell = cell_rows.expected
            if _is_of(cell, key):
                errored += cell_rows.errors
                if (failure := cell_rows.failure(self._settings.on_error)) is not None:
                    failed[cell.language] = failure
        return ResultReport(
            checkpoint=key.checkpoint,
            transform=key.transform,
            regime=key.regime,
            asked=self._languages,
            failed=dict(sorted(failed.items())),
            errored=tuple(dataclasses.asdict(error) for error in sorted(errored)),
            temperatures={code: _applied(ran[code]) for code in sorted(ran)},
            routes=None if router is None else route_counts(router.routes.values()),
            rows=tuple(rows),
            not_applicable=tuple(entry._asdict() for entry in not_applicable_of(key.transform, self.plan)),
            checks=self._check_documents(key),
            served=self._is_served(key),
        )

    def _check_documents(self, key: ResultKey) -> tuple[dict[str, Any], ...] | None:
        if self._checking is None:
            return None
        return tuple(result.document() for result in self._check_results(key))

    def _joined(self, what: str, schema: pa.Schema) -> pa.Table:
        """The facts, timings or calls of all cells in plan order, with the checkpoint's name."""
        tables = [schema.empty_table()]
        for place in self._cells:
            table = getattr(self._rows[place], what)
            names = pa.array([place[0]] * table.num_rows, pa.string())
            tables.append(pa.table([names, *table.columns], schema=schema))
        return pa.concat_tables(tables)


def _runner(name: str, checkpoint: Checkpoint | None) -> Runner:
    """What answers for a result; None is a routed one, which has no weights or place of its own."""
    if checkpoint is None:
        return Runner(name, AUTO, None, (AUTO, name))
    place = (checkpoint.source.lower(), checkpoint.subfolder, checkpoint.commit)
    return Runner(name, checkpoint.runner, checkpoint.made_of, place)


def _is_of(expected: ExpectedRows, key: ResultKey) -> bool:
    return (expected.checkpoint, expected.transform) == (key.checkpoint, key.transform)


def _regime(settings: RegimeSettings) -> Regime:
    calibration = None if settings.document is None else map_of(settings.document)
    languages = {} if settings.lang_temperatures is None else overrides_of(settings.lang_temperatures)
    return Regime(settings.name, settings.kind, settings.temperature, calibration, languages)


def _mark_entry(key: ResultKey, threshold: MinConfidence, fault: str | None) -> dict[str, Any]:
    entry = {**key._asdict(), "min_confidence": to_document(threshold), "min_confidence_sent": fault is None}
    return entry | ({} if fault is None else {"reason": fault})


def _not_served(key: ResultKey, regime: Regime) -> str:
    if regime.kind == "map":
        return f"the parity sample was answered without the map of regime {key.regime}: these marks were not compared"
    return f"the runtime does not serve regime {key.regime}: these are not its marks"


def _applied(decisions: pa.Table) -> dict[str, float]:
    """Temperatures in force by where they came from; of a routed checkpoint by who answered and that."""
    names = ("checkpoint", "model", "temperature_source", "temperature")
    rows = set(zip(*(decisions[name].to_pylist() for name in names), strict=True))
    return {
        source if model == checkpoint else f"{model} {source}": value
        for checkpoint, model, source, value in sorted(rows)
    }
