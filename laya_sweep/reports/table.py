"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose cells are one line each."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell(text) for text in line) + " |" for line in lines)


def cell(text: str) -> str:
    """A text as one line without column marks.

    >>> cell("a|b\\nc")
    'a\\\\|b c'
    """
    return " ".join(text.replace("|", "\\|").split())


def number(value: float | None) -> str:
    """A figure with four decimals, or `none`."""
    return "none" if value is None else f"{value:.4f}"
