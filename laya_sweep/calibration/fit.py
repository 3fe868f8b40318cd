"""Fitting temperatures: the T that makes the gold answers most likely, sum of -log softmax(z / T)[gold] least.

In b = 1/T this sum is convex, its slope is E_p[z] - z_gold summed over rows and never falls, so its zero is found by
bisection, in float64 and without any randomness. Rows of different option counts are summed each over its own options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.bucket import BUCKETS, option_bucket
from laya_sweep.domain.calibration_map import CalibrationMap, Temperatures, clamped
from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.scoring.rounding import read_exactly

#: Temperatures that are looked at; an optimum beyond them is the range's end.
_RANGE: Final = (1e-3, 1e3)
_STEPS: Final = 80


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A labelled answer.

    Attributes:
        language, source_id, input_sha256: of its case.
        question_type, n_options: of its question.
        logits: float32[k], canonical order.
        presented_order: canonical index of the option in each marker slot.
        target: float64[k], sums to 1; one option, or for a score between levels the two around it.
        gold_index: the right option, None for a score between levels.
    """

    language: str
    source_id: str
    input_sha256: str
    question_type: str
    n_options: int
    logits: NDArray[np.float32]
    presented_order: tuple[int, ...]
    target: NDArray[np.float64]
    gold_index: int | None

    @property
    def bucket(self) -> str:
        """The runtime's bucket of the question."""
        return option_bucket(self.question_type, self.n_options)


@dataclass(frozen=True, slots=True)
class Floors:
    """The fewest rows for a temperature of a bucket or of a type, and for the bins of a bucket."""

    bucket: int = 200
    type: int = 50
    binning: int = 200


@dataclass(frozen=True, slots=True)
class TemperatureFit:
    """A fitted temperature: of how many rows, the optimum, and what is applied of it."""

    n: int
    fitted: float
    applied: float

    def document(self) -> dict[str, Any]:
        """As a map keeps it; `clamped` tells that the rows asked for a temperature outside the runtime's range."""
        return {"n": self.n, "fitted": self.fitted, "applied": self.applied, "clamped": self.fitted != self.applied}


@dataclass(frozen=True, slots=True)
class FittedMap:
    """A map, the fits behind it by type and bucket, and the rows of each bucket, fitted or not."""

    calibration: CalibrationMap
    fits: Mapping[str, TemperatureFit]
    rows: Mapping[str, int]


def fit_temperature(rows: Sequence[LabelledRow]) -> TemperatureFit:
    """The temperature of at least one row; 1.0 where no temperature changes anything (all logits equal)."""
    groups = _by_width(rows)
    low, high = np.log(_RANGE[0]), np.log(_RANGE[1])
    if not any(np.ptp(logits, axis=1).any() for logits, _ in groups):
        return TemperatureFit(len(rows), 1.0, 1.0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        # Too hot: the likelihood still grows with 1/T.
        low, high = (low, middle) if _slope(groups, float(np.exp(-middle))) < 0 else (middle, high)
    fitted = float(np.exp((low + high) / 2))
    return TemperatureFit(len(rows), fitted, clamped(fitted))


def fit_map(
    rows: Sequence[LabelledRow], served: Mapping[str, float], floors: Floors, bins: int | None = None
) -> FittedMap:
    """A map of temperatures, with a binning map on top where `bins` is given.

    A bucket with too few rows takes its type's temperature, and a type with too few keeps what the checkpoint serves,
    bucket by bucket: a map must not change what it knows nothing of.

    Args:
        rows: to fit on.
        served: bucket -> the checkpoint's temperature, as applied.
        floors: the fewest rows.
        bins: bins of [0, 1] of equal width, for buckets with enough rows.
    """
    fits: dict[str, TemperatureFit] = {}
    by_type = [1.0] * len(QUESTION_TYPES)
    by_bucket: dict[str, float] = {}
    for i, kind in enumerate(QUESTION_TYPES):
        own = [row for row in rows if row.question_type == kind]
        if len(own) < floors.type:
            by_bucket |= {bucket: served[bucket] for bucket in served if bucket.startswith(f"{kind}:")}
            continue
        fits[kind] = fit_temperature(own)
        by_type[i] = fits[kind].applied
    counts = {bucket: sum(row.bucket == bucket for row in rows) for bucket in BUCKETS}
    for bucket, count in counts.items():
        if count >= floors.bucket and bucket.partition(":")[0] in fits:
            fits[bucket] = fit_temperature([row for row in rows if row.bucket == bucket])
            by_bucket[bucket] = fits[bucket].applied
    choice, score, noul = by_type
    temperatures = Temperatures(
        (choice, score, noul), tuple((key, by_bucket[key]) for key in BUCKETS if key in by_bucket)
    )
    binning = () if bins is None else _binning(rows, temperatures, bins, floors.binning)
    return FittedMap(CalibrationMap(temperatures, binning), fits, {key: n for key, n in counts.items() if n})


def mean_nll(rows: Sequence[LabelledRow], temperature: float) -> float:
    """Mean -log probability of the gold answers, in nats."""
    total = 0.0
    for logits, target in _by_width(rows):
        scaled = logits / temperature
        top = scaled.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(scaled - top).sum(axis=1, keepdims=True)) + top
        total += float((target * (log_sum - scaled)).sum())
    return total / len(rows)


def _slope(groups: Iterable[tuple[NDArray[np.float64], NDArray[np.float64]]], inverse: float) -> float:
    """The slope of the summed loss in 1/T."""
    total = 0.0
    for logits, target in groups:
        scaled = logits * inverse
        p = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        total += float(((p - target) * logits).sum())
    return total


def _by_width(rows: Sequence[LabelledRow]) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """(logits, targets), float64[n, k], of each option count."""
    widths = sorted({row.n_options for row in rows})
    groups = [[row for row in rows if row.n_options == width] for width in widths]
    return [
        (np.stack([row.logits for row in own]).astype(np.float64), np.stack([row.target for row in own]))
        for own in groups
    ]


def _binning(
    rows: Sequence[LabelledRow], temperatures: Temperatures, bins: int, least: int
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Per bucket the share of right answers in each bin of max p; a bin without rows stands for its own centre."""
    found = []
    for bucket in BUCKETS:
        own = [row for row in rows if row.bucket == bucket and row.gold_index is not None]
        if len(own) >= least:
            found.append((bucket, _bin_shares(own, temperatures.at(bucket)[0], bins)))
    return tuple(found)


def _bin_shares(rows: Sequence[LabelledRow], temperature: float, bins: int) -> tuple[float, ...]:
    n, right = np.zeros(bins), np.zeros(bins)
    for row in rows:
        order = np.array([row.presented_order], dtype=np.intp)
        read = read_exactly(row.logits[None, :], np.array([temperature]), [row.question_type], order)
        place = min(bins - 1, int(float(read.top[0]) * bins))
        n[place] += 1
        right[place] += int(read.predicted[0]) == row.gold_index
    centres = (np.arange(bins) + 0.5) / bins
    shares = np.divide(right, n, out=centres, where=n > 0)
    return tuple(float(share) for share in shares)
