"""report.md: the results as tables for a person to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.slices import BESIDE_LANGUAGE
from laya_sweep.domain.thresholds import order, shown
from laya_sweep.reports.checks import checks_markdown
from laya_sweep.reports.narrowed import narrowed_table
from laya_sweep.reports.robustness import not_applicable_texts, robustness_sections
from laya_sweep.reports.table import cell, table, with_interval
from laya_sweep.reports.truncation import truncation_lines
from laya_sweep.reports.whole import KINDS, every_figure, whole_table
from laya_sweep.results.survivors import PARTIAL

_COLUMNS = ("choice_accuracy", "macro_f1", "macro_f1_slot", "ece", "mean_confidence", "acc_at_50_coverage")
_BASELINES = ("majority_baseline", "first_option_baseline")

#: What a min_confidence keeps.
_KEPT = ("coverage", "abstention_rate", "selective_precision")

_NOT_SERVED = (
    "The runtime does not apply the temperatures of this regime: these are not its abstention marks, but what its rule "
    "would mark if it did. A gate does not take them for its marks."
)

_POOLED = "Over all languages, all answers pooled:"

_ALIKE = (
    "The transform does not apply to every question. The baseline on the same questions, each answer once for each "
    "answer of the transform:"
)

_NARROWED = (
    "Choices were answered over a part of their options: confidences and ece are of that part, and comparable with no "
    "result over all of them."
)

#: Columns of question types that not every dataset has: figure where one result has a value.
_OTHER_TYPES = ("noul_accuracy", "noul_majority_baseline", "noul_first_option_baseline", "score_mae")


@dataclass(frozen=True, slots=True)
class ReportNotes:
    """What a run says beside its figures.

    Attributes:
        data: what a person should know of its data.
        scripts: language -> the script of its states, as the runtime sees it.
        routers: language -> whom the runtime's own router would ask.
    """

    data: Sequence[str] = ()
    scripts: Mapping[str, str] = field(default_factory=dict)
    routers: Mapping[str, str] = field(default_factory=dict)


def markdown(results: Sequence[ResultReport], notes: ReportNotes | None = None) -> str:
    """The whole report as Markdown."""
    notes = notes or ReportNotes()
    if any(result.checks is not None for result in results):
        return checks_markdown(results)
    columns = _columns(results)
    parts = ["# Sweep report", "", whole_table(results, columns)]
    parts += ["", *(f"- {cell(line)}" for line in notes.data)] if notes.data else []
    for result in results:
        parts += [
            "",
            f"## {result.checkpoint}, {result.regime}, {result.transform}",
            "",
            _language_table(result, columns, notes),
        ]
        if (alike := result.alike) is not None:
            parts += ["", _ALIKE, "", _language_table(alike, columns, notes)]
        if result.routes:
            parts += ["", _route_table(result.routes)]
        for dimension in BESIDE_LANGUAGE:
            if len(result.slice_values(dimension)) > 1:
                parts += ["", _POOLED, "", _slice_table(result, dimension, columns)]
        if (narrowed := narrowed_table(result)) is not None:
            parts += ["", _NARROWED, "", table(*narrowed)]
        parts += [f"- not applicable: {cell(text)}" for text in not_applicable_texts(result)]
        parts += truncation_lines(result)
        parts += ["", "Every figure over all languages:", "", every_figure(result)]
        parts += _threshold_parts(result)
        if result.failed:
            parts += [
                "",
                *(f"- **{code or '-'} failed**: {cell(reason)}" for code, reason in result.failed.items()),
            ]
    parts += robustness_sections(results)
    return "\n".join(parts) + "\n"


def _columns(results: Sequence[ResultReport]) -> list[str]:
    """Metrics to show: those of choice questions, then those of other types that were asked."""
    overall = [row for result in results for row in result.slice_rows("overall", "")]
    tolerances = {name for row in overall if (name := row.metric.removesuffix(PARTIAL)).startswith("score_within_")}
    names = [*_OTHER_TYPES, *sorted(tolerances)]
    valued = {row.metric.removesuffix(PARTIAL) for row in overall if row.value is not None}
    return [*_COLUMNS, *_BASELINES, *(name for name in names if name in valued)]


def _language_table(result: ResultReport, columns: Sequence[str], notes: ReportNotes) -> str:
    beside = {name: own for name, own in (("script", notes.scripts), ("router", notes.routers)) if own}
    header = ["language", "n", *beside, *columns, "temperature"]
    rows = []
    for code in result.ran:
        n, *figures = _figures(result, "language", code, columns)
        temperatures = sorted(set(result.temperatures[code].values()))
        applied = ", ".join(f"{value:g}" for value in temperatures)
        said = [own.get(code, "none") for own in beside.values()]
        rows.append([code or "-", n, *said, *figures, applied])
    for kind, place in KINDS.items():
        n, *figures = _figures(result, *place, columns)
        rows.append([kind, n, *("" for _ in beside), *figures, ""])
    return table(header, rows)


def _slice_table(result: ResultReport, dimension: str, columns: Sequence[str]) -> str:
    rows = [[value, *_figures(result, dimension, value, columns)] for value in result.slice_values(dimension)]
    return table([dimension, "n", *columns], rows)


def _route_table(routes: Mapping[str, Mapping[str, Any]]) -> str:
    """Where the cases of each language went, and what was detected in them; `-` is a language left undecided."""
    models = sorted({name for own in routes.values() for name in own["models"]})
    header = ["language", "cases", "rows that chose", *(f"to {name}" for name in models)]
    rows = [_route_row(code, own, models) for code, own in routes.items()]
    return table([*header, "detected scripts", "detected languages"], rows)


def _route_row(code: str, own: Mapping[str, Any], models: Sequence[str]) -> list[str]:
    counts = [own["n"], own["asked"], *(own["models"].get(name, 0) for name in models)]
    return [code or "-", *map(str, counts), _counted(own["scripts"]), _counted(own["detected_languages"])]


def _counted(counts: Mapping[str, int]) -> str:
    """`de 9, - 3`, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name or '-'} {count}" for name, count in ordered)


def _threshold_parts(result: ResultReport) -> list[str]:
    """What each min_confidence keeps, overall; nothing where none was asked for."""
    rows = [row for row in result.slice_rows("overall", "") if row.min_confidence is not None]
    thresholds = sorted({row.min_confidence for row in rows if row.min_confidence is not None}, key=order)
    if not thresholds:
        return []
    own = {(row.min_confidence, row.metric): row for row in rows}
    lines = [
        [
            shown(threshold),
            *(with_interval(own[threshold, name]) if (threshold, name) in own else "none" for name in _KEPT),
        ]
        for threshold in thresholds
    ]
    note = ["", _NOT_SERVED] if result.served is False else []
    return ["", _POOLED, "", table(["min_confidence", *_KEPT], lines), *note]


def _figures(result: ResultReport, dimension: str, value: str, columns: Sequence[str]) -> list[str]:
    """Labelled answers of a slice, then its metrics with their intervals."""
    own = {row.metric: row for row in result.slice_rows(dimension, value) if row.min_confidence is None}
    n = own["mean_confidence"].n if "mean_confidence" in own else 0
    return [str(n), *(with_interval(own[name]) if name in own else "none" for name in columns)]
