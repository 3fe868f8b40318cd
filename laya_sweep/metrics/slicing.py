"""Which decisions belong to each slice of a dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.columns import SliceColumn
from laya_sweep.metrics.population_view import Rows


def slice_rows(column: SliceColumn) -> dict[str, Rows]:
    """Slice value -> ascending row indices of its decisions, or a slice where they follow one another.

    Values without decisions are left out.

    >>> slice_rows(SliceColumn.of(["en", "de", "en"]))["en"]
    array([0, 2])
    """
    small = len(column.values) < 2**15
    # numpy sorts 16-bit integers by radix, in one pass; stable, so that rows keep their order.
    codes = column.codes.astype(np.int16) if small else column.codes
    if column.rows is None and (codes[1:] >= codes[:-1]).all():
        return _runs(codes, column.values)
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(-1, len(column.values)), side="right")
    found: dict[str, Rows] = {}
    for value, code in sorted((value, code) for code, value in enumerate(column.values)):
        rows = order[ends[code] : ends[code + 1]]
        if len(rows):
            found[value] = rows if column.rows is None else np.unique(column.rows[rows]).astype(np.intp)
    return found


def _runs(codes: NDArray[np.integer], values: tuple[str, ...]) -> dict[str, Rows]:
    """`slice_rows` where slices follow one another, as they do when cells are read one by one: no copies."""
    ends = np.searchsorted(codes, np.arange(-1, len(values)), side="right").tolist()
    return {
        value: slice(ends[code], ends[code + 1])
        for value, code in sorted((value, code) for code, value in enumerate(values))
        if ends[code + 1] > ends[code]
    }
