"""A report.json of ours on its own as scorecards: a baseline small enough to review and commit.

It holds every figure of a run with count and interval, and what identifies the run. What stands in the tables alone
is not known from it: the `*_ms` metrics, and how many answers a coverage cut accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from laya_sweep.domain.result_key import Named
from laya_sweep.domain.thresholds import MinConfidence, from_document
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.comparability import narrowing_identity
from laya_sweep.gates.figures import scorecard_of_rows
from laya_sweep.gates.scorecard import OVERALL, Scorecard
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION
from laya_sweep.metrics.summary import MetricRow
from laya_sweep.store.stored_run import REPORT_SCHEMAS

_MACRO = "macro:language"


class _WrongReportError(Exception):
    """A value that no run of ours writes."""


def is_report(document: object) -> bool:
    """Whether a JSON value says that it is a report.json of ours."""
    return isinstance(document, Mapping) and document.get("schema") in REPORT_SCHEMAS


def report_scorecards(document: Mapping[str, Any], name: str) -> dict[Named, Scorecard]:
    """Every result of a report.json, one for each threshold.

    Args:
        document: as `is_report` accepts.
        name: the file, for messages.

    Raises:
        UsageError: it is not what a run writes.
    """
    try:
        found = dict(_cards(document, name))
    except (_WrongReportError, KeyError, TypeError, AttributeError) as error:
        got = f"{type(error).__name__}: {one_line(error)}"
        raise UsageError(_problem(name, got)) from error
    if not found:
        raise UsageError(_problem(name, "no results"))
    return found


def _problem(name: str, got: str) -> Problem:
    return Problem(f"report {one_line(name)}", "a whole report.json of a run", got, "copy the run's file again")


def _cards(document: Mapping[str, Any], name: str) -> Iterator[tuple[Named, Scorecard]]:
    config = document["config"]
    identity: dict[str, Any] = {
        key: _text(config[key]) for key in ("dataset_sha256", "questions_sha256") if key in config
    }
    identity |= narrowing_identity(config.get("narrowing"))
    thresholds = [_threshold(value) for value in config["min_confidence"]]
    rounding = config.get("metrics", {}).get("rounding", "exact")
    for result in document["results"]:
        rows = [*_rows(result)]
        errors = len(result.get("errored", ()))
        for threshold in thresholds:
            place = Named(_text(result["checkpoint"]), _text(result["regime"]), _text(result["transform"]), threshold)
            yield (
                place,
                scorecard_of_rows(
                    f"{name}: {place}",
                    rows,
                    identity={"schema": _text(document["schema"]), **identity},
                    min_confidence=threshold,
                    rounding=rounding,
                    errored=errors,
                    absent={f"language {code}": str(reason) for code, reason in result["failed"].items()},
                ),
            )


def _rows(result: Mapping[str, Any]) -> Iterator[MetricRow]:
    yield from _block(*OVERALL, result["overall"])
    yield from _block(_MACRO, "", result["macro"])
    for code, block in result["languages"].items():
        yield from _block("language", code, block)
    for dimension, values in result["slices"].items():
        for value, block in values.items():
            yield from _block(dimension, value, block)


def _block(dimension: str, value: str, block: Mapping[str, Any]) -> Iterator[MetricRow]:
    """The figures of one slice: without a threshold, then by threshold."""
    for metric, figure in block["metrics"].items():
        yield _row(dimension, value, None, metric, figure)
    for entry in block["min_confidence"]:
        threshold = _threshold(entry["min_confidence"])
        for metric, figure in entry.items():
            if metric != "min_confidence":
                yield _row(dimension, value, threshold, metric, figure)


def _row(dimension: str, value: str, threshold: MinConfidence, metric: str, figure: Mapping[str, Any]) -> MetricRow:
    low, high = (_optional(figure.get(name)) for name in ("low", "high"))
    return MetricRow(
        slice_dimension=dimension,
        slice_value=value,
        min_confidence=threshold,
        metric=metric,
        definition=COVERAGE_METRIC_DEFINITION,
        value=_optional(figure["value"]),
        n=int(_number(figure["n"])),
        n_clusters=int(_number(figure["n_clusters"])),
        low=low,
        high=high,
        reason=None if figure.get("reason") is None else _text(figure["reason"]),
    )


def _optional(value: object) -> float | None:
    return None if value is None else _number(value)


def _threshold(value: object) -> MinConfidence:
    try:
        return from_document(value)
    except ValueError as error:
        raise _WrongReportError(str(error)) from error


def _number(value: object) -> float:
    number = finite_number(value)
    if number is None:
        raise _WrongReportError(f"{value!r:.80} where a finite number stands")
    return number


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _WrongReportError(f"{value!r:.80} where a text stands")
    return value
