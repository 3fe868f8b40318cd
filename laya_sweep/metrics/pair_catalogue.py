"""Every metric of pairs: what a second presentation of a question changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from laya_sweep.metrics.arrays import Flags, Floats
from laya_sweep.metrics.metric import Mean, ViewMetric
from laya_sweep.metrics.nature import Direction
from laya_sweep.metrics.pair_view import PairView
from laya_sweep.metrics.robustness import PairFigures, worst_confidence_increase
from laya_sweep.metrics.value import Measure

PairMetric: TypeAlias = ViewMetric[PairView]


def _mean(
    name: str,
    terms: Callable[[PairView], Floats | Flags],
    population: str = "pairs",
    *,
    better: Direction = "neither",
    short: str | None = None,
    proportion: bool = False,
) -> PairMetric:
    def measure(view: PairView) -> Measure:
        if n := view.size(population):
            return Measure(float(terms(view).mean()), n)
        return Measure.missing(0, "no labelled pairs" if view.size("pairs") else "no pairs")

    ratio = Mean(population, terms)
    return PairMetric(name, population, measure, ratio, unit="pair", better=better, short=short, proportion=proportion)


def _extreme(name: str, value: Callable[[PairFigures], float]) -> PairMetric:
    def measure(view: PairView) -> Measure:
        n = view.size("pairs")
        return Measure(value(view.figures), n) if n else Measure.missing(0, "no pairs")

    return PairMetric(
        name,
        "pairs",
        measure,
        unit="pair",
        better="lower",
        no_interval="resampling never draws beyond the largest",
        none_of_any=True,
    )


def _right(before: int, after: int) -> Callable[[PairView], Flags]:
    def terms(view: PairView) -> Flags:
        found = view.column("right_before", "labelled") == before
        return np.asarray(found & (view.column("right_after", "labelled") == after))

    return terms


def _accuracy_drop(view: PairView) -> Floats:
    before = view.column("right_before", "labelled").astype(np.float64)
    return np.asarray(before - view.column("right_after", "labelled"))


#: In the order of reports: what changed in the answers, then what the flips did to accuracy.
PAIR_METRICS: Final[tuple[PairMetric, ...]] = (
    _mean(
        "semantic_agreement_rate", lambda v: v.figures.agreement, better="higher", short="agreement", proportion=True
    ),
    _mean("flip_rate", lambda v: ~v.figures.agreement, better="lower", proportion=True),
    _mean("mean_probability_drift", lambda v: v.figures.mean_probability_drift, better="lower", short="drift"),
    _extreme("max_probability_drift", lambda pairs: float(pairs.max_probability_drift.max())),
    _mean("mean_js_divergence", lambda v: v.figures.js_divergence, better="lower", short="js"),
    _mean("mean_confidence_drift", lambda v: v.figures.confidence_drift, short="conf_drift"),
    _mean("mean_absolute_confidence_drift", lambda v: np.abs(v.figures.confidence_drift), better="lower"),
    _extreme("worst_confidence_increase_on_disagreement", worst_confidence_increase),
    _mean("accuracy_drop", _accuracy_drop, "labelled", better="lower"),
    _mean("right_to_wrong_rate", _right(1, 0), "labelled", better="lower", proportion=True),
    _mean("wrong_to_right_rate", _right(0, 1), "labelled", better="higher", proportion=True),
)
