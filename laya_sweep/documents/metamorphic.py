"""Export of a checkpoint and regime with all transforms as the metamorphic document: config, report, cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.documents.imported_document import imported_document
from laya_sweep.documents.laya_eval import laya_eval_config, recorded_marks
from laya_sweep.documents.measured import measured
from laya_sweep.documents.recorded_regime import recorded_regime
from laya_sweep.documents.shape import METAMORPHIC
from laya_sweep.documents.shown import cases_in_order
from laya_sweep.domain.settings import BASELINE
from laya_sweep.errors import Problem, UsageError
from laya_sweep.metrics.calibration import ece
from laya_sweep.metrics.robustness import summarise_pairs
from laya_sweep.results.pairs import pair_columns
from laya_sweep.store.stored_run import StoredResult

#: Groups that the document always has, in its order; other transforms of a run follow.
_GROUPS = ("option_order", "label_rename")

#: Name in the document -> column of the pairs table.
COMPARISON = {
    "semantic_agreement": "agreement",
    "mean_probability_drift": "mean_probability_drift",
    "max_probability_drift": "max_probability_drift",
    "js_divergence": "js_divergence",
    "confidence_drift": "confidence_drift",
}


#: What a document of one result says of it in its configuration.
_OF_ONE: Final = ("transform", "served", "marks")


class CarriedOver:
    """Columns that a document has of an answer and of a pair under their own names, so that it gives the run back."""

    DECISION: Final = ("temperature", "temperature_source", "gate_confidence", "score_value", "score_error")
    PAIR: Final = ("baseline_tied", "variant_tied", "baseline_options_distinct", "variant_options_distinct")


class _Asked(NamedTuple):
    """One question of one case in one language; how its answers, variants and comparisons are found."""

    language: str
    case_id: str
    question: str


class _Answer(NamedTuple):
    """One answer: a row of decisions, how it was shown, and what it changed (None for the baseline)."""

    decision: Mapping[str, Any]
    shown: Mapping[str, Any]
    pair: Mapping[str, Any] | None


def metamorphic_document(baseline: StoredResult) -> dict[str, Any]:
    """The document of a baseline and every transform that was run beside it.

    Raises:
        UsageError: the run has no transform but the baseline, or its tables are missing.
    """
    published = imported_document(baseline, METAMORPHIC)
    results = _results(baseline)
    groups = [*_GROUPS, *(result.transform for result in results if result.transform not in (BASELINE, *_GROUPS))]
    answers = _answers(results, [BASELINE, *groups])
    own = {"report": _report(baseline, results, groups, answers), "cases": [*_cases(baseline, answers)]}
    if published is not None:
        return {"config": published["config"], **own, "results": published["results"]}
    return {"config": _config(baseline, results), **own, "results": [_result(result) for result in results]}


def _result(result: StoredResult) -> dict[str, Any]:
    """What a report.json says of a result that its answers do not tell, and the figures that they do not give."""
    names = ("failed", "errored", "not_applicable")
    known = {"transform": result.transform, "served": None} | recorded_marks(result)
    return known | {name: result.document.get(name, []) for name in names} | measured(result)


def _results(baseline: StoredResult) -> list[StoredResult]:
    """The baseline, then the other transforms of the same checkpoint and regime."""
    own = [
        result
        for result in baseline.run.results
        if (result.checkpoint, result.regime) == (baseline.checkpoint, baseline.regime)
    ]
    if len(own) < 2:
        step = "run it with 'transform=[baseline,option_order,label_rename]'"
        raise UsageError(Problem(f"run {baseline.run.folder}", "transforms beside the baseline", "none", step))
    return sorted(own, key=lambda result: result.transform != BASELINE)


def _answers(results: Sequence[StoredResult], order: Sequence[str]) -> dict[_Asked, list[_Answer]]:
    """Answers by question, those of the baseline first; questions that no transform applies to are left out."""
    found: dict[_Asked, list[_Answer]] = {}
    compared: set[_Asked] = set()
    for result in sorted(results, key=lambda result: order.index(result.transform)):
        shown = {_place(row): row for row in result.variants.to_pylist()}
        pairs = {_place(row): row for row in result.pairs.to_pylist()}
        for row in result.decisions.to_pylist():
            place = _place(row)
            pair = pairs.get(place)
            if result.transform == BASELINE or pair is not None:
                asked = _Asked(row["language"], row["case_id"], row["question"])
                found.setdefault(asked, []).append(_Answer(row, shown[place], pair))
                compared |= set() if pair is None else {asked}
    return {asked: answers for asked, answers in found.items() if asked in compared}


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("language", "case_id", "variant", "question"))


def _cases(baseline: StoredResult, answers: Mapping[_Asked, Sequence[_Answer]]) -> Iterator[dict[str, Any]]:
    for case in cases_in_order(baseline.run):
        for qid, question in json.loads(case["questions_json"]).items():
            own = answers.get(_Asked(case["language"], case["case_id"], qid))
            if own is not None:
                first = own[0].decision
                yield {
                    "lang": case["language"],
                    "index": case["row_index"],
                    "state": json.loads(case["state_json"]),
                    "questions": {qid: question},
                    "options": first["options"],
                    "gold_index": first["gold_index"],
                    "variants": [_variant(answer) for answer in own],
                    "expected": json.loads(case["expected_json"]).get(qid),
                    **{name: case[name] for name in ("case_id", "source_id", "tags", "input_sha256")},
                    **({} if case["model"] is None else {"asked_model": case["model"]}),
                }


def _variant(answer: _Answer) -> dict[str, Any]:
    decision, shown, pair = answer
    document = {
        "kind": decision["transform"],
        "presented_options": shown["presented_keys"],
        "canonical_indices": shown["canonical_indices"],
        "canonical_to_transformed": dict(zip(decision["options"], shown["canonical_to_transformed"], strict=True)),
        "transformed_to_canonical": dict(zip(shown["presented_keys"], shown["transformed_to_canonical"], strict=True)),
        "probabilities": decision["probabilities"],
        "pred_index": decision["pred_index"],
        "pred_label": decision["pred_label"],
        "confidence": decision["answer_confidence"],
        "correct": decision["correct"],
        "variant": decision["variant"],
        "model": decision["model"],
        **{name: decision[name] for name in CarriedOver.DECISION},
    }
    if pair is None:
        return document
    document |= {name: pair[name] for name in CarriedOver.PAIR}
    return document | {"comparison": {name: pair[column] for name, column in COMPARISON.items()}}


def _report(
    baseline: StoredResult,
    results: Sequence[StoredResult],
    groups: Sequence[str],
    answers: Mapping[_Asked, Sequence[_Answer]],
) -> dict[str, Any]:
    """By language: a summary a group, overall, and the quality of each kind."""
    pairs = pa.concat_tables([result.pairs for result in results])
    report: dict[str, Any] = {}
    for code in baseline.asked:
        own = pairs.filter(pc.equal(pairs["language"], code))
        if code in baseline.failed:
            report[code] = {"error": baseline.failed[code]}
            continue
        report[code] = {group: _summary(own.filter(pc.equal(own["transform"], group))) for group in groups}
        report[code] |= {"overall": _summary(own), "quality": _quality(code, [BASELINE, *groups], answers)}
        failed = {result.transform: result.failed[code] for result in results if code in result.failed}
        report[code] |= {"failed": failed} if failed else {}
    return report


def _summary(pairs: pa.Table) -> dict[str, float | int]:
    return summarise_pairs(pair_columns(pairs).figures)


def _quality(code: str, kinds: Sequence[str], answers: Mapping[_Asked, Sequence[_Answer]]) -> dict[str, Any]:
    """Accuracy and ECE of each kind over labelled answers; nothing is invented where there are none.

    A kind that was not asked all the questions of the baseline has the baseline on its own beside it.
    """
    own = {asked: several for asked, several in answers.items() if asked.language == code}
    quality: dict[str, Any] = {}
    for kind in kinds:
        shown = [answer.decision for several in own.values() for answer in several]
        quality[kind] = _right(row for row in shown if row["transform"] == kind)
        without = [one for one, several in own.items() if all(a.decision["transform"] != kind for a in several)]
        if without and quality[kind]["n_labelled"]:
            quality[kind][BASELINE] = _right(
                several[0].decision for several in own.values() for a in several if a.decision["transform"] == kind
            )
    return quality


def _right(decisions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    labelled = [row for row in decisions if row["correct"] is not None]
    if not labelled:
        return {"n_labelled": 0}
    right = np.array([row["correct"] for row in labelled])
    confidence = [row["answer_confidence"] for row in labelled]
    return {"n_labelled": len(labelled), "accuracy": float(right.mean()), "ece": ece(confidence, right)}


def _config(baseline: StoredResult, results: Sequence[StoredResult]) -> dict[str, Any]:
    transforms: Mapping[str, Mapping[str, Any]] = baseline.run.config["transforms"]
    timings = baseline.timings["batch_rows"].to_pylist()
    return {
        **{name: value for name, value in laya_eval_config(baseline).items() if name not in _OF_ONE},
        "langs": baseline.asked,
        "batch_size": max(timings, default=None),
        "unclamped": recorded_regime(baseline)["kind"] == "raw",
        "transforms": {result.transform: transforms[result.transform] for result in results},
        "permutations_per_case": transforms.get("option_order", {}).get("variants", 0),
        "label_renames_per_case": int("label_rename" in transforms),
        "js_log_base": "e",
    }
