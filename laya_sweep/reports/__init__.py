"""Metrics -> documents for people and tools."""

from laya_sweep.reports.drift import DriftTable, Runner, drift_lines, drift_markdown, drift_table, runner_groups
from laya_sweep.reports.line import LanguageFigures, language_figures, language_line, model_seconds, slice_lines
from laya_sweep.reports.markdown import markdown
from laya_sweep.reports.result import ResultReport
from laya_sweep.reports.timing import UNKNOWN, call_figures, timing_document, timing_figures

__all__ = [
    "UNKNOWN",
    "DriftTable",
    "LanguageFigures",
    "ResultReport",
    "Runner",
    "call_figures",
    "drift_lines",
    "drift_markdown",
    "drift_table",
    "language_figures",
    "language_line",
    "markdown",
    "model_seconds",
    "runner_groups",
    "slice_lines",
    "timing_document",
    "timing_figures",
]
