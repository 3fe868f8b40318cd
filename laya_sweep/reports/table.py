"""Markdown tables: rows of texts, figures with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from laya_sweep.metrics.metric_row import MetricRow


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; what would break a cell is mended."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell(text) for text in line) + " |" for line in lines)


def cell(text: str) -> str:
    """A text that fits one cell, or one line."""
    return " ".join(text.replace("|", "\\|").split())


def figure(value: float | None) -> str:
    """A figure in 4 decimals, or `none`."""
    return "none" if value is None else f"{value:.4f}"


def with_interval(row: MetricRow) -> str:
    """A figure with its limits where it has some."""
    limits = "" if row.low is None or row.high is None else f" [{row.low:.3f}, {row.high:.3f}]"
    return figure(row.value) + limits
