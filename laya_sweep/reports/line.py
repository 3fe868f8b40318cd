"""The one-line figures of a run: a language of a result, a slice of it, and seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.slices import BESIDE_LANGUAGE
from laya_sweep.metrics.calibration import ece
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns
from laya_sweep.metrics.f1 import macro_f1
from laya_sweep.metrics.lookup import nature_of

#: Metrics of a slice's line, in order.
_LINE = ("choice_accuracy", "macro_f1", "noul_accuracy", "score_mae", "ece", "mean_confidence")

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
        ece=ece(confidence, right),
        confidence=_mean(columns.confidence[answered | score]),
        noul_accuracy=_mean(columns.correct[noul]),
        score_mae=_mean(np.abs(columns.score_error[score])),
    )


def language_line(code: str, figures: LanguageFigures, seconds: float) -> str:
    """`en n=100 acc=0.8200 macro_f1=0.7876 ece=0.1789 conf=0.9989 (36.7s)`, and what else was asked.

    A set without a language is `-`; noul and score figures follow where there are such answers.
    """
    parts = [f"acc={_shown(figures.accuracy)}", f"macro_f1={_shown(figures.macro_f1)}"]
    parts += [f"ece={_shown(figures.ece)}", f"conf={_shown(figures.confidence)}"]
    others = {"noul_acc": figures.noul_accuracy, "score_mae": figures.score_mae}
    parts += [f"{name}={_shown(value)}" for name, value in others.items() if value is not None]
    return f"{code or '-'} n={figures.n} {' '.join(parts)} ({seconds:.1f}s)"


def macro_line(result: ResultReport) -> str:
    """`english served macro over 51 languages: acc=0.2269 ece=0.5709 f1=0.2053`, or why there is no macro."""
    name = result.title
    asked = [name for name in ("noul_accuracy", "score_mae") if result.value("overall", "", name) is not None]
    metrics = ["choice_accuracy", "ece", "macro_f1", *asked]
    figures = [((nature_of(name).short or name).removeprefix("macro_"), name) for name in metrics]
    if result.complete:
        shown = " ".join(f"{short}={_shown(result.macro(metric))}" for short, metric in figures)
        return f"{name} macro over {len(result.asked)} languages: {shown}"
    shown = " ".join(f"{short}={_shown(result.partial_macro(metric))}" for short, metric in figures)
    without = ", ".join(code or "-" for code in result.failed)
    ran = f"{len(result.ran)} of {len(result.asked)} languages ran (without {without})"
    return f"{name} no macro: {ran}; partial: {shown}"


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
