"""Decisions -> every figure of a result, and the figures as the metrics table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from laya_sweep.domain.identity import canonical_json
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.slices import BESIDE_LANGUAGE
from laya_sweep.domain.thresholds import BucketThresholds, MinConfidence, from_document
from laya_sweep.metrics.bootstrap import REPLICATES
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.summary import summarise
from laya_sweep.results.columns import decision_columns
from laya_sweep.store.schemas import METRICS

_NO_MACRO = frozenset(f"macro:{name}" for name in BESIDE_LANGUAGE)


def summarise_result(
    decisions: pa.Table,
    languages: Sequence[str],
    min_confidence: Sequence[MinConfidence],
    score_within: Sequence[float] = (),
    replicates: int = REPLICATES,
) -> list[MetricRow]:
    """Every metric of one result: overall, by language, model, question and tag.

    The macro is over the languages that were asked for; means over questions or tags are no figure of anything.
    """
    columns = decision_columns(decisions)
    alone = {name: values[0] for name in ("model", "qid") if len(values := columns.slices[name].values) == 1}
    several = [name for name in BESIDE_LANGUAGE if name not in alone and columns.slices[name].values]
    rows = summarise(
        columns,
        slices=("language", *several),
        score_within=score_within,
        min_confidence=[value for value in min_confidence if value is not None],
        replicates=replicates,
        expected={"language": languages},
    )
    rows = [row for row in rows if row.slice_dimension not in _NO_MACRO]
    return rows + [
        # A dimension of one value has the figures of the whole: the same numbers, without resampling them again.
        replace(row, slice_dimension=name, slice_value=value)
        for name, value in alone.items()
        for row in rows
        if row.slice_dimension == "overall"
    ]


def metrics_table(rows: Iterable[tuple[ResultKey, MetricRow]]) -> pa.Table:
    """The tidy metrics table."""
    return pa.Table.from_pylist([_metric_record(key, row) for key, row in rows], schema=METRICS)


def metric_row(record: Mapping[str, Any]) -> MetricRow:
    """A row of the metrics table as the figure that it was written from."""
    text = record["min_confidence_map"]
    return MetricRow(
        slice_dimension=record["slice"],
        min_confidence=record["min_confidence"] if text is None else from_document(json.loads(text)),
        **{name: record[name] for name in _SAME_NAME},
    )


#: Fields of a figure that are columns by the same name.
_SAME_NAME = ("slice_value", "metric", "definition", "value", "n", "n_clusters", "low", "high", "reason")


def _metric_record(key: ResultKey, row: MetricRow) -> dict[str, Any]:
    threshold = row.min_confidence
    by_bucket = threshold if isinstance(threshold, BucketThresholds) else None
    return {
        **key._asdict(),
        "min_confidence": None if by_bucket else threshold,
        "min_confidence_map": canonical_json(by_bucket.document()) if by_bucket else None,
        "slice": row.slice_dimension,
        **{name: getattr(row, name) for name in _SAME_NAME},
    }
