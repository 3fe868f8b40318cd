"""report.md: the results as tables for a person to read."""

from __future__ import annotations

from collections.abc import Sequence

from laya_sweep.reports.result import ResultReport

_COLUMNS = ("choice_accuracy", "macro_f1", "macro_f1_slot", "ece", "mean_confidence", "acc_at_50_coverage")
_BASELINE = "majority_baseline"


def markdown(results: Sequence[ResultReport]) -> str:
    """The whole report as Markdown."""
    parts = ["# Sweep report", "", _macro_table(results)]
    for result in results:
        parts += ["", f"## {_title(result)}", "", _language_table(result)]
        if result.failed:
            parts += [
                "",
                *(f"- **{code} failed**: {_cell(reason)}" for code, reason in result.failed.items()),
            ]
    return "\n".join(parts) + "\n"


def _macro_table(results: Sequence[ResultReport]) -> str:
    header = [
        "checkpoint",
        "transform",
        "regime",
        "languages",
        *(f"macro {name}" for name in (*_COLUMNS, _BASELINE)),
    ]
    rows = []
    for result in results:
        languages = f"{len(result.ran)} of {len(result.asked)}"
        figures = [_shown(result.macro(name)) for name in (*_COLUMNS, _BASELINE)]
        rows.append([result.checkpoint, result.transform, result.regime, languages, *figures])
    return _table(header, rows)


def _language_table(result: ResultReport) -> str:
    header = ["language", "n", *_COLUMNS, "temperature", _BASELINE]
    return _table(header, [_language_row(result, code) for code in result.ran])


def _language_row(result: ResultReport, code: str) -> list[str]:
    n = next((row.n for row in result.rows if row.slice_value == code and row.metric == "choice_accuracy"), 0)
    temperatures = sorted(set(result.temperatures[code].values()))
    figures = [_interval(result, code, name) for name in _COLUMNS]
    shown = ", ".join(f"{value:g}" for value in temperatures)
    return [code, str(n), *figures, shown, _shown(result.value("language", code, _BASELINE))]


def _interval(result: ResultReport, code: str, metric: str) -> str:
    for row in result.rows:
        if (row.slice_dimension, row.slice_value, row.metric) == ("language", code, metric):
            limits = "" if row.low is None or row.high is None else f" [{row.low:.3f}, {row.high:.3f}]"
            return _shown(row.value) + limits
    return "none"


def _title(result: ResultReport) -> str:
    return f"{result.checkpoint}, {result.regime}, {result.transform}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
