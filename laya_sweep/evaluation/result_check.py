"""One result of a runner held against its row: who answered, and what is wrong with which answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.domain.case import Case
from laya_sweep.errors import ParityError, Problem
from laya_sweep.evaluation.answer_check import answer_fault, confidence_of, plain
from laya_sweep.evaluation.marks import mark_fault
from laya_sweep.evaluation.narrowing import KEPT_KEY
from laya_sweep.evaluation.outcome import EXTRAS, Answered
from laya_sweep.evaluation.runner import AskedThreshold
from laya_sweep.scoring.narrowed import kept_question


def result_faults(case: Case, result: Any) -> dict[str, str]:  # noqa: ANN401 - whatever came back
    """Question -> what is wrong with its answer. Answers to questions of another row make all of them wrong."""
    answers = result.get("answers") if isinstance(result, Mapping) else None
    if not isinstance(answers, Mapping):
        got = "an object without answers" if isinstance(result, Mapping) else type(result).__name__
        return dict.fromkeys(case.questions, f"invalid result: expected an object with answers, got {got}")
    if foreign := [str(qid) for qid in answers if qid not in case.questions]:
        said = f"invalid result: it answers {', '.join(foreign)}, which this row does not ask"
        return dict.fromkeys(case.questions, said)
    kept = result.get(KEPT_KEY, {})
    faults = {
        qid: answer_fault(kept_question(question, kept[qid]["kept"]) if kept.get(qid) else question, answers.get(qid))
        for qid, question in case.questions.items()
    }
    return {qid: fault for qid, fault in faults.items() if fault is not None}


def refuse_other_marks(place: str, answers: Mapping[str, Mapping[str, Any]], threshold: AskedThreshold | None) -> None:
    """Refuse abstention marks that are not those of the runtime's rule.

    Raises:
        ParityError: naming the first such answer.
    """
    for qid, answer in answers.items():
        fault = mark_fault(answer, threshold)
        if fault is not None:
            step = "the runner does not mark answers as the runtime does; leave min_confidence out"
            raise ParityError(Problem(f"min_confidence: {place}, question {qid!r}", *fault, step))


def answered(index: int, qid: str, result: Mapping[str, Any], model: str) -> Answered:
    """A valid answer of a result, in Python's own types."""
    found = {key: result.get(key) for key in EXTRAS}
    extras = {key: plain(value[qid]) for key, value in found.items() if isinstance(value, Mapping) and qid in value}
    answer = plain(result["answers"][qid])
    return Answered(index, qid, answer, confidence_of(answer), model, extras, result.get(KEPT_KEY, {}).get(qid))


def who_answered(result: Mapping[str, Any], asked: str | None, name: str | None) -> str:
    """A router's decision, else who was asked, else the runner's name, else what the result says of itself."""
    routing = result.get("routing")
    chosen = routing.get("model") if isinstance(routing, Mapping) else None
    candidates = (chosen, asked, name, result.get("model"))
    return next((one for one in candidates if isinstance(one, str) and one), "runner")
