"""timing.json: the `*_ms` metrics of the calls that produced the stored rows, whichever run made them."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def timing_document(timings: pa.Table, marks: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Latency and cost by checkpoint, from a run's timings table, and which thresholds reached the runtime.

    Latency is the whole call a row waited for, cost the call divided by its rows. Percentiles: the median, and
    the nearest-rank 95th.

    Args:
        timings: of the run.
        marks: an entry a result and threshold: `min_confidence` as asked, `min_confidence_sent`, and the reason
            where it is false.
    """
    names = sorted(set(timings["checkpoint"].to_pylist()))
    checkpoints = {name: _checkpoint(timings.filter(pc.equal(timings["checkpoint"], name))) for name in names}
    return {"checkpoints": checkpoints} | ({"min_confidence": list(marks)} if marks else {})


def timing_figures(timings: pa.Table) -> dict[str, float]:
    """The `*_ms` metrics of rows; there must be at least one."""
    calls = timings["call_ms"].to_pylist()
    shares = [call_ms / rows for call_ms, rows in zip(calls, timings["batch_rows"].to_pylist(), strict=True)]
    return {
        "latency_p50_ms": statistics.median(calls),
        "latency_p95_ms": nearest_rank(calls, 95),
        "cost_per_decision_p50_ms": statistics.median(shares),
        "cost_per_decision_p95_ms": nearest_rank(shares, 95),
    }


def _checkpoint(timings: pa.Table) -> dict[str, Any]:
    return {
        "n": timings.num_rows,
        "largest_batch": pc.max(timings["batch_rows"]).as_py(),
        **timing_figures(timings),
    }


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """The ceil(percent/100 * n)-th smallest value.

    >>> nearest_rank([4.0, 1.0, 3.0, 2.0], 95)
    4.0
    """
    rank = (percent * len(values) + 99) // 100
    return sorted(values)[rank - 1]
