"""Latency and cost of the calls behind a run's rows."""

import math

import pyarrow as pa
import pytest
from builders import timing_row
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.reports import timing_document
from laya_sweep.reports.timing import nearest_rank
from laya_sweep.store import RUN_TIMINGS


def run_timings(rows):
    return pa.Table.from_pylist([{"checkpoint": name, **row} for name, row in rows], schema=RUN_TIMINGS)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=250), st.integers(1, 100))
def test_nearest_rank_is_its_definition(values, percent):
    """The smallest value that at least `percent` of all values do not exceed."""
    got = nearest_rank(values, percent)
    assert got in values
    assert sum(value <= got for value in values) * 100 >= percent * len(values)
    assert sum(value < got for value in values) * 100 < percent * len(values)


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (19, 19), (20, 19), (21, 20), (100, 95), (101, 96), (2000, 1900)])
def test_the_95th_of_n_has_rank(n, rank):
    assert nearest_rank([float(i) for i in range(n, 0, -1)], 95) == rank == math.ceil(0.95 * n - 1e-9)


def test_latency_is_the_call_and_cost_the_call_over_its_rows():
    rows = [("b", timing_row("1", 8.0, batch_rows=4)), ("b", timing_row("2", 2.0, batch_rows=1))]
    rows += [("b", timing_row("3", 30.0, batch_rows=10)), ("a", timing_row("4", 5.0, batch_rows=1))]
    document = timing_document(run_timings(rows))
    assert [*document["checkpoints"]] == ["a", "b"]
    assert document["checkpoints"]["b"] == {
        "n": 3,
        "largest_batch": 10,
        "latency_p50_ms": 8.0,
        "latency_p95_ms": 30.0,
        "cost_per_decision_p50_ms": 2.0,
        "cost_per_decision_p95_ms": 3.0,
    }


def test_at_batch_size_one_the_two_figures_agree():
    figures = timing_document(run_timings([("a", timing_row(str(i), i + 0.5, batch_rows=1)) for i in range(40)]))
    figures = figures["checkpoints"]["a"]
    for percentile in ("p50", "p95"):
        assert figures[f"latency_{percentile}_ms"] == figures[f"cost_per_decision_{percentile}_ms"]


def test_no_calls_are_no_figures():
    assert timing_document(run_timings([])) == {"checkpoints": {}}
