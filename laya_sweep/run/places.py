"""The second step's value: the facts of every place with the decisions on them, and how cells become places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.results.rows import PlaceRows, select_rows
from laya_sweep.run.inference import InferenceStats
from laya_sweep.run.plan import Cell
from laya_sweep.store.facts import FactStore

#: Checkpoint, the regime of a map (None: as served) and threshold -> why the marks are not shown to be the runtime's,
#: None where they are.
MarkFaults: TypeAlias = dict[tuple[str, str | None, MinConfidence], str | None]


@dataclass(frozen=True, slots=True)
class ScoredPlace:
    """One language of a checkpoint and transform: its facts, and its decisions by regime.

    A place with a `failure` publishes nothing: it has no decisions.
    """

    rows: PlaceRows
    failure: str | None
    decisions: Mapping[str, pa.Table]


@dataclass(frozen=True, slots=True)
class Inferred:
    """What inference leaves behind.

    Attributes:
        stats: what it did.
        places: in the order in which they were complete.
        temperatures: of every checkpoint that is asked.
        marks: why marks are not shown to be the runtime's.
    """

    stats: InferenceStats
    places: tuple[ScoredPlace, ...]
    temperatures: Mapping[str, list[TemperatureFact]]
    marks: MarkFaults


class Gathering:
    """Reads cells back as they are complete, and says when that makes a place whole."""

    def __init__(self, cells: Sequence[Cell], store: FactStore) -> None:
        self._cells, self._store = cells, store
        self._wanted = Counter(cell.place for cell in cells)
        self._parts: dict[tuple[str, str, str], list[PlaceRows]] = {}

    def add(self, cell: Cell) -> list[PlaceRows] | None:
        """Read a complete cell, unless the plan has; the parts of its place with the last one of them."""
        committed = cell.stored or self._store.read(cell.key)
        parts = self._parts.setdefault(cell.place, [])
        parts.append(select_rows(cell, committed.facts, committed.timings, committed.calls))
        return parts if len(parts) == self._wanted[cell.place] else None

    def has(self, cell: Cell) -> bool:
        """Whether a cell was read."""
        return any(rows.expected.answered_by == cell.answered_by for rows in self._parts.get(cell.place, ()))
