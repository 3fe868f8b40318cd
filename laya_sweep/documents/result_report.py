"""The results in report.json, both ways: what a run writes of a result, and what gates read of it.

A report.json on its own is a baseline small enough to review and commit. It holds every figure of a run with count
and interval, and what identifies the run. What stands in the tables alone is not known from it: the `*_ms` metrics, and
how many answers a coverage cut accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from laya_sweep.documents.evals_figures import is_evals_metric
from laya_sweep.documents.figure_block import WrongReportError, block_of, rows_of, text_of, threshold_of
from laya_sweep.domain.result_key import GatedKey, ResultKey, result_title
from laya_sweep.domain.slices import BESIDE_LANGUAGE, MACRO, OVERALL, SlicePlace
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.comparability import narrowing_identity
from laya_sweep.gates.figures import with_figures, without_marks
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.store.stored_run import REPORT_SCHEMAS

_PARTIAL = "_partial"

#: Blocks of figures over all languages, by their names.
_WHOLE: Final = {"macro": MACRO, "overall": OVERALL}


@dataclass(frozen=True, slots=True)
class ResultReport:
    """Figures of a result, by language and as a whole; `failed` maps a language to why it has none,
    `errored` lists the questions without an answer (language, index, question, error), `not_applicable` those that
    the transform leaves out (question, reason, cases); `checks` are the results of the presentation checks, None
    for every other dataset. `served` tells whether the runtime applies these temperatures, so that marks at a
    min_confidence are its own; None where that is unknown. `routes` counts, by language, where the cases of a routed
    checkpoint went; None of a named one."""

    checkpoint: str
    transform: str
    regime: str
    asked: tuple[str, ...]
    failed: dict[str, str]
    temperatures: dict[str, dict[str, float]]
    rows: tuple[MetricRow, ...]
    errored: tuple[Mapping[str, Any], ...] = ()
    not_applicable: tuple[Mapping[str, Any], ...] = ()
    checks: tuple[Mapping[str, Any], ...] | None = None
    served: bool | None = None
    routes: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def title(self) -> str:
        """`english served`, and the transform where it is another than the baseline."""
        return result_title(self.checkpoint, self.regime, self.transform)

    @property
    def ran(self) -> list[str]:
        """Languages with figures."""
        return [code for code in self.asked if code not in self.failed]

    @property
    def complete(self) -> bool:
        """Whether every language that was asked for has figures."""
        return not self.failed

    def value(self, dimension: str, value: str, metric: str) -> float | None:
        """One threshold-free figure, None where it has no value."""
        for row in self.rows:
            if (row.slice_dimension, row.slice_value, row.metric, row.min_confidence) == (
                dimension,
                value,
                metric,
                None,
            ):
                return row.value
        return None

    def macro(self, metric: str) -> float | None:
        """The mean over the languages asked for; None unless all of them ran."""
        return self.value(*MACRO, metric)

    def partial_macro(self, metric: str) -> float | None:
        """The mean over the languages that ran, where some did not: never shown as the macro."""
        return self.value(*MACRO, metric + _PARTIAL)

    def slice_values(self, dimension: str) -> list[str]:
        """Values of a slice dimension that have figures, in order."""
        return sorted({row.slice_value for row in self.rows if row.slice_dimension == dimension})

    def slice_rows(self, dimension: str, value: str) -> list[MetricRow]:
        """Figures of one slice."""
        return [row for row in self.rows if (row.slice_dimension, row.slice_value) == (dimension, value)]

    def document(self) -> dict[str, Any]:
        """The result as JSON values."""
        routes = {} if self.routes is None else {"routes": {code: dict(own) for code, own in self.routes.items()}}
        return {
            "checkpoint": self.checkpoint,
            "transform": self.transform,
            "regime": self.regime,
            "served": self.served,
            "languages_asked": len(self.asked),
            "languages_ran": len(self.ran),
            "complete": self.complete,
            "failed": self.failed,
            "errored": [dict(error) for error in self.errored],
            "not_applicable": [dict(question) for question in self.not_applicable],
            **{name: block_of(self.rows, place) for name, place in _WHOLE.items()},
            "languages": {code: self._language(code) for code in self.ran},
            "slices": {
                name: {value: block_of(self.rows, SlicePlace(name, value)) for value in self.slice_values(name)}
                for name in BESIDE_LANGUAGE
            },
            **({} if self.checks is None else {"checks": [dict(check) for check in self.checks]}),
            **routes,
        }

    def _language(self, code: str) -> dict[str, Any]:
        temperatures = self.temperatures[code]
        alone = next(iter(temperatures.values())) if len(set(temperatures.values())) == 1 else None
        figures = block_of(self.rows, SlicePlace("language", code))
        return {**figures, "temperature": alone, "temperatures": temperatures}


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
    except (WrongReportError, KeyError, TypeError, AttributeError) as error:
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
        key: text_of(config[key]) for key in ("dataset_sha256", "questions_sha256") if key in config
    }
    identity |= narrowing_identity(config.get("narrowing"))
    thresholds = [threshold_of(value) for value in config.get("min_confidence", [])] if gated else []
    rounding = None if "imported" in config else config.get("metrics", {}).get("rounding", "exact")
    for result in document["results"]:
        unserved = result.get("served") is False  # a report of an earlier version does not tell
        fault = f"the runtime does not serve regime {result['regime']}: these are not its marks" if unserved else None
        result_key = ResultKey(**{part: text_of(result[part]) for part in ResultKey._fields})
        for key in (GatedKey(result_key, threshold) for threshold in thresholds or [None]):
            known = Scorecard(
                f"{name}: {key}",
                identity={"schema": text_of(document["schema"]), **identity},
                min_confidence=key.min_confidence,
                rounding=rounding,
                errored=len(result.get("errored", ())),
                absent={f"language {code}": str(reason) for code, reason in result["failed"].items()},
            )
            yield key, with_figures(known, _rows(result) if fault is None else without_marks(_rows(result), fault))


def _rows(result: Mapping[str, Any]) -> Iterator[MetricRow]:
    for name, place in _WHOLE.items():
        yield from rows_of(result[name], place)
    for dimension, values in {"language": result["languages"], **result["slices"]}.items():
        for value, block in values.items():
            yield from rows_of(block, SlicePlace(dimension, value))
