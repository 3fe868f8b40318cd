"""The figures of a result as a whole, for report.md: macro beside overall, and every metric there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.slices import MACRO, OVERALL, SlicePlace
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.reports.table import figure, table, with_interval

#: Both kinds of figures over all languages, named apart wherever one of them is shown.
KINDS: Final = {"macro (every language counts alike)": MACRO, "overall (all answers pooled)": OVERALL}

_BESIDE: Final = "baseline on the same questions, "


def whole_table(results: Sequence[ResultReport], columns: Sequence[str]) -> str:
    """A line of each kind for each result; a transform that declines questions has the baseline's below its own."""
    header = ["checkpoint", "transform", "regime", "languages", "figures", "n", *columns]
    return table(header, [line for result in results for line in _lines(result, columns)])


def every_figure(result: ResultReport) -> str:
    """Every metric of report.json over all languages, those without a value by name and with the reason."""
    overall, macro = _by_metric(result, OVERALL), _by_metric(result, MACRO)
    rows = [
        [name, _shown(overall.get(name)), _shown(macro.get(name)), _count(overall.get(name)), _why(overall.get(name))]
        for name in dict.fromkeys([*overall, *macro])
    ]
    return table(["metric", "overall (pooled)", "macro", "n", "why there is no value"], rows)


def _lines(result: ResultReport, columns: Sequence[str]) -> Iterator[list[str]]:
    named = [result.checkpoint, result.transform, result.regime, f"{len(result.ran)} of {len(result.asked)}"]
    sides = [("", result)] if result.alike is None else [("", result), (_BESIDE, result.alike)]
    for before, own in sides:
        for kind, place in KINDS.items():
            figures = _by_metric(own, place)
            shown = [figure(figures[name].value) if name in figures else "none" for name in columns]
            yield [*named, before + kind, _count(figures.get("mean_confidence")), *shown]


def _by_metric(result: ResultReport, place: SlicePlace) -> dict[str, MetricRow]:
    return {row.metric: row for row in result.slice_rows(*place) if row.min_confidence is None}


def _shown(row: MetricRow | None) -> str:
    return "" if row is None else with_interval(row)


def _count(row: MetricRow | None) -> str:
    return "0" if row is None else str(row.n)


def _why(row: MetricRow | None) -> str:
    return "" if row is None or row.value is not None else (row.reason or "no reason is recorded")
