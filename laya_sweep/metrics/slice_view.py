"""One slice of a result's decisions with everything that several metrics read from it, computed once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from laya_sweep.metrics.arrays import Flags, Ints, NanPolicy
from laya_sweep.metrics.calibration import CalibrationBins
from laya_sweep.metrics.cluster import Clusters
from laya_sweep.metrics.columns import DecisionColumns
from laya_sweep.metrics.f1 import ClassCounts
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.population_view import PopulationView, Rows
from laya_sweep.metrics.spread import GateSpreads, Spread
from laya_sweep.metrics.threshold import BucketCuts, Cut, ThresholdCounts, threshold_counts


class SliceView(PopulationView):
    """The decisions of a slice with levels, bins, class counts and what thresholds keep of them.

    Shared intermediate results are kept, so that a dozen metrics cost one sort. `nan` is the policy of the confidence
    metrics, `cuts` the ascending levels of all thresholds that are one number; maps are counted one by one. The masks
    are those of `populations`.
    """

    widest: ClassVar[str] = "labelled"

    def __init__(
        self,
        columns: DecisionColumns,
        masks: Mapping[str, Flags],
        rows: Rows | None = None,
        nan: NanPolicy = "strict",
        cuts: tuple[int, ...] = (),
    ) -> None:
        super().__init__(columns, masks, rows)
        self.nan = nan
        self._decisions = columns
        self._cuts = cuts
        self._alias: dict[str, str] = {}
        self._bins: dict[int, CalibrationBins] = {}
        self._right: dict[str, Spread] = {}
        self._from_map: dict[BucketCuts, ThresholdCounts] = {}

    def same(self, population: str) -> str:
        """The widest population with the very same decisions: where all are choices, one set of arrays will do."""
        if population not in self._alias:
            found = population
            for wider in ("answered", "labelled"):
                if population in ("choice", "noul", "answered") and self.rows(wider) is self.rows(population):
                    found = wider
            self._alias[population] = found
        return self._alias[population]

    def flag(self, name: str, population: str) -> Flags:
        """bool[n]: of which decisions of the population a flag is 1."""
        raised: Flags = self._decisions.flags[name][self.rows(population)] == 1
        return raised

    def correct(self, population: str) -> Flags:
        """bool[n]: which answers of the population are right."""
        # 0 and 1 only in these populations, so the bytes may be read as booleans.
        right: Flags = self.column("correct", population).view(np.bool_)
        return right

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
        population = self.same(population)
        if population not in self._right:
            if self._cuts and population == self.same("answered"):
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
