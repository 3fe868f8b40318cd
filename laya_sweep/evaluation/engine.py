"""Asking an engine: raw logits as a worker of a sweep computes them, decisions from logits through scoring."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.documents.narrowed import kept_document
from laya_sweep.domain.regime import Regime
from laya_sweep.domain.thresholds import from_document
from laya_sweep.errors import IncompleteError, ParityError, Problem, UsageError
from laya_sweep.evaluation.answer_check import confidence_of
from laya_sweep.evaluation.dataset import Dataset
from laya_sweep.evaluation.interview import Asking
from laya_sweep.evaluation.loaded import LoadedEngine
from laya_sweep.evaluation.marks import marked
from laya_sweep.evaluation.narrowing import narrower_of
from laya_sweep.evaluation.outcome import EVALUATED, Answered, AnswerError, Outcome
from laya_sweep.evaluation.reported import marks_of
from laya_sweep.execution.call_check import CallCheck
from laya_sweep.execution.compute import compute
from laya_sweep.execution.contract import Batching
from laya_sweep.execution.parity import SCANNED_CASES, TOLERANCE, check_parity
from laya_sweep.execution.rows import RowKeys
from laya_sweep.narrowing.narrower import Narrower, narrowed_sample
from laya_sweep.results.decisions import score_cell
from laya_sweep.results.expected import ExpectedRows
from laya_sweep.results.rows import PlaceRows, select_rows
from laya_sweep.results.timing import (
    COST_PER_REQUEST,
    LATENCY_PER_REQUEST,
    call_figures,
    timing_figures,
    upstream_times,
)
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers
from laya_sweep.scoring.narrowed import NARROWING_COLUMNS, kept_question
from laya_sweep.transforms.registry import variants_of

#: Tokens in a batch where nobody says how many rows: as in a sweep.
BATCH_TOKENS = 4096

_KEY = "evaluation"


class _Scored(NamedTuple):
    """Facts and decisions in the order of the data."""

    rows: PlaceRows
    decisions: pa.Table


def ask_engine(dataset: Dataset, loaded: LoadedEngine, asking: Asking, regime: Regime) -> Outcome:
    """The answers of an engine.

    Raises:
        UsageError: a row asks for another checkpoint, or a threshold is asked of temperatures that are not served.
        ParityError: its logits disagree with the runtime's public answers.
        IncompleteError: with `on_error` fail, a question has no answer; all of them are named.
        CheckpointError: the raw regime, and the checkpoint ships no usable temperature.
    """
    name = asking.checkpoint or loaded.name or "engine"
    _refuse(dataset, loaded, asking, regime, name)
    expected = _expected(dataset, name)
    check = CallCheck(loaded.engine, name)
    narrower = narrower_of(asking.narrow, loaded.engine, check.see)
    batching = Batching(BATCH_TOKENS, asking.batch_size, asking.sort_by_length)
    _check_parity(loaded, expected, asking, narrower, batching)
    keys = RowKeys(expected.key, expected.language, expected.transform)
    found = compute(expected.variants, loaded.engine, batching, keys, narrower, check=check, node=socket.gethostname())
    rows = select_rows(expected, found.facts, found.timings, found.calls)
    asked = _Scored(rows, score_cell(rows, regime, loaded.temperatures))
    errors = tuple(AnswerError(error.index, error.question, error.error) for error in asked.rows.errors)
    if errors and asking.on_error == "fail":
        named = "; ".join(f"{dataset.place(one.index)}, question {one.question!r}: {one.error}" for one in errors[:20])
        raise IncompleteError(f"{len(errors)} of {dataset.questions} questions have no answer: {named}")
    answered = tuple(_answered(dataset, asked, asking, name))
    decisions = _with_marks(asked.decisions, dataset, answered)
    figures = upstream_times(timing_figures(asked.rows.timings)) if asked.rows.timings.num_rows else {}
    timing, notes = _timing(asking, asked), loaded.engine.info().warnings
    return Outcome(answered, decisions, errors, figures, timing, "exact", regime.name, notes)


def _refuse(dataset: Dataset, loaded: LoadedEngine, asking: Asking, regime: Regime, name: str) -> None:
    problems = []
    other = next((i for i, case in enumerate(dataset.cases) if case.model not in (None, name)), None)
    if other is not None and asking.checkpoint is None:
        expected = f"the checkpoint that the row asks for, {dataset.cases[other].model!r}"
        step = "pass checkpoint=NAME to have this engine answer every row under that name"
        problems.append(Problem(dataset.place(other), expected, repr(name), step))
    if asking.min_confidence is not None and regime.kind != "served":
        step = "leave min_confidence out, or use the served regime"
        got = f"regime {regime.name}, whose temperatures it does not apply"
        problems.append(Problem("min_confidence", "a regime whose marks the runtime would make", got, step))
    if problems:
        raise UsageError(*problems)


def _expected(dataset: Dataset, name: str) -> ExpectedRows:
    """All rows as one place, whatever their languages, so that all of them may share batches."""
    variants = tuple(variant for case in dataset.cases for variant in variants_of("baseline", case))
    return ExpectedRows(
        key=_KEY, checkpoint=name, language="", transform="baseline", cases=dataset.cases, variants=variants
    )


def _check_parity(
    loaded: LoadedEngine,
    expected: ExpectedRows,
    asking: Asking,
    narrower: Narrower | None,
    batching: Batching,
) -> None:
    """Before logits are trusted, a sample also goes through the runtime's public answers, marks included."""
    step = max(1, len(expected.variants) // SCANNED_CASES)
    sample = narrowed_sample(narrower, expected.variants[::step])
    threshold = from_document(asking.min_confidence)
    parity = check_parity(loaded.engine, sample, [threshold], name=expected.checkpoint, batching=batching)
    if not parity.max_difference <= TOLERANCE or parity.mark_disagreements:
        got = f"{parity.max_difference:.2g}, and {parity.mark_disagreements} of {parity.marks} marks differ"
        wanted = f"probabilities within {TOLERANCE:g} of the runtime's, and its abstention marks"
        raise ParityError(Problem(f"parity of {expected.checkpoint}", wanted, got, "trust none of its figures"))


def _answered(dataset: Dataset, asked: _Scored, asking: Asking, name: str) -> Iterator[Answered]:
    """The runtime's answers to the same logits, for reports that hold them."""
    index = {case.case_id: i for i, case in enumerate(dataset.cases)}
    facts = [row for row in asked.rows.facts.to_pylist() if row["status"] == "ok"]
    for fact, temperature in zip(facts, asked.decisions["temperature"].to_pylist(), strict=True):
        at, qid = index[fact["case_id"]], fact["question"]
        question = dataset.cases[at].questions[qid]
        narrowing = _narrowing(fact, question)
        shown = kept_question(question, fact["kept"]) if narrowing else question
        logits, order, act = fact["logits"], fact["presented_order"], fact["act_probability"]
        [bare] = runtime_answers([AnsweredQuestion(shown, logits, order, temperature, act)])
        answer = marked(bare, asking.min_confidence)
        yield Answered(at, qid, answer, confidence_of(answer), name, *narrowing)


def _narrowing(fact: Mapping[str, Any], question: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """What a narrowed answer has beside it, as the runtime tells it and as columns; nothing for any other."""
    if fact["kept"] is None:
        return ()
    columns = {name: fact[name] for name in NARROWING_COLUMNS}
    told = "shortlist" if fact["narrowing"] == "shortlist" else "tournament"
    return {told: kept_document(fact, [*question["criteria"]])}, columns


def _with_marks(decisions: pa.Table, dataset: Dataset, answered: Sequence[Answered]) -> pa.Table:
    """Decisions with the language of each row and the marks of each answer."""
    marks = [marks_of(one.answer) for one in answered]
    columns: dict[str, Any] = {name: decisions[name] for name in EVALUATED.names if name in decisions.column_names}
    columns["language"] = [dataset.cases[one.index].language for one in answered]
    columns |= {name: [mark[name] for mark in marks] for name in ("abstention", "abstention_threshold")}
    return pa.table({name: columns[name] for name in EVALUATED.names}, schema=EVALUATED)


def _timing(asking: Asking, asked: _Scored) -> dict[str, Any]:
    """What happened in the calls; a row is one question here."""
    threshold = asking.min_confidence
    return {
        "latency_metric": LATENCY_PER_REQUEST,
        "cost_metric": COST_PER_REQUEST,
        **call_figures(asked.rows.calls, asked.rows.facts.num_rows),
        "min_confidence": dict(threshold) if isinstance(threshold, Mapping) else threshold,
        "min_confidence_sent": threshold is not None and asked.rows.timings.num_rows > 0,
    }
