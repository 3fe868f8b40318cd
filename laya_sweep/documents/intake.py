"""A published document -> the tables of a run. What it does not tell is null; nothing is made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.documents.published_document import PublishedDocument
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.identity import library_versions
from laya_sweep.domain.question import INTENT_QUESTION
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.results.figures import metrics_table, summarise_result
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.schemas import DECISIONS
from laya_sweep.store.stored_run import REPORT_SCHEMA

#: Where the temperature of an imported decision came from, and the regime where the document names none.
PUBLISHED = "published"
_BASELINE = "baseline"


class Imported(NamedTuple):
    """A published document as a run has it: the tables by name, report.json, and the result it is about."""

    tables: dict[str, pa.Table]
    report: dict[str, Any]
    result: ResultReport


def imported_run(document: PublishedDocument) -> Imported:
    """Cases, decisions, metrics and report of a published document."""
    key = result_key(document)
    cases = frozen_cases(document)
    decisions = decisions_table(document, cases, key)
    rows = summarise_result(decisions, document.asked, ())
    result = _report(document, key, decisions, rows)
    tables = {
        "cases": cases_table(cases),
        "decisions": decisions,
        "metrics": metrics_table((key, row) for row in rows),
    }
    report = {"schema": REPORT_SCHEMA, "config": _config(document, cases), "results": [result.document()]}
    return Imported(tables, report, result)


def result_key(document: PublishedDocument) -> ResultKey:
    """The result a document holds, named as it names itself."""
    config = document.rest["config"]
    model, subfolder = config.get("model"), config.get("subfolder")
    named = "/".join(part for part in (model, subfolder) if isinstance(part, str) and part)
    names = {"checkpoint": named or PUBLISHED, "transform": _BASELINE, "regime": PUBLISHED}
    own = {name: config[name] for name in names if isinstance(config.get(name), str) and config[name]}
    return ResultKey(**(names | own))


def frozen_cases(document: PublishedDocument) -> list[Case]:
    """The cases in the document's order, with the ids that a run of ours gives the same input.

    The index ties the same utterance across languages, as it does in the published sampling: its rows are parallel.
    """
    drafts: dict[str, list[Draft]] = {}
    for case in document.cases:
        drafts.setdefault(case["lang"], []).append(_draft(case))
    frozen = {code: iter(freeze(own)) for code, own in drafts.items()}
    return [next(frozen[case["lang"]]) for case in document.cases]


def decisions_table(document: PublishedDocument, cases: list[Case], key: ResultKey) -> pa.Table:
    """Decisions, languages in order of their codes; the other options' probabilities, and so a margin, are unknown."""
    rows = [_decision(case, frozen, document, key) for case, frozen in zip(document.cases, cases, strict=True)]
    rows.sort(key=lambda row: row["language"])
    return pa.Table.from_pylist(rows, schema=DECISIONS)


def _draft(case: dict[str, Any]) -> Draft:
    texts = case.get("option_texts")
    criteria = case["options"] if texts is None else dict(zip(case["options"], texts, strict=True))
    question = {"type": "choice", "instructions": case["instructions"], "criteria": criteria}
    return Draft(
        source_id=str(case["index"]),
        row_index=case["index"],
        language=case["lang"],
        state=case["state"],
        questions={INTENT_QUESTION: question},
        expected={INTENT_QUESTION: case["gold_label"]},
    )


def _decision(case: dict[str, Any], frozen: Case, document: PublishedDocument, key: ResultKey) -> dict[str, Any]:
    known = {name: case[name] for name in ("gold_index", "gold_label", "pred_index", "pred_label", "options", "p_gold")}
    return {
        **dict.fromkeys(DECISIONS.names),
        **key._asdict(),
        "model": case.get("model", key.checkpoint),
        **known,
        "cell_key": f"{PUBLISHED}:{document.sha256}",
        "language": frozen.language,
        "case_id": frozen.case_id,
        "variant": _BASELINE,
        "question": INTENT_QUESTION,
        "source_id": frozen.source_id,
        "row_index": frozen.row_index,
        "tags": list(frozen.tags),
        "question_type": "choice",
        "n_options": len(case["options"]),
        "temperature": case["temperature"],
        "temperature_source": PUBLISHED,
        "p_pred": case["probability"],
        "answer_confidence": case["confidence"],
        "correct": bool(case["correct"]),
    }


def _report(document: PublishedDocument, key: ResultKey, decisions: pa.Table, rows: list[MetricRow]) -> ResultReport:
    ran = [*dict.fromkeys(decisions["language"].to_pylist())]
    return ResultReport(
        **key._asdict(),
        asked=tuple(document.asked),
        failed={code: _reason(document, code) for code in document.asked if code not in ran},
        temperatures={code: _applied(decisions, code) for code in ran},
        rows=tuple(rows),
    )


def _reason(document: PublishedDocument, code: str) -> str:
    said = document.rest["report"].get(code, {}).get("error")
    return said if isinstance(said, str) else "the published document has no cases of it"


def _applied(decisions: pa.Table, code: str) -> dict[str, float]:
    columns = (decisions[name].to_pylist() for name in ("language", "temperature"))
    values = sorted({value for language, value in zip(*columns, strict=True) if language == code})
    return {PUBLISHED: values[0]} if len(values) == 1 else {f"{PUBLISHED}:{value:g}": value for value in values}


def _config(document: PublishedDocument, cases: Sequence[Case]) -> dict[str, Any]:
    counts = {code: sum(case["lang"] == code for case in document.cases) for code in document.asked}
    return {
        "library_versions": library_versions(("laya-sweep",)),
        "languages": {code: {"n_cases": count} for code, count in counts.items()},
        "dataset_sha256": canonical_rows_digest(cases),
        "questions_sha256": questions_fingerprint(cases),
        "imported": {"format": "laya-eval", "sha256": document.sha256, "document": document.rest},
    }
