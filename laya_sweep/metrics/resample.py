"""Metrics of bootstrap replicates for every slice, from one set of weights.

All slices share the weights of a replicate: an utterance that is drawn twice counts twice in every language.
So means over languages may be taken replicate by replicate, which is what makes macro intervals honest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.bootstrap import WeightChunk, weight_chunks
from laya_sweep.metrics.draws import Draws
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.replicate_classes import ClassReplicates
from laya_sweep.metrics.replicate_means import MeanReplicates
from laya_sweep.metrics.replicate_ranking import RankingReplicates
from laya_sweep.metrics.slice_view import SliceView
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

    def run(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        """Metric index -> its value in each replicate; `weights` is [replicates, sources]."""
        ...


class _Sources(NamedTuple):
    """The sources of one slice.

    Attributes:
        present: the columns of the weights that the slice needs; None for all of them.
        columns: how many those are.
        code: population -> the column of each of its decisions.
    """

    present: NDArray[np.intp] | None
    columns: int
    code: dict[str, NDArray[np.intp]]

    @classmethod
    def of(cls, view: SliceView, codes: SourceCodes) -> _Sources:
        code = {name: codes.of(view.column("source", name)) for name in view.populations}
        present = np.flatnonzero(np.bincount(code["labelled"], minlength=codes.count))
        if len(present) > codes.count // 2:
            return cls(None, codes.count, code)
        code = {name: np.searchsorted(present, values) for name, values in code.items()}
        return cls(present, len(present), code)


def _apply(parts: Sequence[Replicated], sources: _Sources, weights: NDArray[np.uint8]) -> dict[int, Floats]:
    """The replicates of `weights` [replicates, all sources], some rows at a time."""
    rows = max(1, _CELLS // weights.shape[1])
    found: dict[int, list[Floats]] = {}
    for start in range(0, len(weights), rows):
        some = weights[start : start + rows]
        own = some if sources.present is None else some[:, sources.present]
        for part in parts:
            for at, draws in part.run(own).items():
                found.setdefault(at, []).append(draws)
    return {at: np.concatenate(blocks) for at, blocks in found.items()}


class _Products(NamedTuple):
    """Replicates of one slice, and the excess of the figures that have one."""

    values: dict[int, Floats]
    excess: dict[int, float]


def _products(
    view: SliceView, metrics: Mapping[int, Metric], codes: SourceCodes, bins: int, chunk: WeightChunk
) -> _Products:
    """The metrics that are matrix products, which use all cores by themselves: one slice at a time."""
    sources = _Sources.of(view, codes)
    means = MeanReplicates(view, metrics, sources.code, sources.columns, bins)
    classes = ClassReplicates(view, metrics, sources.code, sources.columns)
    return _Products(_apply((means, classes), sources, chunk.weights), means.excess)


def _rankings(
    view: SliceView, metrics: Mapping[int, Metric], codes: SourceCodes, chunk: WeightChunk
) -> dict[int, Floats]:
    """The metrics that rank. These use one core, so that slices can share the machine."""
    sources = _Sources.of(view, codes)
    part = RankingReplicates(view, metrics, sources.code["answered"], sources.columns)
    return _apply((part,), sources, chunk.weights)


def _wanted(metrics: Sequence[Metric], measures: Sequence[Measure]) -> dict[int, Metric]:
    """The metrics of a slice that have a value and can be resampled."""
    return {
        at: metric
        for at, (metric, measure) in enumerate(zip(metrics, measures, strict=True))
        if measure.value is not None and metric.no_interval is None
    }


def resample(
    views: Sequence[SliceView],
    metrics: Sequence[Metric],
    measures: Sequence[Sequence[Measure]],
    *,
    replicates: int,
    seed: int,
    bins: int,
    threads: int | None = None,
) -> list[list[Draws | None]]:
    """The replicates of each metric of each slice; element [i][j] belongs to view i and metric j.

    `views[0]` must hold all decisions: its sources are the ones that are drawn. The result does not depend on
    `threads` (None: as many as there are cores), since slices share nothing but the weights, which are read
    only.
    """
    codes = SourceCodes(views[0].column("source", "labelled"))
    if not codes.count:
        return [[None] * len(metrics) for _ in views]
    wanted = [_wanted(metrics, own) for own in measures]
    tables = [_Table(replicates) for _ in views]
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for chunk in weight_chunks(codes.count, replicates, seed):
            for table, view, own in zip(tables, views, wanted, strict=True):
                found = _products(view, own, codes, bins, chunk)
                table.put(found.values, chunk.start)
                table.excess.update(found.excess)
            jobs = [pool.submit(_rankings, *pair, codes, chunk) for pair in zip(views, wanted, strict=True)]
            for table, job in zip(tables, jobs, strict=True):
                table.put(job.result(), chunk.start)
    return [[table.draws(at, metric) for at, metric in enumerate(metrics)] for table in tables]


class _Table:
    """The replicates of one slice, filled chunk by chunk."""

    def __init__(self, replicates: int) -> None:
        self._replicates = replicates
        self._values: dict[int, Floats] = {}
        self.excess: dict[int, float] = {}

    def put(self, found: Mapping[int, Floats], start: int) -> None:
        for at, values in found.items():
            column = self._values.setdefault(at, np.full(self._replicates, np.nan))
            column[start : start + len(values)] = values

    def draws(self, at: int, metric: Metric) -> Draws | None:
        if at not in self._values:
            return None
        return Draws(self._values[at], self.excess.get(at, 0.0), metric.recentre)
