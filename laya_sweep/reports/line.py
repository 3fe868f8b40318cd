"""The one-line figures of a run: a language of a result, and a result's macro."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from laya_sweep.metrics import CHOICE, DecisionColumns, ece, macro_f1


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """The headline figures of one language in one result; None where a figure has no value."""

    n: int
    accuracy: float | None
    macro_f1: float | None
    ece: float | None
    confidence: float | None


def language_figures(columns: DecisionColumns) -> LanguageFigures:
    """Figures of labelled choice answers, by the same functions that fill the metrics table."""
    kept = (columns.question_type == CHOICE) & (columns.correct >= 0)
    n = int(kept.sum())
    if n == 0:
        return LanguageFigures(0, None, None, None, None)
    confidence, correct = columns.confidence[kept], columns.correct[kept]
    return LanguageFigures(
        n=n,
        accuracy=float(correct.mean()),
        macro_f1=macro_f1(columns.gold_label[kept], columns.pred_label[kept]),
        ece=ece(confidence, correct),
        confidence=float(confidence.mean()),
    )


def language_line(code: str, figures: LanguageFigures, seconds: float) -> str:
    """`en n=100 acc=0.8200 macro_f1=0.7876 ece=0.1789 conf=0.9989 (36.7s)`."""
    parts = [f"acc={_shown(figures.accuracy)}", f"macro_f1={_shown(figures.macro_f1)}"]
    parts += [f"ece={_shown(figures.ece)}", f"conf={_shown(figures.confidence)}"]
    return f"{code} n={figures.n} {' '.join(parts)} ({seconds:.1f}s)"


def model_seconds(timings: pa.Table) -> float:
    """Seconds of calls behind a cell's rows: each call counted once, shared by its rows."""
    calls, rows = timings["call_ms"].to_pylist(), timings["batch_rows"].to_pylist()
    return float(sum(call / count for call, count in zip(calls, rows, strict=True))) / 1e3


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
