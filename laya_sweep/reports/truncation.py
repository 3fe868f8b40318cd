"""What report.md says of states that were cut: nothing where there are none."""

from __future__ import annotations

from laya_sweep.documents.result_report import ResultReport

_METRIC = "truncated_share"


def truncation_lines(result: ResultReport) -> list[str]:
    """Markdown list items, one a language with cut states, after an empty line; empty where there are none."""
    rows = [
        row
        for row in result.rows
        if (row.metric, row.slice_dimension) == (_METRIC, "language") and row.value is not None and row.value > 0
    ]
    items = [f"- **{row.slice_value or '-'}**: {round((row.value or 0) * row.n)} of {row.n} states cut" for row in rows]
    return ["", "States longer than the checkpoint reads, answered on a part of them:", "", *items] if items else []
