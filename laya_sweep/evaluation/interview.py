"""Asking a runner object: every row once, in as few calls as it allows, and nothing it returns is taken on trust."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from laya_sweep.errors import IncompleteError, Problem, UsageError
from laya_sweep.evaluation.calls import COST_PER_ROW, LATENCY_PER_ROW, CallLog
from laya_sweep.evaluation.dataset import Dataset
from laya_sweep.evaluation.grouping import chunks
from laya_sweep.evaluation.narrowing import Narrow, NarrowedRunner
from laya_sweep.evaluation.order_check import SAMPLE, OrderCheck
from laya_sweep.evaluation.outcome import Answered, AnswerError, Outcome
from laya_sweep.evaluation.reported import reported_decisions
from laya_sweep.evaluation.result_check import answered, refuse_other_marks, result_faults, who_answered
from laya_sweep.evaluation.runner import AskedThreshold, Request, RunnerAdapter

OnError: TypeAlias = Literal["fail", "skip"]

#: Rows in a call where nobody says how many, and the runner takes several.
BATCH_ROWS = 32


@dataclass(frozen=True, slots=True)
class Asking:
    """How rows are asked; the fields are those of `evaluate`."""

    checkpoint: str | None = None
    batch_size: int | None = None
    on_error: OnError = "fail"
    sort_by_length: bool = False
    min_confidence: AskedThreshold | None = None
    order_sample: int = SAMPLE
    narrow: Narrow | None = None


def ask_runner(dataset: Dataset, runner: object, asking: Asking) -> Outcome:
    """The answers of a runner object.

    Raises:
        UsageError: the runner cannot be sent what the data or the caller asks for.
        IncompleteError: with `on_error` fail, at the first row without a valid answer.
        ParityError: results of a batch in another order than its rows, or marks that are not the runtime's.
    """
    if asking.narrow is not None:
        runner = NarrowedRunner(runner, asking.narrow)
    wrapped = RunnerAdapter(runner, asking.min_confidence, sort_by_length=asking.sort_by_length)
    interview = Interview(dataset, wrapped, asking, _own_names(runner))
    interview.refuse()
    interview.run()
    return interview.outcome()


class Interview:
    """One pass over the rows, and what has come back so far."""

    def __init__(self, dataset: Dataset, runner: RunnerAdapter, asking: Asking, own: tuple[str, ...] = ()) -> None:
        """`own` are names of the runner's one checkpoint, the last of them for people."""
        self._dataset, self._runner, self._asking, self._own = dataset, runner, asking, own
        self._name = asking.checkpoint or (own[-1] if own else None)
        self._size = asking.batch_size or BATCH_ROWS
        self._log, self._order = CallLog(), OrderCheck(runner, asking.order_sample)
        self._answered: list[Answered] = []
        self._errors: list[AnswerError] = []

    def refuse(self) -> None:
        """Refuse what could not be sent: a report would name a checkpoint or threshold that was never asked.

        Raises:
            UsageError: a row names a checkpoint, or a threshold is asked for, and the runner takes none.
        """
        problems = [] if self._asking.checkpoint or self._runner.takes_model else self._unsendable()
        if self._asking.min_confidence is not None:
            lacking = self._runner.lacks_min_confidence(batched=self._size > 1)
            if lacking is not None:
                expected, step = (
                    f"a runner whose {lacking} takes it",
                    "pass another runner, or leave min_confidence out",
                )
                problems.append(Problem("min_confidence", expected, "one that does not", step))
        if problems:
            raise UsageError(*problems)

    def run(self) -> None:
        """Ask every row; errors as `ask_runner`."""
        send = self._runner.takes_model
        requests = [
            Request(i, case.state, case.questions, (self._asking.checkpoint or case.model) if send else None)
            for i, case in enumerate(self._dataset.cases)
        ]
        for chunk in chunks(requests, self._runner, self._size):
            self._ask(chunk)

    def outcome(self) -> Outcome:
        """Answers in the order of the data, whatever the order of the calls."""
        places = {
            (i, qid): (i, at) for i, case in enumerate(self._dataset.cases) for at, qid in enumerate(case.questions)
        }
        ordered = tuple(sorted(self._answered, key=lambda one: places[one.index, one.qid]))
        errors = tuple(
            sorted(self._errors, key=lambda one: places.get((one.index, one.question or ""), (one.index, -1)))
        )
        decisions = reported_decisions(self._dataset, ordered)
        why = self._order.unchecked
        notes = () if why is None else (f"whether results of a batch are those of its rows was not checked: {why}",)
        return Outcome(ordered, decisions, errors, self._log.figures(), self._timing(), "runtime", None, notes)

    def _ask(self, requests: Sequence[Request]) -> None:
        """One call. With `skip` a batch that fails is split until the row that it fails on is alone."""
        self._log.issue(len(requests))
        started = time.perf_counter()
        try:
            results = self._runner.ask(requests, self._size)
        except Exception as error:  # noqa: BLE001 - on_error says what a runner's error means
            if len(requests) == 1 or self._asking.on_error == "fail":
                self._failed(requests, f"{type(error).__name__}: {error}", error)
                return
            middle = len(requests) // 2
            self._ask(requests[:middle])
            self._ask(requests[middle:])
            return
        self._log.returned(len(requests), (time.perf_counter() - started) * 1e3)
        self._take(requests, results)

    def _take(self, requests: Sequence[Request], results: Any) -> None:  # noqa: ANN401 - whatever came back
        sized = isinstance(results, list | tuple)
        if not sized or len(results) != len(requests):
            got = f"{len(results)} results" if sized else f"a {type(results).__name__}"
            self._failed(requests, f"expected one result a row, {len(requests)}, but predict_batch returned {got}")
            return
        self._order.see(requests, results)
        for request, result in zip(requests, results, strict=True):
            self._see(request, result)

    def _see(self, request: Request, result: Any) -> None:  # noqa: ANN401 - whatever came back
        case, place = self._dataset.cases[request.row], self._dataset.place(request.row)
        faults = result_faults(case, result)
        if faults and self._asking.on_error == "fail":
            qid, what = next(iter(faults.items()))
            raise IncompleteError(f"{place}, question {qid!r}: {what}; nothing was scored")
        self._errors += [AnswerError(request.row, qid, what) for qid, what in faults.items()]
        valid = [qid for qid in case.questions if qid not in faults]
        refuse_other_marks(place, {qid: result["answers"][qid] for qid in valid}, self._asking.min_confidence)
        self._answered += [
            answered(request.row, qid, result, who_answered(result, request.model, self._name)) for qid in valid
        ]

    def _failed(self, requests: Sequence[Request], what: str, cause: Exception | None = None) -> None:
        """Rows without results: the end of it, or with `skip` an error each."""
        if self._asking.on_error == "fail":
            raise IncompleteError(f"{self._dataset.place(requests[0].row)}: {what}; nothing was scored") from cause
        self._errors += [AnswerError(request.row, None, what) for request in requests]

    def _unsendable(self) -> list[Problem]:
        """The first row that asks for a checkpoint which is not the runner's own."""
        cases = self._dataset.cases
        first = next((i for i, case in enumerate(cases) if case.model not in (None, *self._own)), None)
        if first is None:
            return []
        expected = f"a runner that takes `model`, since the row asks for {cases[first].model!r}"
        step = "pass a Router, or checkpoint=NAME to have this runner answer every row under that name"
        return [Problem(self._dataset.place(first), expected, "one that takes none", step)]

    def _timing(self) -> dict[str, Any]:
        asking, log = self._asking, self._log
        threshold = asking.min_confidence
        return {
            "latency_metric": LATENCY_PER_ROW,
            "cost_metric": COST_PER_ROW,
            "batch_size": asking.batch_size,
            "batch_size_used": self._size if self._runner.form else 1,
            "batch_form": self._runner.form,
            "sort_by_length": asking.sort_by_length,
            "sort_by_length_sent": self._runner.sorts and log.rows_grouped > 0,
            "min_confidence": dict(threshold) if isinstance(threshold, Mapping) else threshold,
            "min_confidence_sent": threshold is not None and log.calls > 0,
            **log.counts(),
            "order_checked": self._order.checked,
            **({} if self._order.unchecked is None else {"order_unchecked": self._order.unchecked}),
        }


def _own_names(runner: object) -> tuple[str, ...]:
    """The checkpoint that a runner says it holds, as agents of the runtime do; a folder by its path and its name."""
    name = getattr(runner, "model_id", None)
    if not isinstance(name, str) or not name:
        return ()
    return (name, Path(name).resolve().name) if Path(name).is_dir() else (name,)
