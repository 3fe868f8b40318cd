"""Metrics -> documents for people and tools."""

from laya_sweep.reports.identity import dataset_sha256, questions_sha256
from laya_sweep.reports.line import LanguageFigures, language_figures, language_line, model_seconds
from laya_sweep.reports.markdown import markdown
from laya_sweep.reports.result import ResultReport
from laya_sweep.reports.timing import timing_document, timing_figures

__all__ = [
    "LanguageFigures",
    "ResultReport",
    "dataset_sha256",
    "language_figures",
    "language_line",
    "markdown",
    "model_seconds",
    "questions_sha256",
    "timing_document",
    "timing_figures",
]
