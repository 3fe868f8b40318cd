"""Cases whose state did not fit the checkpoint: how many were cut, per cell and per result.

The runtime cuts a state that the question leaves no room for (the end of it; of a list the beginning) and answers
all the same. The tokeniser's counts are facts, so a reader can know on how many rows a figure rests that the model
saw only in part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyarrow.compute as pc

from laya_sweep.metrics.summary import MetricRow
from laya_sweep.results.rows import PlaceRows

#: Share of the answered cases of which a part of the state was not read, for any of their questions or variants.
TRUNCATED_SHARE = "truncated_share"

_NO_INTERVAL = "no interval: a count of what was asked, not an estimate"


class Truncated(NamedTuple):
    """Cases with an answer, those of them that were cut, and the sources of the first."""

    cases: frozenset[str]
    cut: frozenset[str]
    sources: frozenset[str]


def truncated(rows: PlaceRows) -> Truncated:
    """The cut cases of a cell, from its facts."""
    answered = rows.facts.filter(pc.equal(rows.facts["status"], "ok"))
    cut = answered.filter(pc.greater(answered["state_tokens_dropped"], 0))
    cases = frozenset(answered["case_id"].to_pylist())
    sources = frozenset(case.source_id for case in rows.expected.cases if case.case_id in cases)
    return Truncated(cases, frozenset(cut["case_id"].to_pylist()), sources)


def truncation_rows(cells: Sequence[PlaceRows]) -> list[MetricRow]:
    """`truncated_share` of one result, overall and by language, from the cells that publish metrics."""
    found = {rows.expected.language: truncated(rows) for rows in cells}
    rows = [_row("overall", "", found.values())]
    return rows + [_row("language", language, [found[language]]) for language in sorted(found)]


def truncation_note(rows: PlaceRows, max_len: int) -> str | None:
    """The warning about a cell, None where every state was read whole."""
    counts = truncated(rows)
    if not counts.cut:
        return None
    expected = rows.expected
    names = dict.fromkeys((expected.checkpoint, expected.answered_by))
    shown = f"{' '.join(names)} {expected.language or '-'}"
    states = f"{len(counts.cut)} of {len(counts.cases)} cases"
    return f"{shown}: {states} are cut to fit max_len={max_len}: the model did not read the rest of their state"


def _row(dimension: str, value: str, counts: Iterable[Truncated]) -> MetricRow:
    own = [*counts]
    # A case id may stand in two languages of a suite that freezes each by itself: count cells one by one.
    cases, cut = (sum(len(part[i]) for part in own) for i in (0, 1))
    return MetricRow(
        slice_dimension=dimension,
        slice_value=value,
        min_confidence=None,
        metric=TRUNCATED_SHARE,
        definition=1,
        value=cut / cases if cases else None,
        n=cases,
        n_clusters=len(frozenset().union(*(part.sources for part in own))),
        low=None,
        high=None,
        reason=_NO_INTERVAL if cases else "no answered cases",
    )
