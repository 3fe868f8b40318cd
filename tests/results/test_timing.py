"""Latency and cost of the calls behind a run's rows."""

import math
from collections import Counter

import pyarrow as pa
import pytest
from builders import call_row, calls_table, timing_row, timings_table
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.results.timing import (
    UNKNOWN,
    call_figures,
    nearest_rank,
    timing_document,
    timing_figures,
    upstream_times,
)
from laya_sweep.store.schemas import RUN_CALLS, RUN_TIMINGS


def run_timings(rows):
    return pa.Table.from_pylist([{"checkpoint": name, **row} for name, row in rows], schema=RUN_TIMINGS)


def document_of(rows, calls=(), counts=None):
    made = pa.Table.from_pylist([{"checkpoint": name, **row} for name, row in calls], schema=RUN_CALLS)
    counts = Counter(name for name, _ in rows) if counts is None else counts
    return timing_document(run_timings(rows), made, counts)


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
    document = document_of(rows)
    assert [*document["checkpoints"]] == ["a", "b"]
    figures = document["checkpoints"]["b"]
    assert {
        name: figures[name] for name in ("n", "largest_batch", *figures) if name.endswith(("_ms", "n", "batch"))
    } == {
        "n": 3,
        "largest_batch": 10,
        "latency_p50_ms": 8.0,
        "latency_p95_ms": 30.0,
        "cost_per_decision_p50_ms": 2.0,
        "cost_per_decision_p95_ms": 3.0,
        "latency_per_request_p50_ms": 8.0,
        "latency_per_request_p95_ms": 30.0,
        "cost_per_request_p50_ms": 2.0,
        "cost_per_request_p95_ms": 3.0,
    }


def test_a_request_waits_for_every_call_of_its_questions_once_and_upstream_s_names_are_of_it():
    """Request 1: two questions in one call of 8 ms, a third in another of 2 ms; request 2: one of 5 ms."""
    rows = [timing_row("1", 8.0, batch_rows=2, question="a"), timing_row("1", 8.0, batch_rows=2, question="b")]
    rows += [timing_row("1", 2.0, batch_rows=1, question="c"), timing_row("2", 5.0, batch_rows=1)]
    figures = timing_figures(timings_table(rows))
    assert (figures["latency_p50_ms"], figures["latency_per_request_p50_ms"]) == (6.5, 7.5)
    assert (figures["latency_per_request_p95_ms"], figures["cost_per_request_p95_ms"]) == (10.0, 10.0)
    theirs = upstream_times(figures)
    assert (theirs["latency_p50_ms"], theirs["latency_per_question_p50_ms"]) == (7.5, 6.5)
    assert (theirs["cost_per_decision_p95_ms"], theirs["cost_per_question_p95_ms"]) == (10.0, 5.0)


def test_at_batch_size_one_the_two_figures_agree():
    figures = document_of([("a", timing_row(str(i), i + 0.5, batch_rows=1)) for i in range(40)])
    figures = figures["checkpoints"]["a"]
    for percentile in ("p50", "p95"):
        assert figures[f"latency_{percentile}_ms"] == figures[f"cost_per_decision_{percentile}_ms"]


def test_no_calls_are_no_figures():
    assert document_of([]) == {"checkpoints": {}}
    alone = document_of([], counts={"a": 0})["checkpoints"]["a"]
    assert (alone["n"], alone["chunks"], alone["batch_size"], alone["rows_unrecorded"]) == (0, 0, None, 0)


def test_calls_are_counted_when_issued_and_rows_once():
    """Four rows in a call that raised, then two and two, of which one more call raised and left single rows."""
    failed = [call_row(case, "w-1", 4, None) for case in "abcd"]
    halves = [call_row(case, "w-2", 2) for case in "ab"] + [call_row(case, "w-3", 2, None) for case in "cd"]
    singles = [call_row("c", "w-4", 1, None), call_row("d", "w-5", 1), call_row("e", None, 0, None)]
    figures = call_figures(calls_table([*failed, *halves, *singles]), 5)
    assert figures == {
        "batch_size": None,
        "batch_tokens": 4096,
        "batch_form": "requests",
        "sort_by_length": False,
        "sort_by_length_sent": False,
        "chunks": 5,
        "chunks_failed": 3,
        "batch_sizes_used": {"1": 2, "2": 2, "4": 1},
        "rows_grouped": 4,
        "rows_alone": 0,
        "max_chunk": 4,
        "rows_unrecorded": 0,
    }


def test_a_run_that_uses_some_rows_of_a_call_counts_that_call_and_its_own_rows():
    figures = call_figures(calls_table([call_row("a", call_rows=8), call_row("b", call_rows=8)]), 2)
    assert (figures["chunks"], figures["rows_grouped"], figures["max_chunk"]) == (1, 2, 8)


def test_what_nobody_recorded_is_unknown_and_not_zero():
    figures = call_figures(calls_table([]), 3)
    assert set(figures.values()) == {UNKNOWN, 3}
    assert figures["rows_unrecorded"] == 3


def test_rows_of_several_runs_show_what_each_was_asked():
    asked = [{"batch_size": 4, "sort_by_length": True}, {}, {"batch_size": 2, "batch_tokens": 9}]
    rows = [call_row(str(i), f"w-{i}", 1, **changes) for i, changes in enumerate(asked)]
    figures = call_figures(calls_table(rows), 5)
    assert figures["batch_size"] == [None, 2, 4, UNKNOWN]
    assert figures["batch_tokens"] == [9, 4096, UNKNOWN]
    assert figures["sort_by_length"] == [False, True, UNKNOWN]
    assert (figures["chunks"], figures["rows_alone"], figures["rows_unrecorded"]) == (3, 3, 2)
