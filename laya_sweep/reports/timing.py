"""timing.json: the `*_ms` metrics of the calls that produced the stored rows, whichever run made them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import pyarrow as pa


def timing_document(timings: pa.Table) -> dict[str, Any]:
    """Latency and cost by checkpoint, from a run's timings table.

    Latency is the whole call a row waited for, cost the call divided by its rows. Percentiles: the median, and
    the nearest-rank 95th.
    """
    by_checkpoint: dict[str, list[tuple[float, int]]] = {}
    columns = (timings[name].to_pylist() for name in ("checkpoint", "call_ms", "batch_rows"))
    for checkpoint, call_ms, rows in zip(*columns, strict=True):
        by_checkpoint.setdefault(checkpoint, []).append((call_ms, rows))
    return {"checkpoints": {name: _figures(calls) for name, calls in sorted(by_checkpoint.items())}}


def _figures(calls: Sequence[tuple[float, int]]) -> dict[str, Any]:
    latency = [call_ms for call_ms, _ in calls]
    cost = [call_ms / rows for call_ms, rows in calls]
    return {
        "n": len(calls),
        "largest_batch": max(rows for _, rows in calls),
        "latency_p50_ms": statistics.median(latency),
        "latency_p95_ms": nearest_rank(latency, 95),
        "cost_per_decision_p50_ms": statistics.median(cost),
        "cost_per_decision_p95_ms": nearest_rank(cost, 95),
    }


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """The ceil(percent/100 * n)-th smallest value.

    >>> nearest_rank([4.0, 1.0, 3.0, 2.0], 95)
    4.0
    """
    rank = (percent * len(values) + 99) // 100
    return sorted(values)[rank - 1]
