"""What the summary of a published document says, held against its own languages and against another summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from laya_sweep.documents.language_table import MACROS, PARTIAL, LanguageTable
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import one_line

#: What the mean of rounded figures, rounded itself, may differ by from the rounded mean: half a unit of the fourth
#: decimal each.
_ROUNDED_TWICE: Final = 1e-4

#: What a difference equal to a tolerance may exceed it by in float64.
SLACK: Final = 1e-12


def own_faults(table: LanguageTable) -> Iterator[str]:
    """Where the summary of a document does not follow from its languages, a line each."""
    said, counts = table.summary, len(table.languages)
    if "languages" in said and said["languages"] != counts:
        yield f"summary of {table.name}: languages {one_line(said['languages'])}, its report has {counts}"
    if said.get("complete") is True and table.failed:
        yield f"summary of {table.name}: complete, {', '.join(table.failed)} failed"
    for name, metric in _named(table):
        value = said[name]
        figures = [finite_number(own.get(metric)) for own in table.languages.values()]
        known = [figure for figure in figures if figure is not None]
        if value is None and not known:
            continue
        number, mean = finite_number(value), sum(known) / len(known) if known else None
        if number is None or mean is None or abs(number - mean) > _ROUNDED_TWICE + SLACK:
            given = "none" if mean is None else f"{mean:.4f}"
            yield f"summary of {table.name}: {name} {_shown(value)}, its languages give {given}"


def other_faults(left: LanguageTable, right: LanguageTable, tolerance: float) -> Iterator[str]:
    """Where the summaries of two tables over the same languages differ, a line each; others have no mean in common."""
    if left.languages.keys() != right.languages.keys():
        return
    for name in (own for own, _ in _named(left) if own in right.summary):
        one, other = finite_number(left.summary[name]), finite_number(right.summary[name])
        apart = one != other if one is None or other is None else abs(one - other) > tolerance + SLACK
        if apart:
            told = f"{_shown(left.summary[name])} in {left.name}, {_shown(right.summary[name])} in {right.name}"
            yield f"summary {name}: {told}"


def _named(table: LanguageTable) -> Iterator[tuple[str, str]]:
    """(name in the summary, figure of a language) of every mean that a summary tells."""
    for name, metric in MACROS.items():
        yield from ((own, metric) for own in (name, name + PARTIAL) if own in table.summary)


def _shown(value: object) -> str:
    number = finite_number(value)
    return one_line(repr(value)) if number is None else f"{number:.4f}"
