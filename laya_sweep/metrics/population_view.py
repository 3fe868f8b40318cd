"""Some rows of a table as arrays of one population at a time, whatever the table is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags
from laya_sweep.metrics.cluster import Clusters

Rows = NDArray[np.intp] | slice


class PopulationView:
    """The rows `rows` of `columns` (None: all of them).

    Attributes:
        widest: the population that holds all others; the sources of its rows are those that are resampled.
    """

    widest: ClassVar[str]

    def __init__(self, columns: object, masks: Mapping[str, Flags], rows: Rows | None = None) -> None:
        self._columns = columns
        self._masks = masks
        self._slice = slice(None) if rows is None else rows
        self._found: dict[str, Rows] = {}
        self._arrays: dict[tuple[str, str], NDArray[Any]] = {}
        self._clusters: dict[str, Clusters] = {}

    @property
    def populations(self) -> tuple[str, ...]:
        """Names of the populations that these rows have."""
        return tuple(self._masks)

    def rows(self, population: str) -> Rows:
        """Which rows of the table are in the population: indices, or a slice when all of the view's are."""
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
        """A population with the very same rows, whose arrays will do; a kind of view that knows none keeps the name."""
        return population

    def column(self, name: str, population: str) -> NDArray[Any]:
        """The column `name` of the population's rows, in row order."""
        population = self.same(population)
        key = (name, population)
        if key not in self._arrays:
            self._arrays[key] = getattr(self._columns, name)[self.rows(population)]
        return self._arrays[key]

    def size(self, population: str) -> int:
        """How many rows the population has."""
        return len(self.column("source", population))

    def clusters(self, population: str) -> Clusters:
        """The sources of the population's rows."""
        population = self.same(population)
        if population not in self._clusters:
            self._clusters[population] = Clusters(self.column("source", population))
        return self._clusters[population]
