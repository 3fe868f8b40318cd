"""The declaration of a metric of decisions: who enters it, how it is computed and how it is resampled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.metrics.arrays import Flags, Floats
from laya_sweep.metrics.nature import Nature
from laya_sweep.metrics.selective import (
    COVERAGE_METRIC_DEFINITION,
)
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.spread import Spread
from laya_sweep.metrics.threshold import Cut
from laya_sweep.metrics.value import Measure

Family: TypeAlias = Literal["ece", "ranking", "classes"]
Terms: TypeAlias = Callable[[SliceView], Floats | Flags]


@dataclass(frozen=True, slots=True)
class Mean:
    """A metric that is the mean of one term a decision.

    Attributes:
        population: whose decisions.
        terms: slice -> bool[n] or float64[n].
        cut: with one, only the decisions that this threshold keeps.
    """

    population: str
    terms: Terms
    cut: Cut | None = None

    def values(self, view: SliceView) -> Floats | Flags:
        """The terms of the decisions that count."""
        terms = self.terms(view)
        return terms if self.cut is None else terms[view.accepted(self.cut)]


@dataclass(frozen=True, slots=True)
class Metric(Nature):
    """One metric; see the module's docstring.

    `recentre` is as in `draws.Draws`; `spread`
    replaces the sources of the population where only a part of it counts.
    """

    name: str
    population: str
    measure: Callable[[SliceView], Measure]
    mean: Mean | None = None
    family: Family | None = None
    min_confidence: MinConfidence = None
    no_interval: str | None = None
    proportion: bool = False
    recentre: int = 0
    spread: Callable[[SliceView], Spread] | None = None

    @property
    def definition(self) -> int:
        """Of the coverage cut that the figure follows; 1 where there is none."""
        return COVERAGE_METRIC_DEFINITION if self.cuts else 1

    def n_clusters(self, view: SliceView) -> int:
        """Distinct sources among the decisions that enter the metric."""
        if self.spread is not None:
            return self.spread(view).n_clusters
        return view.clusters(self.population).count

    def trials(self, view: SliceView) -> float:
        """The effective number of independent decisions of a proportion."""
        if self.spread is not None:
            return self.spread(view).effective_n
        assert self.mean is not None
        return view.clusters(self.population).spread(self.mean.values(view).astype(np.bool_)).effective_n
