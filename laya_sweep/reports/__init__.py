"""Metrics -> documents for people and tools."""

from laya_sweep.reports.checks import check_lines
from laya_sweep.reports.drift import DriftTable, Runner, drift_lines, drift_markdown, drift_table, runner_groups
from laya_sweep.reports.line import LanguageFigures, language_figures, language_line, model_seconds, slice_lines
from laya_sweep.reports.markdown import markdown
from laya_sweep.reports.result import ResultReport, result_title
from laya_sweep.reports.robustness import robustness_line
from laya_sweep.reports.timing import UNKNOWN, call_figures, timing_document, timing_figures

__all__ = [
    "UNKNOWN",
    "DriftTable",
    "LanguageFigures",
    "ResultReport",
    "Runner",
    "call_figures",
    "check_lines",
    "drift_lines",
    "drift_markdown",
    "drift_table",
    "language_figures",
    "language_line",
    "markdown",
    "model_seconds",
    "result_title",
    "robustness_line",
    "runner_groups",
    "slice_lines",
    "timing_document",
    "timing_figures",
]
