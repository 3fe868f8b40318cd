"""Pairs of answers as columns, and one slice of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, same_length
from laya_sweep.metrics.columns import SliceColumn
from laya_sweep.metrics.population_view import PopulationView, Rows
from laya_sweep.metrics.robustness import PairFigures


@dataclass(frozen=True)
class PairColumns:
    """Pairs as columns of one length n.

    Attributes:
        figures: what changed in each pair.
        right_before, right_after: int8[n]; 1 right, 0 wrong, -1 where nothing can be right or wrong.
        source: int32[n]; cluster code of the source_id.
        slices: dimension -> which slice each pair belongs to.
    """

    figures: PairFigures
    right_before: NDArray[np.int8]
    right_after: NDArray[np.int8]
    source: NDArray[np.int32]
    slices: Mapping[str, SliceColumn]

    def __post_init__(self) -> None:
        same_length(
            figures=self.figures, right_before=self.right_before, right_after=self.right_after, source=self.source
        )

    def masks(self) -> dict[str, Flags]:
        """population -> bool[n]: all pairs, and those whose answers can be right or wrong."""
        every = np.ones(len(self.source), dtype=np.bool_)
        return {"pairs": every, "labelled": (self.right_before >= 0) & (self.right_after >= 0)}


class PairView(PopulationView):
    """The pairs of a slice; the masks are those of the columns."""

    widest: ClassVar[str] = "pairs"

    def __init__(self, columns: PairColumns, masks: Mapping[str, Flags], rows: Rows | None = None) -> None:
        super().__init__(columns, masks, rows)
        self._pairs = columns

    @cached_property
    def figures(self) -> PairFigures:
        """What changed in each pair of the slice."""
        return self._pairs.figures.take(self.rows("pairs"))
