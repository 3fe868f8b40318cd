"""Readings -> figures: the mean over states and configurations, what it hangs on, and whether its gate is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from laya_sweep.metrics.bootstrap import REPLICATES, SEED, ratio_replicates
from laya_sweep.metrics.draws import NO_REPLICATES, bootstrap_interval
from laya_sweep.metrics.interval import Interval
from laya_sweep.results.check_readings import Readings
from laya_sweep.suites.check_gates import CheckLimits
from laya_sweep.suites.check_probe import Floats


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of some readings.

    Attributes:
        value: the mean, None with a `reason`.
        n, n_states: readings, and states among them.
        interval: 95%, by resampling states; or why there is none.
        leave_one_out: the least and the largest mean with one state left out.
    """

    value: float | None
    n: int
    n_states: int
    interval: Interval | str
    leave_one_out: Interval | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check in one language: its figure, its gate (None where none is configured), its readings."""

    readings: Readings
    figure: Figure
    limits: CheckLimits | None

    @property
    def passed(self) -> bool | None:
        """Whether the gate is kept; None without one."""
        return None if self.limits is None else self.limits.keeps(self.figure.value)

    def document(self) -> dict[str, Any]:
        """As JSON values; what a missing reading leaves open is null."""
        readings, figure = self.readings, self.figure
        return {
            "language": readings.language,
            "check": readings.check,
            "value": figure.value,
            "n": figure.n,
            "n_states": figure.n_states,
            "interval": figure.interval._asdict() if isinstance(figure.interval, Interval) else None,
            "leave_one_state_out": None if figure.leave_one_out is None else figure.leave_one_out._asdict(),
            "reason": figure.reason,
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
    n = sum(part.values.size for part in parts)
    states = max(len(part.values) for part in parts)
    reasons = [f"{part.language}: {part.reason}" if len(parts) > 1 else part.reason for part in parts if part.reason]
    if reasons or not n:
        reason = "; ".join(filter(None, reasons)) or "no configurations"
        return Figure(None, n, states, "no value", None, reason)
    sums, counts = np.zeros(states), np.zeros(states)
    for part in parts:
        sums[: len(part.values)] += part.values.sum(axis=1)
        counts[: len(part.values)] += part.values.shape[1]
    value = float(sums.sum() / counts.sum())
    left = (sums.sum() - sums) / (counts.sum() - counts) if states > 1 else np.array([value])
    return Figure(
        value, n, states, _interval(sums, counts, value, replicates, seed), Interval(left.min(), left.max()), None
    )


def _interval(sums: Floats, counts: Floats, value: float, replicates: int, seed: int) -> Interval | str:
    means = sums / counts
    if np.ptp(means) == 0.0:
        return f"all {len(means)} states give the same value"
    if not replicates:
        return NO_REPLICATES
    return bootstrap_interval(ratio_replicates(sums, counts, replicates, seed), value)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _numbers(values: Floats) -> list[float | None]:
    return [_number(value) for value in values]
