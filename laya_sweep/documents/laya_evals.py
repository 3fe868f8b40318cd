"""Export of one result as a `laya-evals-report/1`, which the upstream `laya-evals compare` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.checkpoints.digests import answering_digest
from laya_sweep.documents.evals_config import evals_config
from laya_sweep.documents.evals_figures import SCORE_WITHIN, case_scores, evals_figures, runtime_decisions
from laya_sweep.documents.imported_document import imported_document
from laya_sweep.documents.narrowed import narrowed_case, narrowed_config
from laya_sweep.documents.recorded_regime import recorded_regime
from laya_sweep.documents.revisions import model_revisions, source_revision
from laya_sweep.documents.shape import LAYA_EVALS
from laya_sweep.documents.shown import cases_in_order
from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.regime import Regime, regime_of
from laya_sweep.domain.thresholds import MinConfidence, to_document
from laya_sweep.errors import Problem, UsageError
from laya_sweep.results.decisions import is_served
from laya_sweep.results.timing import (
    COST_PER_REQUEST,
    LATENCY_PER_REQUEST,
    call_figures,
    timing_figures,
    upstream_times,
)
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers
from laya_sweep.scoring.narrowed import kept_question
from laya_sweep.store.stored_run import StoredResult


def laya_evals_document(result: StoredResult, min_confidence: MinConfidence) -> dict[str, Any]:
    """The upstream report of a result, in the runtime's rounding, with the `*_ms` figures of the calls.

    Args:
        result: the result.
        min_confidence: the threshold, or map of them, whose marks the answers carry; None leaves them unmarked.

    Raises:
        UsageError: the result has no logits, or a threshold is asked of a regime that the runtime does not serve,
            or of a map under which its marks were not shown.
    """
    if (published := imported_document(result, LAYA_EVALS)) is not None:
        return published
    of_map = recorded_regime(result)["kind"] == "map"
    fault = result.marks_fault(min_confidence) if of_map else None
    served = of_map or is_served(result.decisions, result.served_temperatures)
    if min_confidence is not None and (fault is not None or not served):
        step = "name --min-confidence none, or export the served regime"
        got = f"regime {result.regime}, whose temperatures it does not apply" if fault is None else fault
        raise UsageError(Problem("--min-confidence", "a regime whose marks the runtime would make", got, step))
    tolerances = _score_tolerances(result)
    decisions, timings = runtime_decisions(result), result.timings
    overall, slices = evals_figures(decisions, tolerances)
    return {
        "config": _config(result, min_confidence, tolerances, overall) | _narrowed(result, decisions),
        "overall": overall | (upstream_times(timing_figures(timings)) if timings.num_rows else {}),
        "slices": slices,
        "cases": _cases(result, decisions, min_confidence, tolerances),
    }


def _cases(
    result: StoredResult, decisions: pa.Table, min_confidence: MinConfidence, tolerances: list[float]
) -> list[dict[str, Any]]:
    """One case per labelled question that was answered, in the order of the cases and of their labels."""
    asked = [*_labelled(result, decisions)]
    answers = runtime_answers([question for *_, question in asked], min_confidence)
    return [
        {
            "qid": decision["question"],
            "language": case["language"] or None,
            "model": decision["model"],
            "tags": list(case.get("tags") or ()),
            "expected": expected,
            "answer": answer,
            "confidence": decision["answer_confidence"],
            "correct": decision["correct"],
            "scores": case_scores(decision, tolerances),
            **narrowed_case(decision),
        }
        for (case, expected, decision, _), answer in zip(asked, answers, strict=True)
    ]


def _labelled(
    result: StoredResult, decisions: pa.Table
) -> Iterator[tuple[dict[str, Any], Any, dict[str, Any], AnsweredQuestion]]:
    """(case, expected answer, decision, question with its logits) of every labelled question with an answer."""
    regime = regime_of(result.regime, recorded_regime(result))
    decided = {_place(row): row for row in decisions.to_pylist()}
    facts = {_place(row): row for row in result.facts.to_pylist()}
    for case in cases_in_order(result.run):
        questions = json.loads(case["questions_json"])
        for qid, expected in json.loads(case["expected_json"]).items():
            place = (case["language"], case["case_id"], qid)
            if place in decided:
                yield case, expected, decided[place], _asked(questions[qid], facts[place], decided[place], regime)


def _asked(
    question: dict[str, Any], fact: Mapping[str, Any], decision: Mapping[str, Any], regime: Regime
) -> AnsweredQuestion:
    bins = regime.bins(option_bucket(fact["question_type"], fact["n_options"]), fact["language"])
    # Of a narrowed question the runtime is shown, and reports, what was kept.
    shown = question if fact["kept"] is None else kept_question(question, fact["kept"])
    return AnsweredQuestion(
        shown, fact["logits"], fact["presented_order"], decision["temperature"], fact["act_probability"], bins
    )


def _place(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["language"], row["case_id"], row["question"]


def _score_tolerances(result: StoredResult) -> list[float]:
    """Tolerances of the score_within metrics that the run was asked for."""
    names = result.run.table("metrics")["metric"].unique().to_pylist()
    return sorted(
        float(name.removeprefix(SCORE_WITHIN))
        for name in names
        if name.startswith(SCORE_WITHIN) and not name.endswith("_partial")
    )


def _config(
    result: StoredResult, min_confidence: MinConfidence, tolerances: list[float], overall: Mapping[str, float]
) -> dict[str, Any]:
    """Nothing here moves with time or machine, except `timing`; `source_revision` moves with the code."""
    config = result.run.config
    checkpoint = config["checkpoints"][result.checkpoint]
    dataset = config["dataset"]
    own = {
        "dataset": dataset["path"] or dataset.get("repo") or dataset["name"],
        "dataset_sha256": config["dataset_sha256"],
        "questions_sha256": config["questions_sha256"],
        "model": result.checkpoint,
        "device": config["device"],
        "revisions": {name: own["commit"] for name, own in (result.routes or {result.checkpoint: checkpoint}).items()},
        **model_revisions(checkpoint),
        **source_revision(result),
        "checkpoint_digests": checkpoint["digests"],
        "regime": result.regime,
        "transform": result.transform,
        "rounding": "runtime",
        **_files_of(result),
    }
    return evals_config(
        own,
        asked=config,
        overall=overall,
        versions=config["library_versions"],
        timing=_timing(result, min_confidence),
        tolerances=tolerances,
        errored=_errored(result),
    )


def _files_of(result: StoredResult) -> dict[str, Any]:
    """The graph that answered and the calibration map that was applied, where there is one."""
    onnx = result.run.config["checkpoints"][result.checkpoint].get("onnx")
    regime = result.run.config["regimes"][result.regime]
    calibration = regime.get("path") if regime["kind"] == "map" else None
    return {name: path for name, path in (("onnx", onnx), ("calibration", calibration)) if path is not None}


def _narrowed(result: StoredResult, decisions: pa.Table) -> dict[str, Any]:
    """A narrowed result has a schema of its own, and tells what was kept of how much."""
    own = result.run.config["checkpoints"][result.checkpoint]
    entries = {result.checkpoint: own} if result.routes is None else result.routes
    versions = {model: answering_digest(entry["digests"]) for model, entry in entries.items()}
    named = ", ".join(f"{model}={version}" for model, version in versions.items())
    version = named if result.routes is not None else versions[result.checkpoint]
    return narrowed_config(result.run.narrowing, decisions, version)


def _timing(result: StoredResult, min_confidence: MinConfidence) -> dict[str, Any]:
    """What happened in the calls that produced the rows, whichever run made them.

    A row is one question. What a version before the calls table made is `unknown`, and so is what a lost worker issued.
    """
    rows = result.timings["batch_rows"].to_pylist()
    return {
        "latency_metric": LATENCY_PER_REQUEST,
        "cost_metric": COST_PER_REQUEST,
        "min_confidence": to_document(min_confidence),
        "min_confidence_sent": min_confidence is not None and bool(rows) and result.marks_fault(min_confidence) is None,
        **call_figures(result.calls, result.facts.num_rows),
    }


def _errored(result: StoredResult) -> list[dict[str, Any]]:
    """Rows and languages without an answer: any of them fails an upstream gate."""
    failed = result.facts.filter(pc.equal(result.facts["status"], "error")).to_pylist()
    index = {(case["language"], case["case_id"]): i for i, case in enumerate(cases_in_order(result.run))}
    failed.sort(key=lambda row: index[row["language"], row["case_id"]])
    errors: list[dict[str, Any]] = [
        {
            "index": index[row["language"], row["case_id"]],
            "question": row["question"],
            "error": f"{row['error_type']}: {row['error_message']}",
        }
        for row in failed
    ]
    return errors + [{"language": code, "error": reason} for code, reason in result.failed.items()]
