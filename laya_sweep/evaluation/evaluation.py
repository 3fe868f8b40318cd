"""`evaluate`: a labelled set, whoever answers it, as metrics, decisions, a scorecard and a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from laya_sweep.domain.checked import DIVISORS
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.regime import Regime
from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.domain.thresholds import from_document
from laya_sweep.errors import Problem, UsageError, name_list
from laya_sweep.evaluation.dataset import Data, Dataset, read_dataset
from laya_sweep.evaluation.engine import ask_engine
from laya_sweep.evaluation.interview import Asking, OnError, ask_runner
from laya_sweep.evaluation.loaded import is_engine, loaded
from laya_sweep.evaluation.marks import checked_threshold
from laya_sweep.evaluation.narrowing import Narrow, checked_narrowing, document_of
from laya_sweep.evaluation.order_check import SAMPLE
from laya_sweep.evaluation.outcome import Answered, AnswerError, Outcome
from laya_sweep.evaluation.report import report_document
from laya_sweep.evaluation.runner import AskedThreshold
from laya_sweep.gates.comparability import narrowing_identity
from laya_sweep.gates.figures import accepted_counts, with_figures
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.judging.opened import Judgeable
from laya_sweep.metrics.accuracy import tolerance_of
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.results.columns import decision_columns
from laya_sweep.results.figures import summarise_result
from laya_sweep.store.stored_run import NARROWED_SCHEMAS, REPORT_SCHEMA

#: Regimes by name; a number is a temperature of one's own.
_REGIMES = ("served", "raw", "unit")


@dataclass(frozen=True)
class Evaluation(Judgeable):
    """A labelled set with one runner's answers.

    Attributes:
        name: for messages and verdicts.
        dataset: what was asked.
        outcome: what came back.
        score_within: tolerances of the `score_within_<tolerance>` metrics, in levels.
        min_confidence: the abstention threshold that was asked for; None for none.
        checkpoint: the checkpoint named for every row; None where rows or the runner decided.
        narrow: how many-option choices were cut down; None where they were not.
    """

    name: str
    dataset: Dataset
    outcome: Outcome
    score_within: tuple[float, ...]
    min_confidence: AskedThreshold | None
    checkpoint: str | None
    narrow: Narrow | None = None

    @property
    def decisions(self) -> pa.Table:
        """One row per answered question, labelled or not, in the order of the data."""
        return self.outcome.decisions

    @property
    def errors(self) -> tuple[AnswerError, ...]:
        """What has no answer: the row, the question where it is one of several, and why."""
        return self.outcome.errors

    @property
    def answers(self) -> tuple[Answered, ...]:
        """Every answer as the runtime gives it, in the order of the data."""
        return self.outcome.answered

    @property
    def figures(self) -> dict[str, float]:
        """Latency and cost of the calls that returned, in milliseconds."""
        return dict(self.outcome.figures)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: what loading said, and rows that named another checkpoint than answered them."""
        named = Counter(case.model for case in self.dataset.cases if case.model not in (None, self.checkpoint))
        if self.checkpoint is None or not named:
            return self.outcome.notes
        names = ", ".join(sorted(str(one) for one in named))
        said = f"{named.total()} rows name a model ({names}); {self.checkpoint} answers every row"
        return (*self.outcome.notes, said)

    @cached_property
    def metrics(self) -> tuple[MetricRow, ...]:
        """Every metric with count, interval, and the reason where it has no value: overall and by slice."""
        thresholds = [from_document(self.min_confidence)]
        languages = sorted({case.language for case in self.dataset.cases})
        return tuple(summarise_result(self.decisions, languages, thresholds, self.score_within))

    @cached_property
    def scorecard(self) -> Scorecard:
        """What gates ask about it."""
        known = Scorecard(
            self.name,
            identity={**self._schema(), **self.fingerprints()},
            min_confidence=from_document(self.min_confidence),
            rounding=self.outcome.rounding,
            errored=self.dataset.questions - self.decisions.num_rows,
            asked=self.dataset.questions,
        )
        accepted = accepted_counts(decision_columns(self.decisions))
        return with_figures(known, self.metrics, accepted, self.figures)

    def _schema(self) -> dict[str, Any]:
        narrowing = document_of(self.narrow)
        schema = REPORT_SCHEMA if narrowing is None else NARROWED_SCHEMAS[narrowing["name"]]
        return {"schema": schema, **narrowing_identity(narrowing)}

    def fingerprints(self) -> dict[str, str]:
        """`dataset_sha256` and `questions_sha256`, as in reports."""
        asked = questions_fingerprint(self.dataset.cases)
        return {"dataset_sha256": self.dataset.sha256, "questions_sha256": asked}

    def value(
        self,
        metric: str,
        *,
        language: str | None = None,
        model: str | None = None,
        qid: str | None = None,
        tag: str | None = None,
    ) -> float | None:
        """One figure: overall, or of one slice value. None where there was nothing to score; see `metrics` for why.

        Raises:
            UsageError: no such metric or slice value, with those that exist; more than one slice is named.
        """
        place = _place({"language": language, "model": model, "qid": qid, "tag": tag})
        known = {key.metric for key in self.scorecard.counts if SlicePlace(key.dimension, key.value) == place}
        if place == OVERALL:
            known |= self.figures.keys()
        if not known:
            values = sorted({key.value for key in self.scorecard.counts if key.dimension == place.dimension})
            expected = f"one of {name_list([value or repr('') for value in values], place.value)}"
            raise UsageError(Problem(place.dimension, expected, repr(place.value), "name one of them"))
        if metric not in known:
            raise UsageError(
                Problem("metric", f"one of {name_list(sorted(known), metric)}", metric, "name one of them")
            )
        return self.scorecard.figures(place).get(metric)

    def document(self) -> dict[str, Any]:
        """The `laya-evals-report/1`, which the upstream `laya-evals compare` reads: the runtime's 4-decimal answers,
        also of an engine, whose own figures are exact."""
        config = {"model": self.checkpoint, "rounding": "runtime", "regime": self.outcome.regime}
        config |= {"dataset": self.dataset.source, **self.fingerprints()}
        narrowing = document_of(self.narrow)
        version = None if self.narrow is None else self.narrow.checkpoint_id or self.checkpoint
        return report_document(self.dataset, self.outcome, self.score_within, config, narrowing, version)


def evaluate(
    data: Data,
    runner: object,
    *,
    checkpoint: str | None = None,
    regime: str | float = "served",
    min_confidence: float | Mapping[str, float] | None = None,
    score_within: Sequence[float] = (),
    batch_size: int | None = None,
    sort_by_length: bool = False,
    on_error: OnError = "fail",
    order_sample: int = SAMPLE,
    name: str | None = None,
    narrow: Narrow | None = None,
) -> Evaluation:
    """Score whoever answers on a labelled set.

    Args:
        data: the path of a labelled JSONL file, a `LabelledSet`, or rows of that form.
        runner: `laya.load(...)`, `laya.Router(...)`, a `laya.ONNXAgent` or any object with their `predict` or
            `predict_batch`: decisions come from its answers. Or an engine (`open_engine(...)`), or what one is loaded
            from (a folder, a Hub repository, `bundled:demo_english`): decisions come from raw logits.
        checkpoint: answers every row, whatever checkpoint a row asks for; sent as `model` where the runner takes one.
            Without it a row's own `model` decides, and a runner that cannot take it is refused.
        regime: of an engine: served, raw, unit, or a temperature. Runner objects apply their own.
        min_confidence: an abstention threshold, sent to the runner; its marks must be those of the runtime's rule.
        score_within: tolerances in levels; each gives `score_within_<tolerance>`.
        batch_size: rows in a call; None is 32 rows for runners that take several, and a token budget for engines.
        sort_by_length: sent to a runner that takes it, so that rows of like length share a forward pass.
        on_error: "fail" stops at the first row without a valid answer; "skip" scores the others and lists the errors,
            which fail every gate.
        order_sample: rows of batches that are asked alone too, to see that results come back in order; 0 for none.
        name: in verdicts; the data's and runner's names if not given.
        narrow: `ByShortlist(...)` or `ByKnockout(...)` for choices with many options: recall or survival, and the
            accuracy where the right answer was kept, stand beside the end-to-end figures.

    Raises:
        DatasetError: the data have faults; all of them are named.
        UsageError: an argument cannot mean anything, or the runner cannot do what is asked.
        IncompleteError: with `on_error` "fail", a row has no valid answer.
        ParityError: nothing the runner says can be trusted.
    """
    asking = Asking(
        checkpoint, batch_size, on_error, sort_by_length, checked_threshold(min_confidence), order_sample, narrow
    )
    _check(asking)
    checked_narrowing(narrow)
    within = tuple(_tolerance(value) for value in score_within)
    asked = read_dataset(data)
    chosen = _regime(regime)
    named = str(runner) if isinstance(runner, str | Path) else type(runner).__name__
    title = name or f"{asked.source or 'rows'} by {checkpoint or named}"
    if is_engine(runner):
        outcome = ask_engine(asked, loaded(runner), asking, chosen)
    elif chosen.kind != "served":
        step = "leave regime out, or pass an engine"
        raise UsageError(Problem("regime", "an engine, whose logits are divided here", type(runner).__name__, step))
    else:
        outcome = ask_runner(asked, runner, asking)
    return Evaluation(title, asked, outcome, within, asking.min_confidence, checkpoint, narrow)


def _check(asking: Asking) -> None:
    problems = []
    for name, value, least in (("batch_size", asking.batch_size, 1), ("order_sample", asking.order_sample, 0)):
        wrong = isinstance(value, bool) or not isinstance(value, int) or value < least
        if wrong and not (value is None and name == "batch_size"):
            problems.append(Problem(name, f"a whole number of at least {least}", repr(value), "correct it"))
    if asking.on_error not in ("fail", "skip"):
        problems.append(Problem("on_error", "'fail' or 'skip'", repr(asking.on_error), "correct it"))
    if asking.checkpoint is not None and (not isinstance(asking.checkpoint, str) or not asking.checkpoint.strip()):
        problems.append(Problem("checkpoint", "a name", repr(asking.checkpoint), "leave it out, or name one"))
    if problems:
        raise UsageError(*problems)


def _tolerance(value: float) -> float:
    try:
        return tolerance_of(value)
    except (ValueError, TypeError) as error:
        problem = Problem("score_within", "finite numbers of at least 0", repr(value), "correct the tolerance")
        raise UsageError(problem) from error


def _regime(given: str | float) -> Regime:
    if isinstance(given, str) and given in _REGIMES:
        return Regime(given, given)
    if isinstance(given, int | float) and not isinstance(given, bool) and DIVISORS[0] <= given <= DIVISORS[1]:
        return Regime(f"fixed_{given:g}", "fixed", float(given))
    expected = f"one of {', '.join(_REGIMES)}, or a temperature from {DIVISORS[0]:g} to {DIVISORS[1]:g}"
    raise UsageError(Problem("regime", expected, repr(given), "correct it"))


def _place(named: Mapping[str, str | None]) -> SlicePlace:
    given = [(dimension, value) for dimension, value in named.items() if value is not None]
    if len(given) > 1:
        got = ", ".join(dimension for dimension, _ in given)
        raise UsageError(Problem("slice", "at most one of language, model, qid, tag", got, "name one"))
    return SlicePlace(*given[0]) if given else OVERALL
