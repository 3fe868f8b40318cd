"""The baseline on the questions of a transform: what its figures are compared with where it declines some.

A transform that leaves questions out is asked an easier or a harder set than the baseline, so figures of the two are no
comparison. Here the baseline's decision stands once for each answer of the transform to the same question. Its figures
are rows under the dimensions of the transform's, with `ALIKE` before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import pyarrow as pa

from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.store.schemas import DECISIONS

#: Before the dimension of a figure of the baseline on the transform's questions.
ALIKE: Final = "baseline:"


def baseline_alike(baseline: Mapping[str, pa.Table], variant: Mapping[str, pa.Table]) -> pa.Table | None:
    """The baseline's decisions on the questions that a transform was asked; None where it was asked all of them.

    Args:
        baseline, variant: decisions by language; one that is missing on a side is left out.
    """
    shared = sorted(baseline.keys() & variant.keys())
    if all({*_questions(baseline[code])} <= {*_questions(variant[code])} for code in shared):
        return None
    tables = [_taken(baseline[code], variant[code]) for code in shared]
    return pa.concat_tables([DECISIONS.empty_table(), *tables])


def alike_row(row: MetricRow) -> MetricRow:
    """A figure of the baseline as a row of the transform's result."""
    return replace(row, slice_dimension=ALIKE + row.slice_dimension)


def _taken(baseline: pa.Table, variant: pa.Table) -> pa.Table:
    places = {key: at for at, key in enumerate(_questions(baseline))}
    rows = [places[key] for key in _questions(variant) if key in places]
    return baseline.take(pa.array(rows, pa.int64()))


def _questions(table: pa.Table) -> list[tuple[str, str]]:
    return list(zip(table["case_id"].to_pylist(), table["question"].to_pylist(), strict=True))
