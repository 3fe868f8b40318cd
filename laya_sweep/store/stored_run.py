"""A finished run, read back: its report, its tables, and one of its results chosen by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.thresholds import MinConfidence, from_document
from laya_sweep.errors import Problem, UsageError, name_list
from laya_sweep.files.json_file import read_object
from laya_sweep.store.parquet import DamagedFileError, read_parquet
from laya_sweep.store.schemas import RUN_CALLS, TABLES

#: Schema tag of report.json.
REPORT_SCHEMA = "laya-sweep-report/1"

#: Narrowing -> the schema tag of a run whose questions it cut down: its figures are no figures of whole questions.
NARROWED_SCHEMAS = {"shortlist": "laya-sweep-shortlist-report/1", "knockout": "laya-sweep-knockout-report/1"}

#: Every schema of a run of ours.
REPORT_SCHEMAS = frozenset({REPORT_SCHEMA, *NARROWED_SCHEMAS.values()})

TIMING_FILE = "timing.json"


@dataclass(frozen=True)
class StoredResult:
    """One result of a run: checkpoint x regime x transform over all its languages."""

    run: StoredRun
    document: dict[str, Any]

    @cached_property
    def key(self) -> ResultKey:
        """Its names."""
        return ResultKey(**{name: str(self.document[name]) for name in ResultKey._fields})

    @property
    def checkpoint(self) -> str:
        """The checkpoint's name."""
        return self.key.checkpoint

    @property
    def regime(self) -> str:
        """The regime's name."""
        return self.key.regime

    @property
    def transform(self) -> str:
        """The transform's name."""
        return self.key.transform

    @property
    def asked(self) -> list[str]:
        """Languages that were asked for."""
        return [*self.run.config["languages"]]

    @property
    def failed(self) -> dict[str, str]:
        """Languages without figures, and why."""
        return dict(self.document["failed"])

    @property
    def decisions(self) -> pa.Table:
        """Its rows of the decisions table."""
        return self._own(self.run.table("decisions"), ResultKey._fields)

    @property
    def facts(self) -> pa.Table:
        """Its rows of the logits table; every regime shares them."""
        return self._own(self.run.table("logits"), ("checkpoint", "transform"))

    @property
    def timings(self) -> pa.Table:
        """Its rows of the timings table; every regime shares them."""
        return self._own(self.run.table("timings"), ("checkpoint", "transform"))

    @property
    def served_temperatures(self) -> dict[str, dict[str, float]]:
        """Who answers -> bucket -> the temperature that the runtime applies to those answers."""
        served: dict[str, dict[str, float]] = {}
        for row in self._own(self.run.table("checkpoints"), ("checkpoint",)).to_pylist():
            served.setdefault(row["model"], {})[row["bucket"]] = row["temperature_served"]
        return served

    @property
    def routes(self) -> dict[str, Any] | None:
        """Of a routed checkpoint the checkpoints that answered, by the names of their routes; None of a named one."""
        checkpoints = self.run.config.get("checkpoints", {})
        found = checkpoints.get(self.checkpoint, {}).get("routes")
        return None if found is None else dict(found)

    @property
    def pairs(self) -> pa.Table:
        """Its rows of the pairs table: its answers beside the baseline's."""
        return self._own(self.run.table("pairs"), ResultKey._fields)

    @property
    def variants(self) -> pa.Table:
        """Its rows of the variants table; every checkpoint and regime shares them."""
        return self._own(self.run.table("variants"), ("transform",))

    def marks_fault(self, min_confidence: MinConfidence) -> str | None:
        """Why the abstention marks at a threshold are not shown to be the runtime's; None where they are.

        As the run recorded it: a run of an earlier version recorded nothing, which shows nothing.
        """
        if min_confidence is None:
            return None
        for entry in self.run.marks:
            named = tuple(entry.get(name) for name in ResultKey._fields)
            if named == self.key and _is_threshold(entry.get("min_confidence"), min_confidence):
                return None if entry.get("min_confidence_sent") is True else str(entry.get("reason"))
        return "the run records no parity of marks at this min_confidence"

    @property
    def calls(self) -> pa.Table:
        """Its rows of the calls table; every regime shares them. Empty for a run of a version that kept none."""
        known = self.run.has("calls")
        return self._own(self.run.table("calls"), ("checkpoint", "transform")) if known else RUN_CALLS.empty_table()

    def _own(self, table: pa.Table, names: Sequence[str]) -> pa.Table:
        for name in names:
            table = table.filter(pc.equal(table[name], getattr(self, name)))
        return table


@dataclass(frozen=True)
class StoredRun:
    """The folder of a finished run."""

    folder: Path
    report: dict[str, Any]

    @classmethod
    def open(cls, folder: Path) -> StoredRun:
        """Read a run's report.

        Raises:
            UsageError: the folder holds no readable report of this schema.
        """
        path = folder / "report.json"
        if not path.is_file():
            raise UsageError(Problem(f"run {folder}", "a folder with report.json", "none", "name the out_dir of a run"))
        report = read_object(path, "report")
        if report.get("schema") not in REPORT_SCHEMAS or not _is_report(report):
            got = f"schema {report.get('schema')!r:.60}"
            raise UsageError(Problem(f"report {path}", f"a {REPORT_SCHEMA}", got, "run the sweep again"))
        return cls(folder, report)

    @property
    def config(self) -> dict[str, Any]:
        """What was measured."""
        return dict(self.report["config"])

    @property
    def narrowing(self) -> dict[str, Any] | None:
        """How questions were cut down before they were answered; None where they were not."""
        found = self.config.get("narrowing")
        return dict(found) if isinstance(found, dict) else None

    @property
    def rounding(self) -> str:
        """Whose figures its decisions hold, exact or runtime; a run from before there was a choice has exact ones."""
        metrics = self.config.get("metrics")
        return "runtime" if isinstance(metrics, dict) and metrics.get("rounding") == "runtime" else "exact"

    @property
    def imported(self) -> dict[str, Any] | None:
        """The published document this run was imported from, without its cases; None for a run of our own."""
        found = self.config.get("imported")
        return dict(found["document"]) if isinstance(found, dict) else None

    @property
    def imported_format(self) -> str | None:
        """The shape of that document; None for a run of our own."""
        found = self.config.get("imported")
        return str(found.get("format")) if isinstance(found, dict) else None

    @property
    def thresholds(self) -> list[MinConfidence]:
        """The min_confidences that were asked for; none where the run does not say.

        Raises:
            UsageError: what the report holds is no min_confidence.
        """
        try:
            return [from_document(value) for value in self.config.get("min_confidence", [])]
        except (ValueError, TypeError) as error:
            problem = Problem(f"report of {self.folder}", "min_confidences", str(error), "run the sweep again")
            raise UsageError(problem) from error

    @cached_property
    def marks(self) -> list[dict[str, Any]]:
        """By result and threshold, whether the marks are shown to be the runtime's; see `timing_document`."""
        path = self.folder / TIMING_FILE
        entries = read_object(path, "timing").get("min_confidence", []) if path.is_file() else []
        return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []

    @cached_property
    def results(self) -> list[StoredResult]:
        """Every result, in the report's order."""
        return [StoredResult(self, document) for document in self.report["results"]]

    @cached_property
    def cases(self) -> list[dict[str, Any]]:
        """Rows of the cases table."""
        rows: list[dict[str, Any]] = self.table("cases").to_pylist()
        return rows

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """When, where and by which code the run was made; empty where the file was not kept."""
        path = self.folder / "provenance.json"
        return read_object(path, "provenance") if path.is_file() else {}

    @cached_property
    def _tables(self) -> dict[str, pa.Table]:
        return {}

    def has(self, name: str) -> bool:
        """Whether the run has a table: an imported one has what its document tells, an old one what there was then."""
        return (self.folder / f"{name}.parquet").is_file()

    def table(self, name: str) -> pa.Table:
        """A table of the run; read once, since its results share it.

        Raises:
            UsageError: it is missing or damaged.
        """
        if name not in self._tables:
            self._tables[name] = read_table(self.folder, name)
        return self._tables[name]

    def select(
        self, checkpoint: str | None = None, regime: str | None = None, transform: str | None = None
    ) -> StoredResult:
        """The one result that the given names leave.

        Raises:
            UsageError: a name that no result has, or several results left; lists what exists.
        """
        wanted = {"checkpoint": checkpoint, "regime": regime, "transform": transform}
        for name, value in wanted.items():
            self._check_name(name, value)
        found = [
            result
            for result in self.results
            if all(value is None or getattr(result, name) == value for name, value in wanted.items())
        ]
        if len(found) == 1:
            return found[0]
        got = f"{len(found)} match: {_titles(found)}" if found else f"none match; there are {_titles(self.results)}"
        step = "name one with --checkpoint, --regime and --transform"
        raise UsageError(Problem(f"run {self.folder}", "selectors that leave one result", got, step))

    def _check_name(self, name: str, value: str | None) -> None:
        known = [*dict.fromkeys(getattr(result, name) for result in self.results)]
        if value is not None and value not in known:
            problem = Problem(f"--{name} {value}", f"one of {name_list(known, value)}", "neither", "name one of them")
            raise UsageError(problem)


def read_table(folder: Path, name: str) -> pa.Table:
    """A table of a run.

    Raises:
        UsageError: it is missing or damaged.
    """
    try:
        return read_parquet(folder / f"{name}.parquet", TABLES[name])
    except DamagedFileError as error:
        raise UsageError(
            Problem(f"run {folder}", f"a whole {name}.parquet", str(error), "run the sweep again")
        ) from error


def _is_report(report: dict[str, Any]) -> bool:
    config, results = report.get("config"), report.get("results")
    if not isinstance(config, dict) or not isinstance(config.get("languages"), dict) or not isinstance(results, list):
        return False
    names = (*ResultKey._fields, "failed")
    return all(isinstance(result, dict) and all(name in result for name in names) for result in results)


def _is_threshold(document: object, wanted: MinConfidence) -> bool:
    try:
        return from_document(document) == wanted
    except ValueError:
        return False


def _titles(results: Iterable[StoredResult]) -> str:
    return "; ".join(str(result.key) for result in results) or "no results"
