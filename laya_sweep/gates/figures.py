"""Figures of this package's own metrics as a scorecard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.gates.evidence import accepted_answers
from laya_sweep.gates.scorecard import Count, FigureKey, Scorecard
from laya_sweep.metrics.columns import DecisionColumns
from laya_sweep.metrics.interval import Interval
from laya_sweep.metrics.lookup import nature_of
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION
from laya_sweep.metrics.slicing import slice_rows


def with_figures(
    card: Scorecard,
    rows: Iterable[MetricRow],
    accepted: Mapping[FigureKey, int] | None = None,
    timings: Mapping[str, float] | None = None,
) -> Scorecard:
    """The scorecard of a result of ours, its figures put into what is known of it besides.

    Args:
        card: its name, identity, threshold, rounding and completeness.
        rows: its metrics, of all thresholds; those of other thresholds than the card's are passed over.
        accepted: from `accepted_counts`.
        timings: `*_ms` metrics of the whole result.
    """
    own = [row for row in rows if row.min_confidence is None or row.min_confidence == card.min_confidence]
    overall: dict[str, float] = dict(timings or {})
    slices: dict[str, dict[str, dict[str, float]]] = {}
    for row in own:
        place = SlicePlace(row.slice_dimension, row.slice_value)
        within_slice = slices.setdefault(place.dimension, {}).setdefault(place.value, {}) if place != OVERALL else None
        if row.value is not None:
            (overall if within_slice is None else within_slice)[row.metric] = row.value
    kept = accepted or {}
    return replace(
        card,
        overall=overall,
        slices=slices,
        counts={_key(row): Count(row.n, kept.get(_key(row))) for row in own},
        missing={_key(row): row.reason or "no reason is recorded" for row in own if row.value is None},
        intervals={
            _key(row): Interval(row.low, row.high) for row in own if row.low is not None and row.high is not None
        },
        coverage_metric_definition=COVERAGE_METRIC_DEFINITION,
        ours=True,
    )


def without_marks(rows: Iterable[MetricRow], fault: str) -> list[MetricRow]:
    """The figures of a result whose marks are not shown to be the runtime's: those at a threshold have no value.

    Args:
        rows: its metrics.
        fault: why not, which is the reason that they give.
    """
    return [
        row if row.min_confidence is None else replace(row, value=None, low=None, high=None, reason=fault)
        for row in rows
    ]


def accepted_counts(
    columns: DecisionColumns, metrics: Iterable[str] = ("selective_accuracy@50", "selective_accuracy@80")
) -> dict[FigureKey, int]:
    """How many answers each coverage metric's threshold accepts, overall and in every slice that has answers.

    Args:
        columns: the decisions of one result.
        metrics: names; those that accept no share of the answers are passed over.
    """
    shares = [(metric, share) for metric in metrics if (share := nature_of(metric).share) is not None]
    return {
        FigureKey(*place, metric): accepted_answers(confidences, share)
        for place, confidences in _answered(columns)
        if len(confidences) and np.isfinite(confidences).all()
        for metric, share in shares
    }


def _answered(columns: DecisionColumns) -> Iterator[tuple[SlicePlace, np.ndarray[Any, np.dtype[np.float64]]]]:
    """Confidences of what can be right or wrong, float64[n], by place."""
    answered = columns.correct >= 0
    yield OVERALL, columns.confidence[answered]
    for dimension, column in columns.slices.items():
        for value, rows in slice_rows(column).items():
            yield SlicePlace(dimension, value), columns.confidence[rows][answered[rows]]


def _key(row: MetricRow) -> FigureKey:
    return FigureKey(row.slice_dimension, row.slice_value, row.metric)
