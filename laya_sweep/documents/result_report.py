"""One result as a document: its languages, its macro figures, what failed. The core of report.json and report.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from laya_sweep.domain.result_key import result_title
from laya_sweep.domain.slices import BESIDE_LANGUAGE, MACRO
from laya_sweep.domain.thresholds import order, to_document
from laya_sweep.metrics.summary import MetricRow

_PARTIAL = "_partial"


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
            "macro": _figures(self.rows, *MACRO),
            "overall": _figures(self.rows, "overall", ""),
            "languages": {code: self._language(code) for code in self.ran},
            "slices": {
                dimension: {value: _figures(self.rows, dimension, value) for value in self.slice_values(dimension)}
                for dimension in BESIDE_LANGUAGE
            },
            **({} if self.checks is None else {"checks": [dict(check) for check in self.checks]}),
            **routes,
        }

    def _language(self, code: str) -> dict[str, Any]:
        temperatures = self.temperatures[code]
        alone = next(iter(temperatures.values())) if len(set(temperatures.values())) == 1 else None
        figures = _figures(self.rows, "language", code)
        return {**figures, "temperature": alone, "temperatures": temperatures}


def _figures(rows: Sequence[MetricRow], dimension: str, value: str) -> dict[str, Any]:
    """Figures of one slice: `metrics` by name, and by threshold what a min_confidence keeps."""
    own = [row for row in rows if (row.slice_dimension, row.slice_value) == (dimension, value)]
    thresholds = sorted({row.min_confidence for row in own if row.min_confidence is not None}, key=order)
    return {
        "metrics": {row.metric: _figure(row) for row in own if row.min_confidence is None},
        "min_confidence": [
            {"min_confidence": to_document(threshold)}
            | {row.metric: _figure(row) for row in own if row.min_confidence == threshold}
            for threshold in thresholds
        ],
    }


def _figure(row: MetricRow) -> Mapping[str, Any]:
    figure: dict[str, Any] = {"value": row.value, "n": row.n, "n_clusters": row.n_clusters}
    if row.low is not None:
        figure |= {"low": row.low, "high": row.high}
    if row.reason is not None:
        figure["reason"] = row.reason
    return figure
