"""The one-line figures of a run: a language of a result, a slice of it, and seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.slices import BESIDE_LANGUAGE, MACRO, OVERALL, SlicePlace
from laya_sweep.metrics.calibration import ece
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns
from laya_sweep.metrics.f1 import macro_f1
from laya_sweep.metrics.lookup import nature_of
from laya_sweep.results.survivors import PARTIAL

#: Metrics of a slice's line, in order.
_LINE = ("choice_accuracy", "macro_f1", "macro_f1_slot", "noul_accuracy", "score_mae", "ece", "mean_confidence")

#: Of types that not every dataset has.
_OTHERS = ("noul_accuracy", "score_mae")

_MOST_SLICES = 12


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """The headline figures of one language in one result; None where a figure has no value.

    `n` labelled answers of all types. Accuracy and F1 are of choice answers, ece of choice and noul answers,
    confidence of all; the last two figures stand only where there are answers of their type.
    """

    n: int
    accuracy: float | None
    macro_f1: float | None
    ece: float | None
    confidence: float | None
    macro_f1_slot: float | None = None
    noul_accuracy: float | None = None
    score_mae: float | None = None


def language_figures(columns: DecisionColumns) -> LanguageFigures:
    """Figures of labelled answers, by the same functions that fill the metrics table."""
    answered = columns.correct >= 0
    choice = answered & (columns.question_type == CHOICE)
    noul = answered & (columns.question_type == NOUL)
    score = (columns.question_type == SCORE) & ~np.isnan(columns.score_error)
    confidence, right = columns.confidence[answered], columns.correct[answered]
    return LanguageFigures(
        n=int((answered | score).sum()),
        accuracy=_mean(columns.correct[choice]),
        macro_f1=macro_f1(columns.gold_label[choice], columns.pred_label[choice]),
        macro_f1_slot=macro_f1(columns.gold_index[choice], columns.pred_index[choice]),
        ece=ece(confidence, right),
        confidence=_mean(columns.confidence[answered | score]),
        noul_accuracy=_mean(columns.correct[noul]),
        score_mae=_mean(np.abs(columns.score_error[score])),
    )


def language_line(code: str, figures: LanguageFigures, seconds: float) -> str:
    """`en n=100 acc=0.8200 macro_f1=0.7876 macro_f1_slot=0.7801 ece=0.1789 conf=0.9989 (36.7s)`, and other types.

    `macro_f1` is over labels, `macro_f1_slot` over the slots of the options, as in the published tables. A set without
    a language is `-`; noul and score figures follow where there are such answers.
    """
    parts = [f"acc={_shown(figures.accuracy)}", f"macro_f1={_shown(figures.macro_f1)}"]
    parts += [f"macro_f1_slot={_shown(figures.macro_f1_slot)}"]
    parts += [f"ece={_shown(figures.ece)}", f"conf={_shown(figures.confidence)}"]
    others = {"noul_acc": figures.noul_accuracy, "score_mae": figures.score_mae}
    parts += [f"{name}={_shown(value)}" for name, value in others.items() if value is not None]
    return f"{code or '-'} n={figures.n} {' '.join(parts)} ({seconds:.1f}s)"


def whole_lines(result: ResultReport) -> list[str]:
    """The figures over all languages, a line of each kind, or why there are none:

    `english served macro over 51 languages: acc=0.2269 ece=0.5709 macro_f1=0.2053 macro_f1_slot=0.2101`
    `english served overall, 5100 answers pooled: acc=0.2269 ece=0.5512 macro_f1=0.2311 macro_f1_slot=0.2188`

    Of a transform that declines some questions the baseline on the same ones follows.
    """
    if not result.complete:
        without = ", ".join(code or "-" for code in result.failed)
        ran = f"{len(result.ran)} of {len(result.asked)} languages ran (without {without})"
        figures = _whole(result, MACRO, PARTIAL)
        return [f"{result.title} no macro: {ran}, and no overall; partial macro: {figures}"]
    found = [f"{result.title} {line}" for line in _both(result)]
    if (alike := result.alike) is not None:
        found += [f"{result.title} beside baseline on the same questions, {line}" for line in _both(alike)]
    return found


def _both(result: ResultReport) -> list[str]:
    answers = max((row.n for row in result.slice_rows(*OVERALL) if row.metric == "mean_confidence"), default=0)
    return [
        f"macro over {len(result.asked)} language{'s' * (len(result.asked) != 1)}: {_whole(result, MACRO)}",
        f"overall, {answers} answers pooled: {_whole(result, OVERALL)}",
    ]


def _whole(result: ResultReport, place: SlicePlace, suffix: str = "") -> str:
    """Headline figures of a place, those of noul and score questions where there are such."""
    other = [name for name in _OTHERS if any(result.value(*OVERALL, name + end) is not None for end in ("", PARTIAL))]
    names = ("choice_accuracy", "ece", "macro_f1", "macro_f1_slot", *other)
    return " ".join(f"{nature_of(name).short or name}={_shown(result.value(*place, name + suffix))}" for name in names)


def slice_lines(result: ResultReport) -> list[str]:
    """`qid=intent n=12 acc=0.7500 ...`: a line for each question and tag, and for each checkpoint of a routed one.

    Not where there is one alone, nor where there are so many that they bury the rest (report.md has them all).
    """
    return [
        _slice_line(result, dimension, value)
        for dimension in BESIDE_LANGUAGE
        if 1 < len(values := result.slice_values(dimension)) <= _MOST_SLICES
        for value in values
    ]


def _slice_line(result: ResultReport, dimension: str, value: str) -> str:
    figures = {row.metric: row for row in result.slice_rows(dimension, value) if row.min_confidence is None}
    names = [*_LINE, *(name for name in figures if name.startswith("score_within_"))]
    shown = [
        f"{nature_of(name).short or name}={_shown(figures[name].value)}"
        for name in names
        if name in figures and figures[name].value is not None
    ]
    return " ".join([f"{dimension}={value}", f"n={figures['mean_confidence'].n}", *shown])


def _mean(values: np.ndarray[Any, Any]) -> float | None:
    return float(values.mean()) if len(values) else None


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
