"""Cases whose state did not fit the checkpoint: how many were cut, per cell and per result.

The runtime cuts a state that the question leaves no room for (the end of it; of a list the beginning) and answers
all the same. The tokeniser's counts are facts, so a reader can know on how many rows a figure rests that the model
saw only in part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow.compute as pc

from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.metrics.accuracy import Proportion
from laya_sweep.metrics.fact_catalogue import TRUNCATED_SHARE
from laya_sweep.metrics.limits import limits_of
from laya_sweep.metrics.metric_row import MetricRow, row_of
from laya_sweep.results.rows import PlaceRows


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
    places = {OVERALL: [*found.values()]} | {SlicePlace("language", code): [found[code]] for code in sorted(found)}
    return [_row(place, counts) for place, counts in places.items()]


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


def _row(place: SlicePlace, counts: Sequence[Truncated]) -> MetricRow:
    # A case id may stand in two languages of a suite that freezes each by itself: count cells one by one.
    cases, cut = (sum(len(part[i]) for part in counts) for i in (0, 1))
    measure = Proportion(cut, cases).compute("no answered cases")
    sources = len(frozenset().union(*(part.sources for part in counts)))
    return row_of(place, TRUNCATED_SHARE, measure, sources, limits_of(TRUNCATED_SHARE, measure, sources))
