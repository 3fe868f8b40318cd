"""A report.json of ours on its own as scorecards: a baseline small enough to review and commit.

It holds every figure of a run with count and interval, and what identifies the run. What stands in the tables alone
is not known from it: the `*_ms` metrics, and how many answers a coverage cut accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from laya_sweep.documents.evals_figures import is_evals_metric
from laya_sweep.domain.result_key import GatedKey, ResultKey
from laya_sweep.domain.slices import MACRO, OVERALL
from laya_sweep.domain.thresholds import MinConfidence, from_document
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.comparability import narrowing_identity
from laya_sweep.gates.figures import scorecard_of_rows
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION
from laya_sweep.metrics.summary import MetricRow
from laya_sweep.store.stored_run import REPORT_SCHEMAS


class _WrongReportError(Exception):
    """A value that no run of ours writes."""


def is_report(document: object) -> bool:
    """Whether a JSON value says that it is a report.json of ours."""
    return isinstance(document, Mapping) and document.get("schema") in REPORT_SCHEMAS


def report_scorecards(document: Mapping[str, Any], name: str) -> dict[GatedKey, Scorecard]:
    """Every result of a report.json, one for each threshold.

    What a threshold keeps has no value here under a regime that the report says the runtime does not serve.

    Args:
        document: as `is_report` accepts.
        name: the file, for messages.

    Raises:
        UsageError: it is not what a run writes.
    """
    return _read(document, name, gated=True)


def ungated_scorecards(document: Mapping[str, Any], name: str) -> dict[ResultKey, Scorecard]:
    """Every result of a report.json as an upstream report would tell it: before any threshold, of upstream's metrics.

    The rounding stays that of the report, which has no answers to round. Otherwise as `report_scorecards`.
    """
    cards = _read(document, name, gated=False).items()
    return {key.result: card.restricted(metrics=[*filter(is_evals_metric, card.overall)]) for key, card in cards}


def _read(document: Mapping[str, Any], name: str, *, gated: bool) -> dict[GatedKey, Scorecard]:
    try:
        found = dict(_cards(document, name, gated=gated))
    except (_WrongReportError, KeyError, TypeError, AttributeError) as error:
        got = f"{type(error).__name__}: {one_line(error)}"
        raise UsageError(_problem(name, got)) from error
    if not found:
        raise UsageError(_problem(name, "no results"))
    return found


def _problem(name: str, got: str) -> Problem:
    return Problem(f"report {one_line(name)}", "a whole report.json of a run", got, "copy the run's file again")


def _cards(document: Mapping[str, Any], name: str, *, gated: bool) -> Iterator[tuple[GatedKey, Scorecard]]:
    config = document["config"]
    identity: dict[str, Any] = {
        key: _text(config[key]) for key in ("dataset_sha256", "questions_sha256") if key in config
    }
    identity |= narrowing_identity(config.get("narrowing"))
    thresholds = [_threshold(value) for value in config.get("min_confidence", [])] if gated else []
    rounding = None if "imported" in config else config.get("metrics", {}).get("rounding", "exact")
    for result in document["results"]:
        result_key = ResultKey(**{part: _text(result[part]) for part in ResultKey._fields})
        for key in (GatedKey(result_key, threshold) for threshold in thresholds or [None]):
            card = scorecard_of_rows(
                f"{name}: {key}",
                _shown(_rows(result), result),
                identity={"schema": _text(document["schema"]), **identity},
                min_confidence=key.min_confidence,
                rounding=rounding,
                errored=len(result.get("errored", ())),
                absent={f"language {code}": str(reason) for code, reason in result["failed"].items()},
            )
            yield key, card


def _shown(rows: Iterable[MetricRow], result: Mapping[str, Any]) -> list[MetricRow]:
    """The figures; those at a threshold have no value where the report says that the marks are not the runtime's."""
    if result.get("served") is not False:
        return [*rows]
    fault = f"the runtime does not serve regime {result['regime']}: these are not its marks"
    return [
        row if row.min_confidence is None else replace(row, value=None, low=None, high=None, reason=fault)
        for row in rows
    ]


def _rows(result: Mapping[str, Any]) -> Iterator[MetricRow]:
    yield from _block(*OVERALL, result["overall"])
    yield from _block(*MACRO, result["macro"])
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
