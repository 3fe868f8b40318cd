"""timing.json: the `*_ms` metrics of the calls that produced the stored rows, whichever run made them, and what
those calls were.

A call is counted when it was issued, also where it then failed; times are of calls that returned.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

#: In place of a fact of calls that nobody recorded: parts of older versions, cases that no worker survived.
UNKNOWN: Final = "unknown"

#: What the figures of an export are, in words: a request is a state with all its questions, as upstream asks it.
LATENCY_PER_REQUEST: Final = "per request: the wall time of the calls that returned its questions, unsplit"
COST_PER_REQUEST: Final = "per request: its questions' shares of those calls"

#: What was asked of the calls and what of it reached the engine, as recorded with each of them.
_ASKED = ("batch_size", "batch_tokens", "batch_form", "sort_by_length", "sort_by_length_sent")
_REQUEST = ("cell_key", "case_id", "variant")
_UPSTREAM_TIMES: Final = {
    f"{theirs}_{percentile}_ms": f"{ours}_{percentile}_ms"
    for theirs, ours in (
        ("latency", "latency_per_request"),
        ("cost_per_decision", "cost_per_request"),
        ("latency_per_question", "latency"),
        ("cost_per_question", "cost_per_decision"),
    )
    for percentile in ("p50", "p95")
}
_ID = ("cell_key", "case_id", "variant", "question")


def timing_document(
    timings: pa.Table, calls: pa.Table, rows: Mapping[str, int], marks: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Latency, cost and shape of the calls by checkpoint, and which thresholds reached the runtime.

    Latency is the whole call a row waited for, cost the call divided by its rows. Percentiles: the median, and
    the nearest-rank 95th.

    Args:
        timings: a run's timings table.
        calls: its calls table.
        rows: checkpoint -> its rows, answered or not; every checkpoint of the run.
        marks: an entry a result and threshold: `min_confidence` as asked, `min_confidence_sent`, and the reason
            where it is false.
    """
    checkpoints = {
        name: {**_times(_of(timings, name)), **call_figures(_of(calls, name), count)}
        for name, count in sorted(rows.items())
    }
    return {"checkpoints": checkpoints} | ({"min_confidence": list(marks)} if marks else {})


def timing_figures(timings: pa.Table) -> dict[str, float]:
    """The `*_ms` metrics of rows, by question and by request; there must be at least one row.

    A request is a case in one variant. It waits for every call that one of its questions is in, and costs their shares.
    """
    calls = timings["call_ms"].to_pylist()
    shares = [call_ms / rows for call_ms, rows in zip(calls, timings["batch_rows"].to_pylist(), strict=True)]
    waits: dict[tuple[str, ...], set[float]] = {}
    costs: Counter[tuple[str, ...]] = Counter()
    ids = zip(*(timings[name].to_pylist() for name in _REQUEST), strict=True)
    for request, call_ms, share in zip(ids, calls, shares, strict=True):
        waits.setdefault(request, set()).add(call_ms)  # rows of one call have its time to the last bit
        costs[request] += share
    return (
        _percentiles("latency", calls)
        | _percentiles("cost_per_decision", shares)
        | _percentiles("latency_per_request", [math.fsum(own) for own in waits.values()])
        | _percentiles("cost_per_request", [*costs.values()])
    )


def upstream_times(figures: Mapping[str, float]) -> dict[str, float]:
    """`timing_figures` under the names of upstream, whose rows are requests; those by question beside them."""
    return {theirs: figures[ours] for theirs, ours in _UPSTREAM_TIMES.items()}


def _percentiles(name: str, values: Sequence[float]) -> dict[str, float]:
    return {f"{name}_p50_ms": statistics.median(values), f"{name}_p95_ms": nearest_rank(values, 95)}


def call_figures(calls: pa.Table, rows: int) -> dict[str, Any]:
    """What the calls behind some rows were asked to be, and what they were.

    Args:
        calls: rows of a calls table.
        rows: how many rows there are; those without a record count as `rows_unrecorded`.

    Returns:
        `batch_size` (None: the token budget decides), `batch_tokens`, `batch_form`, `sort_by_length`,
        `sort_by_length_sent`: the one value, or a list where runs that made the rows differ in it; `chunks` that were
        issued, `chunks_failed` that did not return, `batch_sizes_used` (rows in a call -> calls), `max_chunk`; rows
        that shared a call (`rows_grouped`) and that never did (`rows_alone`). `UNKNOWN` where no row has a record.
    """
    recorded = len(set(zip(*(calls[name].to_pylist() for name in _ID), strict=True)))
    asked = {name: _one_or_all(calls[name].to_pylist(), rows - recorded) for name in _ASKED}
    return {**asked, **(_shape(calls) if recorded or not rows else _UNKNOWN_SHAPE), "rows_unrecorded": rows - recorded}


def _shape(calls: pa.Table) -> dict[str, Any]:
    issued = calls.filter(pc.is_valid(calls["call"]))
    sizes = dict(zip(issued["call"].to_pylist(), issued["call_rows"].to_pylist(), strict=True))
    largest: dict[tuple[str, ...], int] = {}
    ids = zip(*(issued[name].to_pylist() for name in _ID), strict=True)
    for row, size in zip(ids, issued["call_rows"].to_pylist(), strict=True):
        largest[row] = max(size, largest.get(row, 0))
    grouped = sum(size > 1 for size in largest.values())
    failed = issued.filter(pc.is_null(issued["call_ms"]))
    return {
        "chunks": len(sizes),
        "chunks_failed": len(set(failed["call"].to_pylist())),
        "batch_sizes_used": {str(size): count for size, count in sorted(Counter(sizes.values()).items())},
        "rows_grouped": grouped,
        "rows_alone": len(largest) - grouped,
        "max_chunk": max(sizes.values(), default=0),
    }


_UNKNOWN_SHAPE = dict.fromkeys(
    ("chunks", "chunks_failed", "batch_sizes_used", "rows_grouped", "rows_alone", "max_chunk"), UNKNOWN
)


def _one_or_all(values: Sequence[Any], unrecorded: int) -> Any:  # noqa: ANN401 - a setting, any JSON value
    """The setting of all rows; a list where they have several, None where there are no rows."""
    found = sorted(set(values), key=lambda value: (value is not None, value or 0)) + [UNKNOWN] * (unrecorded > 0)
    return (found or [None])[0] if len(found) < 2 else found


def _times(timings: pa.Table) -> dict[str, Any]:
    """Rows with a time, the largest call among theirs, and their `*_ms` metrics, which no rows have none of."""
    if not timings.num_rows:
        return {"n": 0}
    return {"n": timings.num_rows, "largest_batch": pc.max(timings["batch_rows"]).as_py(), **timing_figures(timings)}


def _of(table: pa.Table, checkpoint: str) -> pa.Table:
    return table.filter(pc.equal(table["checkpoint"], checkpoint))


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """The ceil(percent/100 * n)-th smallest value.

    >>> nearest_rank([4.0, 1.0, 3.0, 2.0], 95)
    4.0
    """
    rank = (percent * len(values) + 99) // 100
    return sorted(values)[rank - 1]


def model_seconds(timings: pa.Table) -> float:
    """Seconds of calls behind a cell's rows: each call counted once, shared by its rows."""
    calls, rows = timings["call_ms"].to_pylist(), timings["batch_rows"].to_pylist()
    return float(sum(call / count for call, count in zip(calls, rows, strict=True))) / 1e3
