"""Figures that no cases give: what pairs and token counts of a run told, carried by its document as they stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from laya_sweep.documents.published_shape import Index
from laya_sweep.domain.checked import Document, Finite, checked
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.metrics.catalogue import catalogue
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.narrowing import FIRST_RETRIEVED, RECALLED, SURVIVED
from laya_sweep.results.figures import metric_row
from laya_sweep.store.stored_run import StoredResult

#: Where a document has them.
MEASURED: Final = "measured"

_PARTIAL: Final = "_partial"


class _Figure(Document, extra="ignore"):
    """A figure as a metrics table has it."""

    slice: str
    slice_value: str
    metric: str
    definition: Index
    n: Index
    n_clusters: Index
    value: Finite | None
    low: Finite | None
    high: Finite | None
    reason: str | None = None


def measured(result: StoredResult) -> dict[str, Any]:
    """The figures of a result that its decisions do not give, for its document; empty for none."""
    own = [
        {name: row[name] for name in _Figure.model_fields}
        for row in result.run.table("metrics").to_pylist()
        if all(row[name] == value for name, value in result.key._asdict().items()) and not _derived(row["metric"])
    ]
    return {MEASURED: own} if own else {}


def measured_rows(document: Mapping[str, Any]) -> list[MetricRow]:
    """The figures that a document carries so.

    Raises:
        UsageError: an entry is none.
    """
    given = document.get(MEASURED, [])
    entries: Iterable[Any] = given if isinstance(given, list) else [given]
    whole = {"min_confidence": None, "min_confidence_map": None}
    rows = []
    for i, entry in enumerate(entries):
        figure: _Figure | None = checked(_Figure, entry, MEASURED, [])
        if figure is None or _derived(figure.metric):
            what, step = f"published document: {MEASURED}[{i}]", "import a document that `export` wrote"
            raise UsageError(Problem(what, "a figure as a metrics table has it", one_line(repr(entry)), step))
        rows.append(metric_row(figure.model_dump() | whole))
    return rows


def _derived(metric: str) -> bool:
    return metric.removesuffix(_PARTIAL) in _of_decisions() or metric.startswith("score_within_")


@cache
def _of_decisions() -> frozenset[str]:
    every = catalogue(min_confidence=(0.0,), flags=(RECALLED, SURVIVED, FIRST_RETRIEVED))
    return frozenset(metric.name for metric in every)
