"""A published document with its cases -> the tables of a run. What it does not tell is null; nothing is made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.documents.intake_rows import decision_row, foreign_entry, frozen_cases, variant_row
from laya_sweep.documents.measured import measured_rows
from laya_sweep.documents.published_document import PublishedDocument
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.documents.shape import LAYA_EVAL
from laya_sweep.domain.case import Case, canonical_rows_digest
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.identity import library_versions
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.settings import BASELINE
from laya_sweep.domain.thresholds import MinConfidence, from_document, to_document
from laya_sweep.errors import Problem, UsageError
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.results.curves import curve_rows
from laya_sweep.results.figures import metrics_table, summarise_result
from laya_sweep.results.survivors import withheld
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.schemas import CURVES, DECISIONS, VARIANTS
from laya_sweep.store.stored_run import NARROWED_SCHEMAS, REPORT_SCHEMA

#: Where the temperature of an imported decision came from, and the regime where the document names none.
PUBLISHED = "published"

#: What our exports say of the run in their configuration, under the names that a report.json has.
_SAME_NAME = ("dataset_sha256", "questions_sha256", "narrowing", "transforms")


class Imported(NamedTuple):
    """A document as a run has it: the tables by name, report.json, the results it is about, and whose its marks are."""

    tables: dict[str, pa.Table]
    report: dict[str, Any]
    results: list[ResultReport]
    marks: tuple[dict[str, Any], ...] = ()


class Names(NamedTuple):
    """What the one who imports calls checkpoint and regime; None for the names that the document has."""

    checkpoint: str | None = None
    regime: str | None = None


def imported_run(document: PublishedDocument, names: Names) -> Imported:
    """Cases, decisions, variants, metrics and report of a published document.

    Raises:
        UsageError: cases that are one row of the input contradict each other.
    """
    key = result_key(document.rest["config"], names)
    cases = frozen_cases(document.cases)
    decisions = decisions_table(document, cases, key)
    thresholds = recorded_thresholds(document.rest["config"], decisions)
    failed = {*document.asked} - {*decisions["language"].to_pylist()}
    own = withheld(summarise_result(decisions, document.asked, thresholds), failed, len(document.asked))
    rows = [*own, *measured_rows(document.rest)]
    result = _report(document, key, decisions, rows)
    tables = {
        "cases": cases_table({(case.language, case.case_id): case for case in cases}.values()),
        "decisions": decisions,
        "curves": curve_rows(key, decisions) if decisions.num_rows else CURVES.empty_table(),
        "metrics": metrics_table((key, row) for row in rows),
    }
    shown = [variant_row(*pair, key) for pair in zip(document.cases, cases, strict=True)]
    if told := [row for row in shown if row is not None]:
        tables["variants"] = pa.Table.from_pylist(told, schema=VARIANTS)
    config = _config(document, cases) | {"min_confidence": [to_document(value) for value in thresholds]}
    narrowing = config.get("narrowing")
    schema = NARROWED_SCHEMAS[narrowing["name"]] if narrowing is not None else REPORT_SCHEMA
    report = {"schema": schema, "config": config, "results": [result.document()]}
    return Imported(tables, report, [result], told_marks(document.rest["config"], key))


def result_key(config: Mapping[str, Any], names: Names) -> ResultKey:
    """The result a document holds, named by the one who imports it, else as it names itself."""
    model, subfolder = config.get("model"), config.get("subfolder")
    named = "/".join(part for part in (model, subfolder) if isinstance(part, str) and part)
    known = {"checkpoint": named or PUBLISHED, "transform": BASELINE, "regime": PUBLISHED}
    own = {name: config[name] for name in known if isinstance(config.get(name), str) and config[name]}
    given = {name: value for name, value in names._asdict().items() if value is not None}
    return ResultKey(**(known | own | given))


def decisions_table(document: PublishedDocument, cases: Sequence[Case], key: ResultKey) -> pa.Table:
    """Decisions, languages in order of their codes; the other options' probabilities, and so a margin, are unknown."""
    narrowing = document.rest["config"].get("narrowing")
    group = narrowing.get("group_size") if isinstance(narrowing, dict) else None
    common = {
        **dict.fromkeys(DECISIONS.names),
        **key._asdict(),
        "cell_key": f"{PUBLISHED}:{document.sha256}",
        "temperature_source": PUBLISHED,
    }
    pairs = zip(document.cases, cases, strict=True)
    rows = [common | decision_row(case, frozen, key, group) for case, frozen in pairs]
    rows.sort(key=lambda row: str(row["language"]))
    return pa.Table.from_pylist(rows, schema=DECISIONS)


def recorded(config: Mapping[str, Any], cases: Sequence[Case]) -> dict[str, Any]:
    """What a report.json says of the input: as the document has it of its run, else as its cases give it."""
    own = {
        "library_versions": library_versions(("laya-sweep",)),
        "dataset_sha256": canonical_rows_digest(cases),
        "questions_sha256": questions_fingerprint(cases),
    }
    kinds = {"dataset_sha256": str, "questions_sha256": str, "narrowing": dict, "transforms": dict}
    return own | {name: config[name] for name in _SAME_NAME if isinstance(config.get(name), kinds[name])}


def applied_temperatures(decisions: pa.Table, code: str) -> dict[str, float]:
    """The temperatures of a language's decisions, as a report names them."""
    columns = (decisions[name].to_pylist() for name in ("language", "temperature"))
    values = sorted({value for language, value in zip(*columns, strict=True) if language == code})
    return {PUBLISHED: values[0]} if len(values) == 1 else {f"{PUBLISHED}:{value:g}": value for value in values}


def recorded_thresholds(config: Mapping[str, Any], decisions: pa.Table) -> list[MinConfidence]:
    """The thresholds that were asked for, where every case says which confidence they gate.

    Raises:
        UsageError: one of them is none.
    """
    given = config.get("min_confidence")
    if not isinstance(given, list) or decisions["gate_confidence"].null_count:
        return []
    try:
        return [from_document(value) for value in given]
    except ValueError as error:
        expected, step = "min_confidences", "import a document that `export` wrote"
        raise UsageError(Problem("published document: config.min_confidence", expected, str(error), step)) from error


def told_marks(told: Mapping[str, Any], key: ResultKey) -> tuple[dict[str, Any], ...]:
    """Whose the marks of a result are, as timing.json has it; nothing where the document does not say."""
    given = told.get("marks")
    known = [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []
    return tuple(key._asdict() | entry for entry in known)


def _report(document: PublishedDocument, key: ResultKey, decisions: pa.Table, rows: list[MetricRow]) -> ResultReport:
    ran = [*dict.fromkeys(decisions["language"].to_pylist())]
    errored = document.rest.get("errored")
    return ResultReport(
        **key._asdict(),
        asked=tuple(document.asked),
        failed={code: _reason(document, code) for code in document.asked if code not in ran},
        errored=tuple(errored) if isinstance(errored, list) else (),
        temperatures={code: applied_temperatures(decisions, code) for code in ran},
        served=served if isinstance(served := document.rest["config"].get("served"), bool) else None,
        rows=tuple(rows),
    )


def _reason(document: PublishedDocument, code: str) -> str:
    failed = document.rest.get("failed")
    said = document.rest["report"].get(code, {}).get("error")
    said = failed.get(code) if said is None and isinstance(failed, dict) else said
    return said if isinstance(said, str) else "the published document has no cases of it"


def _config(document: PublishedDocument, cases: Sequence[Case]) -> dict[str, Any]:
    counts = {code: sum(case["lang"] == code for case in document.cases) for code in document.asked}
    foreign = [foreign_entry(*pair) for pair in zip(document.cases, cases, strict=True)]
    return {
        **recorded(document.rest["config"], cases),
        "languages": {code: {"n_cases": count} for code, count in counts.items()},
        "imported": {
            "format": LAYA_EVAL,
            "sha256": document.sha256,
            "document": document.rest,
            "cases": [entry for entry in foreign if entry is not None],
        },
    }
