"""One slice of a result with everything that several metrics read from it, computed once.

Which decisions enter what (REQUIREMENTS D3) is written here and nowhere else, as named populations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags, Ints, NanPolicy
from laya_sweep.metrics.calibration import CalibrationBins
from laya_sweep.metrics.cluster import Clusters
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns
from laya_sweep.metrics.f1 import ClassCounts
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.narrowing import EMPTY_NARROWED, narrowing_masks
from laya_sweep.metrics.spread import GateSpreads, Spread
from laya_sweep.metrics.threshold import BucketCuts, Cut, ThresholdCounts, threshold_counts

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


class SliceView:
    """The decisions `rows` of `columns` (None: all of them), as arrays of one population at a time.

    Shared intermediate results (levels, bins, class counts, clusters) are kept, so that a dozen metrics cost
    one sort. `nan` is the policy of the confidence metrics, `cuts` the ascending levels of all thresholds that
    are one number; maps are counted one by one.
    """

    def __init__(
        self,
        columns: DecisionColumns,
        masks: Mapping[str, Flags],
        rows: Rows | None = None,
        nan: NanPolicy = "strict",
        cuts: tuple[int, ...] = (),
    ) -> None:
        self.columns = columns
        self.nan = nan
        self._cuts = cuts
        self._masks = masks
        self._slice = slice(None) if rows is None else rows
        self._found: dict[str, Rows] = {}
        self._alias: dict[str, str] = {}
        self._arrays: dict[tuple[str, str], NDArray[Any]] = {}
        self._clusters: dict[str, Clusters] = {}
        self._bins: dict[int, CalibrationBins] = {}
        self._right: dict[str, Spread] = {}
        self._from_map: dict[BucketCuts, ThresholdCounts] = {}

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

    def _same(self, population: str) -> str:
        """The widest population with the very same decisions: where all are choices, one set of arrays will
        do."""
        if population not in self._alias:
            found = population
            for wider in ("answered", "labelled"):
                if population in ("choice", "noul", "answered") and self.rows(wider) is self.rows(population):
                    found = wider
            self._alias[population] = found
        return self._alias[population]

    def column(self, name: str, population: str) -> NDArray[Any]:
        """The column `name` of the population's decisions, in row order."""
        population = self._same(population)
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
        population = self._same(population)
        key = ("correct", population)
        if key not in self._arrays:
            # 0 and 1 only in these populations, so the bytes may be read as booleans.
            self._arrays[key] = self.columns.correct[self.rows(population)].view(np.bool_)
        return self._arrays[key]

    def clusters(self, population: str) -> Clusters:
        """The sources of the population's decisions."""
        population = self._same(population)
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
            self._bins[count] = self._count_bins(count)
        return self._bins[count]

    def _count_bins(self, count: int) -> CalibrationBins:
        level = self.levels.level
        if len(level) and level[0] <= 1.0 and level[-1] >= 0.0:
            return CalibrationBins.of_levels(self.levels, count)
        return CalibrationBins.update(self.column("confidence", "answered"), self.correct("answered"), count, self.nan)

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
    def _from_cut(self) -> dict[int, ThresholdCounts]:
        return threshold_counts(self.column("level", "answered"), self.correct("answered"), self._cuts)

    def threshold(self, cut: Cut) -> ThresholdCounts:
        """Counts at one min_confidence."""
        if isinstance(cut, int):
            return self._from_cut[cut]
        if cut not in self._from_map:
            level, right = self.column("level", "answered"), self.correct("answered")
            self._from_map[cut] = ThresholdCounts.update(level, right, self._row_cuts(cut))
        return self._from_map[cut]

    def accepted(self, cut: Cut) -> Flags:
        """bool[n] over the answered decisions: which ones a threshold keeps."""
        least = cut if isinstance(cut, int) else self._row_cuts(cut)
        kept: Flags = self.column("level", "answered") >= least
        return kept

    def _row_cuts(self, cut: BucketCuts) -> Ints:
        return cut.of_rows(self.column("question_type", "answered"), self.column("n_options", "answered"))

    @cached_property
    def _spreads(self) -> GateSpreads:
        clusters = self.clusters("answered")
        if clusters.each_row_its_own:
            accepted = [self.threshold(cut).accepted for cut in self._cuts]
            return GateSpreads.of_single_rows(self.size("answered"), self._cuts, accepted)
        level, right = self.column("level", "answered"), self.correct("answered")
        return GateSpreads.of_clusters(level, right, clusters.code, clusters.codes, self._cuts)

    def right_spread(self, population: str) -> Spread:
        """Sources and effective number of a population's decisions, for the share that is right."""
        population = self._same(population)
        if population not in self._right:
            if self._cuts and population == self._same("answered"):
                self._right[population] = self._spreads.right
            else:
                self._right[population] = self.clusters(population).spread(self.correct(population))
        return self._right[population]

    def coverage_spread(self, cut: Cut) -> Spread:
        """Sources and effective number of the answered decisions, for the share that a threshold keeps."""
        if isinstance(cut, int):
            return self._spreads.coverage[cut]
        return self.clusters("answered").spread(self.accepted(cut))

    def precision_spread(self, cut: Cut) -> Spread:
        """The same of the kept decisions, for the share that is right."""
        if isinstance(cut, int):
            return self._spreads.precision[cut]
        kept = self.accepted(cut)
        return Clusters(self.column("source", "answered")[kept]).spread(self.correct("answered")[kept])
