"""Figures over the languages that ran, where others failed: never under the name of the whole.

`on_error=fail` leaves a failed language without figures. What pools languages (overall, and by model, question or tag)
would then be of the survivors: it has no value and says why, and the survivors' figure stands under
`<metric>_partial`, as the macro's does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from laya_sweep.domain.slices import BESIDE_LANGUAGE, OVERALL
from laya_sweep.metrics.metric_row import MetricRow

#: What the name of a metric over a part of what was asked ends with.
PARTIAL: Final = "_partial"

#: Slices that pool languages.
_POOLED: Final = (OVERALL.dimension, *BESIDE_LANGUAGE)

_MOST_NAMES: Final = 10


def withheld(rows: Iterable[MetricRow], failed: Collection[str], asked: int) -> list[MetricRow]:
    """Rows of a result in their order, those that pool languages without a value where some language failed.

    Args:
        rows: figures over the languages that ran.
        failed: codes of the others.
        asked: how many there are in all.
    """
    if not failed:
        return [*rows]
    reason = _reason(sorted(failed), asked)
    return [part for row in rows for part in (_parts(row, reason) if row.slice_dimension in _POOLED else [row])]


def _parts(row: MetricRow, reason: str) -> list[MetricRow]:
    whole = replace(row, value=None, low=None, high=None, reason=reason)
    return [whole] if row.value is None else [whole, replace(row, metric=row.metric + PARTIAL)]


def _reason(codes: list[str], asked: int) -> str:
    shown = ", ".join(code or "-" for code in codes[:_MOST_NAMES])
    more = f" and {len(codes) - _MOST_NAMES} more" if len(codes) > _MOST_NAMES else ""
    return f"incomplete: {len(codes)} of {asked} languages have no figures: {shown}{more}"
