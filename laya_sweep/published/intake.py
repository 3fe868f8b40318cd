"""A published document -> the tables of a run. What it does not tell is null; nothing is made up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from laya_sweep.derive import ResultKey, metrics_table, summarise_result
from laya_sweep.documents import cases_table
from laya_sweep.identity import library_versions
from laya_sweep.metrics import MetricRow
from laya_sweep.published.document import PublishedDocument
from laya_sweep.reports import ResultReport, markdown
from laya_sweep.run_folder import claim, write_json, write_tables
from laya_sweep.store import DECISIONS, write_bytes
from laya_sweep.stored_run import REPORT_SCHEMA
from laya_sweep.suites import QUESTION_ID, Case, Draft, canonical_rows_digest, freeze, questions_fingerprint

#: Where the temperature of an imported decision came from, and the regime where the document names none.
PUBLISHED = "published"
_BASELINE = "baseline"


def import_document(document: PublishedDocument, out_dir: Path) -> ResultReport:
    """Write cases, decisions, metrics and report of a published document into a run folder.

    Raises:
        OutputError: the folder cannot be written.
    """
    key = result_key(document)
    cases = frozen_cases(document)
    decisions = decisions_table(document, cases, key)
    rows = summarise_result(decisions, document.asked, ())
    result = _report(document, key, decisions, rows)
    with claim(out_dir) as folder:
        tables = {
            "cases": cases_table(cases),
            "decisions": decisions,
            "metrics": metrics_table((key, row) for row in rows),
        }
        write_tables(folder, tables)
        report = {"schema": REPORT_SCHEMA, "config": _config(document, cases), "results": [result.document()]}
        write_json(folder / "report.json", report)
        write_bytes(folder / "report.md", markdown([result]).encode("utf-8"))
    return result


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
        questions={QUESTION_ID: question},
        expected={QUESTION_ID: case["gold_label"]},
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
        "question": QUESTION_ID,
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
