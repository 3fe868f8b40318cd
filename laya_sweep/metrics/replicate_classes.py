"""Replicates of macro-F1 and of the majority baselines: products of weights with class counts by source.

The counts of a class (gold, predicted, both) in a replicate are integers that float32 adds exactly up to
2^24, so the products run in single precision. Classes go in blocks, so that memory does not grow with their
number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Floats
from laya_sweep.metrics.f1 import number_classes
from laya_sweep.metrics.metric import ViewMetric
from laya_sweep.metrics.slice_view import SliceView

_EXACT_IN_FLOAT32 = 2**23
_CLASSES = 64

_COLUMNS = {
    "macro_f1": ("choice", "label"),
    "macro_f1_slot": ("choice", "index"),
    "majority_baseline": ("choice", "label"),
    "noul_majority_baseline": ("noul", "index"),
}


class _ClassTable:
    """Gold and predicted classes of one population, numbered from 0, with the source of each row."""

    def __init__(self, view: SliceView, code: NDArray[np.integer], population: str, kind: str) -> None:
        gold, predicted = (view.column(f"{side}_{kind}", population) for side in ("gold", "pred"))
        classes = number_classes(gold, predicted)
        self.count, self.gold, self.predicted = len(classes.codes), classes.gold, classes.predicted
        self.code = code.astype(np.int64)
        self.dtype: type[Any] = np.float32 if len(gold) < _EXACT_IN_FLOAT32 else np.float64

    def block(self, start: int, n_sources: int) -> NDArray[Any]:
        """[n_sources, 3 width]: rows with that gold, that prediction, both, by source, of classes from
        `start`."""
        width = min(_CLASSES, self.count - start)
        matrix = np.empty((n_sources, 3, width), dtype=self.dtype)
        right = self.gold == self.predicted
        columns = (self.gold, self.code), (self.predicted, self.code), (self.gold[right], self.code[right])
        for at, (classes, code) in enumerate(columns):
            if self.count > _CLASSES:
                inside = (classes >= start) & (classes < start + width)
                classes, code = classes[inside], code[inside]
            cells = np.bincount(code * width + (classes - start), minlength=n_sources * width)
            matrix[:, at] = cells.reshape(n_sources, width)
        return matrix.reshape(n_sources, 3 * width)


class ClassReplicates:
    """The class metrics among `metrics` (index in the catalogue -> metric) of one slice.

    Args:
        code: population -> source code in 0 .. n_sources - 1 of each of its decisions.
    """

    def __init__(
        self,
        view: SliceView,
        metrics: Mapping[int, ViewMetric[SliceView]],
        code: Mapping[str, NDArray[np.integer]],
        n_sources: int,
    ) -> None:
        self.excess: dict[int, float] = {}
        self._wanted: dict[tuple[str, str], dict[str, int]] = {}
        for at, metric in metrics.items():
            if metric.family == "classes":
                self._wanted.setdefault(_COLUMNS[metric.name], {})[metric.name] = at
        self._matrices = {}
        for population, kind in self._wanted:
            table = _ClassTable(view, code[population], population, kind)
            starts = range(0, table.count, _CLASSES)
            self._matrices[population, kind] = [table.block(start, n_sources) for start in starts]

    def run(self, weights: NDArray[np.uint8]) -> dict[int, Floats]:
        """Metric index -> its value in each replicate; `weights` is [replicates, sources]."""
        draws: dict[int, Floats] = {}
        for key, wanted in self._wanted.items():
            f1, majority = _scores(weights, self._matrices[key])
            for name, at in wanted.items():
                draws[at] = f1 if name.startswith("macro_f1") else majority
        return draws


def _scores(weights: NDArray[np.uint8], matrices: list[NDArray[Any]]) -> tuple[Floats, Floats]:
    """Macro-F1 and majority share of each replicate."""
    total, present, n, largest = (np.zeros(len(weights)) for _ in range(4))
    drawn = weights.astype(matrices[0].dtype)
    for matrix in matrices:
        gold, predicted, both = np.split((drawn @ matrix).astype(np.float64), 3, axis=1)
        size = gold + predicted
        total += np.divide(2 * both, size, out=np.zeros_like(size), where=size > 0).sum(axis=1)
        present += (size > 0).sum(axis=1)
        n += gold.sum(axis=1)
        largest = np.maximum(largest, gold.max(axis=1))
    with np.errstate(invalid="ignore"):
        return total / present, largest / n
