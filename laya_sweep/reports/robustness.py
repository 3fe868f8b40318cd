"""What transforms changed, for people: a line a transform in the terminal, tables in report.md."""

from __future__ import annotations

from collections.abc import Sequence

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.settings import BASELINE
from laya_sweep.metrics.lookup import nature_of
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.reports.table import cell, figure, table, with_interval

#: Columns of the tables: how often the answer changed and what that cost, then how far the numbers moved.
_CHANGES = ("semantic_agreement_rate", "flip_rate", "right_to_wrong_rate", "wrong_to_right_rate", "accuracy_drop")
_DRIFTS = (
    "mean_probability_drift",
    "max_probability_drift",
    "mean_js_divergence",
    "mean_confidence_drift",
    "mean_absolute_confidence_drift",
    "worst_confidence_increase_on_disagreement",
)

_LINE = (
    "semantic_agreement_rate",
    "accuracy_drop",
    "mean_probability_drift",
    "mean_js_divergence",
    "mean_confidence_drift",
)


def robustness_line(result: ResultReport) -> str | None:
    """`english served option_order against baseline: pairs=100 agreement=0.8300 ...`; None where nothing is paired.

    The line of a baseline is over the pairs of all its transforms.
    """
    rows = _rows(result, "overall", "")
    if not rows:
        return None
    figures = " ".join(f"{nature_of(name).short or name}={figure(rows[name].value)}" for name in _LINE)
    name = f"{result.checkpoint} {result.regime} {_group(result)}"
    return f"{name} against {BASELINE}: pairs={rows['semantic_agreement_rate'].n} {figures}"


def robustness_sections(results: Sequence[ResultReport]) -> list[str]:
    """The Markdown lines about transforms; none for a run without any."""
    paired = [result for result in results if _rows(result, "overall", "")]
    if not paired:
        return []
    parts = ["", "## Robustness", "", _NOTE]
    for names in (_CHANGES, _DRIFTS):
        parts += ["", _overall_table(paired, names)]
    return [*parts, "", "### Agreement by language", "", _language_table(paired)]


def not_applicable_texts(result: ResultReport) -> list[str]:
    """`question wish of 12 case(s): a noul question, not a choice`."""
    return [
        cell(f"question {own['question']} of {own['cases']} case(s): {own['reason']}") for own in result.not_applicable
    ]


_NOTE = (
    "Each transform against the baseline, pair by pair in canonical option order; `overall` is over all pairs. "
    "Agreement is no correctness: answers that are wrong alike agree."
)


def _overall_table(results: Sequence[ResultReport], names: Sequence[str]) -> str:
    rows = []
    for result in results:
        own = _rows(result, "overall", "")
        figures = [with_interval(own[name]) for name in names]
        rows.append([result.checkpoint, result.regime, _group(result), str(own["flip_rate"].n), *figures])
    return table(["checkpoint", "regime", "transform", "pairs", *(name.replace("_", " ") for name in names)], rows)


def _language_table(results: Sequence[ResultReport]) -> str:
    """Languages down, results across. Agreement hangs on the logits alone, so one regime of each says it all."""
    columns = list({(result.checkpoint, result.transform): result for result in results}.values())
    codes = list(dict.fromkeys(code for result in columns for code in result.asked))
    header = ["language", *(f"{result.checkpoint} {_group(result)}" for result in columns)]
    return table(header, [[code or "-", *(_agreement(result, code) for result in columns)] for code in codes])


def _agreement(result: ResultReport, code: str) -> str:
    row = _rows(result, "language", code).get("semantic_agreement_rate")
    return "none" if row is None else f"{with_interval(row)} n={row.n}"


def _rows(result: ResultReport, dimension: str, value: str) -> dict[str, MetricRow]:
    names = {*_CHANGES, *_DRIFTS}
    return {row.metric: row for row in result.slice_rows(dimension, value) if row.metric in names}


def _group(result: ResultReport) -> str:
    return "overall" if result.transform == BASELINE else result.transform
