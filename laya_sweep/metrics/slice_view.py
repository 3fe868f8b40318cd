"""One slice of a result with everything that several metrics read from it, computed once.

Which decisions enter what (REQUIREMENTS D3) is written here and nowhere else, as named populations.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, NanPolicy
from laya_sweep.metrics.calibration import CalibrationBins
from laya_sweep.metrics.cluster import Clusters
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns
from laya_sweep.metrics.curve import CurveCounts
from laya_sweep.metrics.f1 import ClassCounts
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.threshold import ThresholdCounts

EMPTY: Final = {
    "choice": "no labelled choice answers",
    "noul": "no labelled noul answers",
    "answered": "no labelled choice or noul answers",
    "score": "no labelled score answers",
    "labelled": "no labelled answers",
}
"""The populations, and what a metric says that finds nobody in one.

choice, noul: labelled answers of that type. answered: both together, whatever can be right or wrong.
score: score answers with a gold score. labelled: all of these.
"""

Rows = NDArray[np.intp] | slice


def population_masks(columns: DecisionColumns) -> dict[str, Flags]:
    """population -> bool[n] over all decisions of the result; element i tells whether decision i is in it."""
    kind = columns.question_type
    answered = columns.correct >= 0
    # A labelled score answer whose logits were NaN has a NaN error too: its gold slot still gives it away.
    score = (kind == SCORE) & (~np.isnan(columns.score_error) | (columns.gold_index >= 0))
    return {
        "choice": answered & (kind == CHOICE),
        "noul": answered & (kind == NOUL),
        "answered": answered,
        "score": score,
        "labelled": answered | score,
    }


class SliceView:
    """The decisions `rows` of `columns` (None: all of them), as arrays of one population at a time.

    Shared intermediate results (levels, bins, class counts, clusters) are kept, so that a dozen metrics cost
    one sort. `nan` is the policy of the confidence metrics.
    """

    def __init__(
        self,
        columns: DecisionColumns,
        masks: dict[str, Flags],
        rows: NDArray[np.intp] | None = None,
        nan: NanPolicy = "strict",
    ) -> None:
        self.columns = columns
        self.nan = nan
        self._masks = masks
        self._rows = rows
        self._found: dict[str, Rows] = {}
        self._arrays: dict[tuple[str, str], NDArray[Any]] = {}
        self._clusters: dict[str | int, Clusters] = {}
        self._bins: dict[int, CalibrationBins] = {}

    def rows(self, population: str) -> Rows:
        """Which rows of `columns` are in the population: indices, or a full slice when all are."""
        if population not in self._found:
            mask = self._masks[population]
            if self._rows is None:
                self._found[population] = slice(None) if mask.all() else np.flatnonzero(mask)
            else:
                inside = mask[self._rows]
                self._found[population] = self._rows if inside.all() else self._rows[inside]
        return self._found[population]

    def column(self, name: str, population: str) -> NDArray[Any]:
        """The column `name` of the population's decisions, in row order."""
        key = (name, population)
        if key not in self._arrays:
            self._arrays[key] = getattr(self.columns, name)[self.rows(population)]
        return self._arrays[key]

    def size(self, population: str) -> int:
        """How many decisions the population has."""
        return len(self.column("source", population))

    def correct(self, population: str) -> Flags:
        """bool[n]: which answers of the population are right."""
        key = ("correct", population)
        if key not in self._arrays:
            # 0 and 1 only in these populations, so the bytes may be read as booleans.
            self._arrays[key] = self.columns.correct[self.rows(population)].view(np.bool_)
        return self._arrays[key]

    def clusters(self, population: str) -> Clusters:
        """The sources of the population's decisions."""
        if population not in self._clusters:
            self._clusters[population] = Clusters(self.column("source", population))
        return self._clusters[population]

    @cached_property
    def levels(self) -> LevelCounts:
        """Counts at each distinct unrounded confidence of the answered decisions."""
        return LevelCounts.update(self.column("confidence", "answered"), self.correct("answered"))

    def bins(self, count: int) -> CalibrationBins:
        """Calibration bins of the answered decisions."""
        if count not in self._bins:
            confidence, right = self.column("confidence", "answered"), self.correct("answered")
            self._bins[count] = CalibrationBins.update(confidence, right, count, self.nan)
        return self._bins[count]

    @cached_property
    def labels(self) -> ClassCounts:
        """Counts by label text of the choice answers."""
        return ClassCounts.update(self.column("gold_label", "choice"), self.column("pred_label", "choice"))

    @cached_property
    def slots(self) -> ClassCounts:
        """Counts by slot of the choice answers."""
        return ClassCounts.update(self.column("gold_index", "choice"), self.column("pred_index", "choice"))

    @cached_property
    def sides(self) -> ClassCounts:
        """Counts by side of the noul answers."""
        return ClassCounts.update(self.column("gold_index", "noul"), self.column("pred_index", "noul"))

    @cached_property
    def curve(self) -> CurveCounts:
        """Counts at each 4-decimal level of the answered decisions."""
        return CurveCounts.update(self.column("level", "answered"), self.correct("answered").view(np.int8))

    def threshold(self, cut: int) -> ThresholdCounts:
        """Counts at one min_confidence, read off the curve's counts."""
        rows, hits = self.curve.rows, self.curve.hits
        n = int(rows.sum()) + self.curve.not_finite
        return ThresholdCounts(n, int(rows[cut:].sum()), int(hits[cut:].sum()), self.curve.not_finite)

    def accepted(self, cut: int) -> Flags:
        """bool[n] over the answered decisions: which ones a threshold keeps."""
        kept: Flags = self.column("level", "answered") >= cut
        return kept

    def accepted_clusters(self, cut: int) -> Clusters:
        """The sources of the answered decisions that a threshold keeps."""
        if cut not in self._clusters:
            self._clusters[cut] = Clusters(self.column("source", "answered")[self.accepted(cut)])
        return self._clusters[cut]
