"""Which decisions of a result enter what: named populations, written here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags
from laya_sweep.metrics.cluster import Clusters
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns
from laya_sweep.metrics.narrowing import EMPTY_NARROWED, narrowing_masks

EMPTY: Final = {
    "choice": "no labelled choice answers",
    "noul": "no labelled noul answers",
    "answered": "no labelled choice or noul answers",
    "score": "no labelled score answers",
    "labelled": "no labelled answers",
    **EMPTY_NARROWED,
}
"""The populations, and what a metric says that finds nobody in one.

choice, noul: labelled answers of that type. answered: both together, whatever can be right or wrong.
score: score answers with a gold score. labelled: all of these. The rest are of `narrowing`.
"""

Rows = NDArray[np.intp] | slice


def population_masks(columns: DecisionColumns) -> dict[str, Flags]:
    """population -> bool[n] over all decisions of the result; element i tells whether decision i is in it."""
    kind = columns.question_type
    answered = columns.correct >= 0
    score = kind == SCORE
    if score.any():
        # Where logits were NaN the error is NaN too, but the gold slot still tells that there is a label.
        score &= ~np.isnan(columns.score_error) | (columns.gold_index >= 0)
    return {
        "choice": answered & (kind == CHOICE),
        "noul": answered & (kind == NOUL),
        "answered": answered,
        "score": score,
        "labelled": answered | score,
        **narrowing_masks(columns.flags),
    }


class PopulationView:
    """The decisions `rows` of `columns` (None: all of them), as arrays of one population at a time."""

    def __init__(self, columns: DecisionColumns, masks: Mapping[str, Flags], rows: Rows | None = None) -> None:
        self.columns = columns
        self._masks = masks
        self._slice = slice(None) if rows is None else rows
        self._found: dict[str, Rows] = {}
        self._alias: dict[str, str] = {}
        self._arrays: dict[tuple[str, str], NDArray[Any]] = {}
        self._clusters: dict[str, Clusters] = {}

    @property
    def populations(self) -> tuple[str, ...]:
        """Names of the populations that these decisions have."""
        return tuple(self._masks)

    def rows(self, population: str) -> Rows:
        """Which rows of `columns` are in the population: indices, or a slice when all of the slice's are."""
        if population not in self._found:
            inside = self._masks[population][self._slice]
            if inside.all():
                self._found[population] = self._slice
            elif isinstance(self._slice, slice):
                self._found[population] = np.flatnonzero(inside) + (self._slice.start or 0)
            else:
                self._found[population] = self._slice[inside]
        return self._found[population]

    def same(self, population: str) -> str:
        """The widest population with the very same decisions: where all are choices, one set of arrays will do."""
        if population not in self._alias:
            found = population
            for wider in ("answered", "labelled"):
                if population in ("choice", "noul", "answered") and self.rows(wider) is self.rows(population):
                    found = wider
            self._alias[population] = found
        return self._alias[population]

    def column(self, name: str, population: str) -> NDArray[Any]:
        """The column `name` of the population's decisions, in row order."""
        population = self.same(population)
        key = (name, population)
        if key not in self._arrays:
            self._arrays[key] = getattr(self.columns, name)[self.rows(population)]
        return self._arrays[key]

    def flag(self, name: str, population: str) -> Flags:
        """bool[n]: of which decisions of the population a flag is 1."""
        raised: Flags = self.columns.flags[name][self.rows(population)] == 1
        return raised

    def size(self, population: str) -> int:
        """How many decisions the population has."""
        return len(self.column("source", population))

    def correct(self, population: str) -> Flags:
        """bool[n]: which answers of the population are right."""
        population = self.same(population)
        key = ("correct", population)
        if key not in self._arrays:
            # 0 and 1 only in these populations, so the bytes may be read as booleans.
            self._arrays[key] = self.columns.correct[self.rows(population)].view(np.bool_)
        return self._arrays[key]

    def clusters(self, population: str) -> Clusters:
        """The sources of the population's decisions."""
        population = self.same(population)
        if population not in self._clusters:
            self._clusters[population] = Clusters(self.column("source", population))
        return self._clusters[population]
