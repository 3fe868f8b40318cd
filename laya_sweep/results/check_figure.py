"""Readings -> figures: the mean over states and configurations, what it hangs on, and whether its gate is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laya_sweep.domain.slices import SlicePlace
from laya_sweep.metrics.bootstrap import REPLICATES, SEED
from laya_sweep.metrics.draws import NO_REPLICATES, Draws
from laya_sweep.metrics.fact_catalogue import check_metric
from laya_sweep.metrics.interval import Interval
from laya_sweep.metrics.limits import Limits, limits_of
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.metric_row import MetricRow, row_of
from laya_sweep.metrics.source_means import SourceMeans
from laya_sweep.metrics.value import Measure
from laya_sweep.results.check_readings import Readings
from laya_sweep.suites.check_gates import CheckLimits
from laya_sweep.suites.check_probe import Floats


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of some readings.

    Attributes:
        metric: the check.
        measure: the mean over the readings.
        n_states: states among them.
        limits: 95%, by resampling states; or why there are none.
        leave_one_out: the least and the largest mean with one state left out.
    """

    metric: Metric
    measure: Measure
    n_states: int
    limits: Limits
    leave_one_out: Interval | None = None

    def row(self, place: SlicePlace) -> MetricRow:
        """As a row of the metrics table."""
        return row_of(place, self.metric, self.measure, self.n_states, self.limits)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check in one language: its figure, its gate (None where none is configured), its readings."""

    readings: Readings
    figure: Figure
    limits: CheckLimits | None

    @property
    def passed(self) -> bool | None:
        """Whether the gate is kept; None without one."""
        return None if self.limits is None else self.limits.keeps(self.figure.measure.value)

    def document(self) -> dict[str, Any]:
        """As JSON values; what a missing reading leaves open is null."""
        readings, figure, measure, limits = self.readings, self.figure, self.figure.measure, self.figure.limits
        return {
            "language": readings.language,
            "check": readings.check,
            "value": measure.value,
            "n": measure.n,
            "n_states": figure.n_states,
            "interval": None if limits.low is None else {"low": limits.low, "high": limits.high},
            "leave_one_state_out": None if figure.leave_one_out is None else figure.leave_one_out._asdict(),
            "reason": measure.reason,
            "gate": None if self.limits is None else self.limits.document(),
            "passed": self.passed,
            "per_state": _numbers(readings.values.mean(axis=1)),
            "per_configuration": [
                {"name": name, "value": _number(values.mean()), "slots": _numbers(slots.mean(axis=0))}
                for name, values, slots in zip(readings.names, readings.values.T, readings.slots, strict=True)
            ],
        }


def check_result(readings: Readings, limits: CheckLimits | None, replicates: int = REPLICATES) -> CheckResult:
    """The result of one check in one language."""
    return CheckResult(readings, figure_of([readings], replicates), limits)


def figure_of(parts: Sequence[Readings], replicates: int = REPLICATES, seed: int = SEED) -> Figure:
    """The mean over all readings of one check, in one language or pooled over several.

    State i of every language is one source: the same message in other words, so it is left out, and resampled, in all
    of them at once.
    """
    metric = check_metric(parts[0].check)
    n = sum(part.values.size for part in parts)
    states = max(len(part.values) for part in parts)
    reasons = [f"{part.language}: {part.reason}" if len(parts) > 1 else part.reason for part in parts if part.reason]
    if reasons or not n:
        missing = Measure.missing(n, "; ".join(filter(None, reasons)) or "no configurations")
        return Figure(metric, missing, states, limits_of(metric, missing, states))
    sums, counts = np.zeros(states), np.zeros(states)
    for part in parts:
        sums[: len(part.values)] += part.values.sum(axis=1)
        counts[: len(part.values)] += part.values.shape[1]
    measure = Measure(float(sums.sum() / counts.sum()), n)
    left = (sums.sum() - sums) / (counts.sum() - counts) if states > 1 else np.array([measure.value])
    limits = limits_of(metric, measure, states, draws=_draws(sums, counts, replicates, seed))
    return Figure(metric, measure, states, limits, Interval(left.min(), left.max()))


def _draws(sums: Floats, counts: Floats, replicates: int, seed: int) -> Draws | str:
    if np.ptp(sums / counts) == 0.0:
        return f"all {len(sums)} states give the same value"
    return Draws(SourceMeans(sums, counts).replicates(replicates, seed)) if replicates else NO_REPLICATES


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _numbers(values: Floats) -> list[float | None]:
    return [_number(value) for value in values]
