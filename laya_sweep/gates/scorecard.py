"""The neutral form that everything is judged on, whoever measured it.

A run of ours, an upstream report, a published document and a bare map of figures say different amounts about
themselves. A scorecard keeps what is known apart from what is not: a figure without count or interval, an
identity that one side lacks, a threshold nobody recorded. Gates decide what not knowing means.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from laya_sweep.domain.slices import MACRO, OVERALL, SlicePlace
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.metrics.interval import Interval

#: Identity keys that decide whether two results are one measurement, and what they are to a person.
IDENTITY_KEYS: Final[Mapping[str, str]] = {
    "schema": "report schema",
    "dataset_sha256": "dataset bytes",
    "questions_sha256": "question schema",
}


class FigureKey(NamedTuple):
    """One figure: a place and a metric."""

    dimension: str
    value: str
    metric: str


class Count(NamedTuple):
    """Answers scored for a figure and, where it cuts at a coverage, how many of them the cut accepts."""

    scored: int
    accepted: int | None = None


class Unknown(Enum):
    """Not recorded, which is neither None (no threshold) nor 0.0 (the control arm)."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN

#: A threshold, a map of thresholds by bucket, None for none, not known, or a map that the runtime does not know.
MinConfidence: TypeAlias = float | BucketThresholds | Mapping[str, Any] | Literal[Unknown.UNKNOWN] | None
Figures: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The figures of one result with everything a gate asks about them.

    Attributes:
        name: for messages: a run folder, a file.
        overall: metric -> value. Timing metrics (`*_ms`) belong here too where they are known.
        slices: dimension -> value -> metric -> value.
        counts: answers scored by figure; a figure without entry has an unknown count.
        missing: why a figure that was asked for has no value.
        intervals: 95% limits by figure.
        identity: of `IDENTITY_KEYS`, those that are known.
        coverage_metric_definition: as recorded; None is definition 1.
        min_confidence: the abstention threshold, `UNKNOWN` where it is not recorded.
        rounding: whose figures these are, exact or the runtime's own; None where it is not known.
        errored, skipped: cases without an answer.
        asked: all cases, answered or not; None where unknown.
        absent: other data that was asked for and is not there (a failed language), with the reason.
        scope: the places whose figures a comparison goes over when this is the baseline.
        recorded_policy: the policy document that was in force when the result was made.
        ours: a result of this package, which knows all of the above.
        selectors: the options that chose among several results of the document it was read from.
    """

    name: str
    overall: Figures = field(default_factory=dict)
    slices: Mapping[str, Mapping[str, Figures]] = field(default_factory=dict)
    counts: Mapping[FigureKey, Count] = field(default_factory=dict)
    missing: Mapping[FigureKey, str] = field(default_factory=dict)
    intervals: Mapping[FigureKey, Interval] = field(default_factory=dict)
    identity: Mapping[str, Any] = field(default_factory=dict)
    coverage_metric_definition: Any = None
    min_confidence: MinConfidence = UNKNOWN
    rounding: str | None = None
    errored: int = 0
    skipped: int = 0
    asked: int | None = None
    absent: Mapping[str, str] = field(default_factory=dict)
    scope: tuple[SlicePlace, ...] = (OVERALL,)
    recorded_policy: Any = None
    ours: bool = False
    selectors: frozenset[str] = frozenset()

    def figures(self, place: SlicePlace) -> Figures:
        """Metric -> value at a place; empty where there is no such place."""
        if place == OVERALL:
            return self.overall
        return self.slices.get(place.dimension, {}).get(place.value, {})

    def value(self, key: FigureKey) -> float | None:
        """One figure, None where there is none."""
        return self.figures(SlicePlace(key.dimension, key.value)).get(key.metric)

    def restricted(self, languages: Collection[str] | None = None, metrics: Collection[str] | None = None) -> Scorecard:
        """The same figures, of which a comparison goes over these languages and metrics alone.

        With `languages` the macro is left out, because it is over others. A name that nothing has stays in the scope,
        so that the comparison fails on it.
        """
        if languages is not None:
            scope = tuple(SlicePlace("language", language) for language in dict.fromkeys(languages))
            others = {dimension: groups for dimension, groups in self.slices.items() if dimension != MACRO.dimension}
            return replace(self, scope=scope, slices=others).restricted(metrics=metrics)
        if metrics is None:
            return self
        overall = _only(self.overall, metrics)
        slices = {
            dimension: {value: _only(figures, metrics) for value, figures in groups.items()}
            for dimension, groups in self.slices.items()
        }
        return replace(self, overall=overall, slices=slices)


def _only(figures: Figures, metrics: Collection[str]) -> dict[str, float]:
    return {metric: value for metric, value in figures.items() if metric in metrics}
