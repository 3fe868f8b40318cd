"""The figures of one slice as they stand in report.json: `metrics` by name, and by threshold what it keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from laya_sweep.domain.slices import SlicePlace
from laya_sweep.domain.thresholds import MinConfidence, from_document, order, to_document
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION

_METRICS: Final = "metrics"
_THRESHOLD: Final = "min_confidence"

#: What every figure has, and what it has where there is an interval.
_NUMBERS: Final = ("value", "n", "n_clusters")
_INTERVAL: Final = ("low", "high")


class WrongReportError(Exception):
    """A value that no run of ours writes."""


def block_of(rows: Iterable[MetricRow], place: SlicePlace) -> dict[str, Any]:
    """The block of a place, from the figures of a result."""
    own = [row for row in rows if (row.slice_dimension, row.slice_value) == place]
    thresholds = sorted({row.min_confidence for row in own if row.min_confidence is not None}, key=order)
    return {
        _METRICS: {row.metric: _figure(row) for row in own if row.min_confidence is None},
        _THRESHOLD: [
            {_THRESHOLD: to_document(threshold)}
            | {row.metric: _figure(row) for row in own if row.min_confidence == threshold}
            for threshold in thresholds
        ],
    }


def rows_of(block: Mapping[str, Any], place: SlicePlace) -> Iterator[MetricRow]:
    """The figures in the block of a place: without a threshold, then by threshold.

    Raises:
        WrongReportError, KeyError, TypeError, AttributeError: the block is none.
    """
    for metric, figure in block[_METRICS].items():
        yield _row(place, None, metric, figure)
    for entry in block[_THRESHOLD]:
        threshold = threshold_of(entry[_THRESHOLD])
        yield from (_row(place, threshold, metric, entry[metric]) for metric in entry if metric != _THRESHOLD)


def threshold_of(value: object) -> MinConfidence:
    """A threshold as a report holds it.

    Raises:
        WrongReportError: it is none.
    """
    try:
        return from_document(value)
    except ValueError as error:
        raise WrongReportError(str(error)) from error


def text_of(value: object) -> str:
    """A text as a report holds it.

    Raises:
        WrongReportError: it is none.
    """
    if not isinstance(value, str):
        raise WrongReportError(f"{value!r:.80} where a text stands")
    return value


def _figure(row: MetricRow) -> dict[str, Any]:
    figure: dict[str, Any] = {name: getattr(row, name) for name in _NUMBERS}
    if row.low is not None:
        figure |= {name: getattr(row, name) for name in _INTERVAL}
    return figure if row.reason is None else figure | {"reason": row.reason}


def _row(place: SlicePlace, threshold: MinConfidence, metric: str, figure: Mapping[str, Any]) -> MetricRow:
    value, n, n_clusters = (figure[name] for name in _NUMBERS)
    low, high = (_optional(figure.get(name)) for name in _INTERVAL)
    return MetricRow(
        slice_dimension=place.dimension,
        slice_value=place.value,
        min_confidence=threshold,
        metric=metric,
        definition=COVERAGE_METRIC_DEFINITION,
        value=_optional(value),
        n=int(_number(n)),
        n_clusters=int(_number(n_clusters)),
        low=low,
        high=high,
        reason=None if figure.get("reason") is None else text_of(figure["reason"]),
    )


def _optional(value: object) -> float | None:
    return None if value is None else _number(value)


def _number(value: object) -> float:
    number = finite_number(value)
    if number is None:
        raise WrongReportError(f"{value!r:.80} where a finite number stands")
    return number
