"""Metrics of bootstrap replicates for every slice, from one set of weights.

All slices share the weights of a replicate: an utterance that is drawn twice counts twice in every language.
So means over languages may be taken replicate by replicate, which is what makes macro intervals honest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.bootstrap import WeightChunk, weight_chunks
from laya_sweep.metrics.draws import Draws
from laya_sweep.metrics.metric import V, ViewMetric
from laya_sweep.metrics.population_view import PopulationView
from laya_sweep.metrics.value import Measure

_CELLS = 2**22
"""Weights that are worked on at a time; bounds the memory of one thread to some 64 MiB. Not fewer: where
other programs keep the cores busy, each call of a multi-threaded matrix product may wait for its turn."""


class SourceCodes:
    """Sources numbered from 0 in ascending order of their code, so that row order cannot move a weight.

    >>> codes = SourceCodes(np.array([40, 7, 40]))
    >>> codes.count, codes.of(np.array([40, 7]))
    (2, array([1, 0]))
    """

    def __init__(self, source: NDArray[np.integer]) -> None:
        self._known = np.unique(source)
        self.count = len(self._known)

    def of(self, source: NDArray[np.integer]) -> NDArray[np.intp]:
        """The number of each source."""
        dense = self.count and int(self._known[-1]) == self.count - 1
        return source.astype(np.intp) if dense else np.searchsorted(self._known, source)


class Replicated(Protocol):
    """Some metrics of one slice, prepared so that any weights can be applied to them."""

    excess: dict[int, float]
    """Metric index -> as in `draws.Draws`, of the figures that have one."""

    def run(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        """Metric index -> its value in each replicate; `weights` is [replicates, sources]."""
        ...


#: View, metrics by index, population -> source of each row, and how many sources -> the replicates of one slice.
Prepare: TypeAlias = Callable[[V, Mapping[int, ViewMetric[V]], Mapping[str, NDArray[np.intp]], int], Replicated]


class Scheme(NamedTuple, Generic[V]):
    """How the metrics of one kind of view are resampled.

    Attributes:
        products: those that are matrix products, which use all cores by themselves: one slice at a time.
        rankings: those that rank. These use one core, so that slices can share the machine.
        whole: whether a product takes a chunk of weights as it comes. Otherwise it takes the sources of the slice
            alone, some replicates at a time, which takes less memory; the last bits of a product differ.
    """

    products: tuple[Prepare[V], ...]
    rankings: tuple[Prepare[V], ...] = ()
    whole: bool = False


class _Sources(NamedTuple):
    """The sources of one slice.

    Attributes:
        present: the columns of the weights that the slice needs; None for all of them.
        columns: how many those are.
        code: population -> the column of each of its rows.
    """

    present: NDArray[np.intp] | None
    columns: int
    code: dict[str, NDArray[np.intp]]

    @classmethod
    def of(cls, view: PopulationView, codes: SourceCodes, whole: bool) -> _Sources:
        code = {name: codes.of(view.column("source", name)) for name in view.populations}
        present = np.flatnonzero(np.bincount(code[view.widest], minlength=codes.count))
        if whole or len(present) > codes.count // 2:
            return cls(None, codes.count, code)
        code = {name: np.searchsorted(present, values) for name, values in code.items()}
        return cls(present, len(present), code)


class _Found(NamedTuple):
    """Replicates of one slice, and the excess of the figures that have one."""

    values: dict[int, Floats]
    excess: dict[int, float]


def _replicates(
    prepare: Sequence[Prepare[V]],
    view: V,
    metrics: Mapping[int, ViewMetric[V]],
    codes: SourceCodes,
    chunk: WeightChunk,
    whole: bool,
) -> _Found:
    """The replicates of a chunk of weights [replicates, all sources], some rows at a time unless `whole`."""
    sources, weights = _Sources.of(view, codes, whole), chunk.weights
    parts = [prepared(view, metrics, sources.code, sources.columns) for prepared in prepare]
    rows = len(weights) if whole else max(1, _CELLS // weights.shape[1])
    blocks: dict[int, list[Floats]] = {}
    for start in range(0, len(weights), rows):
        some = weights[start : start + rows]
        own = some if sources.present is None else some[:, sources.present]
        for part in parts:
            for at, draws in part.run(own).items():
                blocks.setdefault(at, []).append(draws)
    values = {at: np.concatenate(found) for at, found in blocks.items()}
    return _Found(values, {at: excess for part in parts for at, excess in part.excess.items()})


def resample(
    views: Sequence[V],
    metrics: Sequence[ViewMetric[V]],
    measures: Sequence[Sequence[Measure]],
    scheme: Scheme[V],
    *,
    replicates: int,
    seed: int,
    threads: int | None = None,
) -> list[list[Draws | None]]:
    """The replicates of each metric of each slice that has a value; element [i][j] belongs to view i and metric j.

    `views[0]` must hold all rows: its sources are the ones that are drawn. The result does not depend on `threads`
    (None: as many as there are cores), since slices share nothing but the weights, which are read only.
    """
    codes = SourceCodes(views[0].column("source", views[0].widest))
    if not codes.count:
        return [[None] * len(metrics) for _ in views]
    wanted = [
        {
            at: metric
            for at, (metric, measure) in enumerate(zip(metrics, own, strict=True))
            if measure.value is not None and metric.no_interval is None
        }
        for own in measures
    ]
    tables = [_Table(replicates) for _ in views]
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for chunk in weight_chunks(codes.count, replicates, seed):
            for table, view, own in zip(tables, views, wanted, strict=True):
                table.put(_replicates(scheme.products, view, own, codes, chunk, scheme.whole), chunk.start)
            jobs = [
                pool.submit(_replicates, scheme.rankings, view, own, codes, chunk, scheme.whole)
                for view, own in zip(views, wanted, strict=True)
                if scheme.rankings
            ]
            for table, job in zip(tables, jobs, strict=bool(scheme.rankings)):
                table.put(job.result(), chunk.start)
    return [[table.draws(at, metric) for at, metric in enumerate(metrics)] for table in tables]


class _Table:
    """The replicates of one slice, filled chunk by chunk."""

    def __init__(self, replicates: int) -> None:
        self._replicates = replicates
        self._values: dict[int, Floats] = {}
        self._excess: dict[int, float] = {}

    def put(self, found: _Found, start: int) -> None:
        self._excess |= found.excess
        for at, values in found.values.items():
            column = self._values.setdefault(at, np.full(self._replicates, np.nan))
            column[start : start + len(values)] = values

    def draws(self, at: int, metric: ViewMetric[V]) -> Draws | None:
        if at not in self._values:
            return None
        return Draws(self._values[at], self._excess.get(at, 0.0), metric.recentre)
