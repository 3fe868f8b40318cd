"""The declaration of a metric: what it is over, how it is computed, and which interval it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.metrics.arrays import Flags, Floats
from laya_sweep.metrics.nature import Nature
from laya_sweep.metrics.population_view import PopulationView
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION
from laya_sweep.metrics.source_means import SourceSums, sums_by_source
from laya_sweep.metrics.spread import Spread
from laya_sweep.metrics.value import Measure

Family: TypeAlias = Literal["ranking", "classes"]
V = TypeVar("V", bound=PopulationView)


@dataclass(frozen=True, slots=True)
class Metric(Nature):
    """What a figure is, whoever computes it.

    Attributes:
        unit: what it is over, in the words of the reasons: "one decision", "no independent pairs".
        proportion: whether it is a share of its units, which has Wilson's interval.
        no_interval: why it has none, be the sample as large as it may.
        none_of_any: whether `no_interval` is said of a single source too, and not that there is but one.
        recentre: as in `draws.Draws`.
        min_confidence: the threshold that it is at.
    """

    name: str
    _: KW_ONLY
    unit: str = "decision"
    proportion: bool = False
    no_interval: str | None = None
    none_of_any: bool = False
    recentre: int = 0
    min_confidence: MinConfidence = None

    @property
    def definition(self) -> int:
        """Of the coverage cut that the figure follows; 1 where there is none."""
        return COVERAGE_METRIC_DEFINITION if self.cuts else 1


@dataclass(frozen=True)
class Ratio(Generic[V]):
    """What a replicate of a figure is the ratio of: sums over sources, and the rows behind them.

    Attributes:
        population: whose rows count.
        kept: view -> bool[n], where only some of them do.
    """

    population: str
    _: KW_ONLY
    kept: Callable[[V], Flags] | None = None

    def by_source(self, view: V, code: NDArray[np.integer], n_sources: int) -> SourceSums:
        """The sums; `code` is the source in 0 .. n_sources - 1 of each row that counts."""
        raise NotImplementedError


@dataclass(frozen=True)
class Mean(Ratio[V]):
    """The mean of one term a row; `terms`: view -> bool[n] or float64[n] over the population."""

    terms: Callable[[V], Floats | Flags]

    def values(self, view: V) -> Floats | Flags:
        """The terms of the rows that count."""
        terms = self.terms(view)
        return terms if self.kept is None else terms[self.kept(view)]

    def by_source(self, view: V, code: NDArray[np.integer], n_sources: int) -> SourceSums:
        terms = self.values(view).astype(np.float64, copy=False)
        return SourceSums(sums_by_source(code, terms, n_sources))


@dataclass(frozen=True)
class ViewMetric(Metric, Generic[V]):
    """A metric of the rows of a view.

    Attributes:
        population: who enters it.
        measure: its value.
        ratio: what it is resampled by, where that is a ratio of sums over sources.
        family: or else which replicates it belongs to; with neither, nothing is resampled.
        spread: replaces the sources of the population where only a part of it counts.
    """

    population: str
    measure: Callable[[V], Measure]
    ratio: Ratio[V] | None = None
    family: Family | None = None
    spread: Callable[[V], Spread] | None = None

    def n_clusters(self, view: V) -> int:
        """Distinct sources among the rows that enter the metric."""
        if self.spread is not None:
            return self.spread(view).n_clusters
        return view.clusters(self.population).count

    def trials(self, view: V) -> float:
        """The effective number of independent rows of a proportion."""
        if self.spread is not None:
            return self.spread(view).effective_n
        assert isinstance(self.ratio, Mean)
        return view.clusters(self.population).spread(self.ratio.values(view).astype(np.bool_)).effective_n
