"""What is computed and recorded of the calls behind it: from what happened, failed calls too, whatever was asked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from behaviour import Misbehaving, spread

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.engines.engine import OutOfMemoryError
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.execution.call_check import CallCheck
from laya_sweep.execution.compute import compute
from laya_sweep.execution.contract import Batching
from laya_sweep.execution.rows import RowKeys
from laya_sweep.results.timing import call_figures
from laya_sweep.transforms.registry import variants_of

KEYS = RowKeys("ab" * 32, "en", "baseline")


class Recording(ScriptedEngine):
    """Keeps the lengths of the rows of every call."""

    calls: list[list[int]]

    def forward(self, rows):
        self.calls.append([row.shape.length for row in rows])
        return super().forward(rows)


class OneByOne(Recording):
    """An engine whose calls hold one row."""

    def info(self):
        return super().info()._replace(rows_together=False)

    def forward(self, rows):
        if len(rows) > 1:
            raise OutOfMemoryError("one row at a time")
        return super().forward(rows)


def work(kind, states, **batching):
    """What an engine of a class makes of some states, and the calls that it saw."""
    engine = kind(spread)
    engine.calls = []
    check = CallCheck(engine, "scripted")
    return compute(
        presented(states), engine, Batching(10_000, **batching), KEYS, check=check, node="here"
    ), engine.calls


def presented(states):
    question = {"type": "choice", "instructions": "?", "criteria": {"a": "A", "b": "B", "c": "C"}}
    drafts = [Draft(str(i), i, "en", state, {"q": question}, {"q": "a"}) for i, state in enumerate(states)]
    return tuple(variant for case in freeze(drafts) for variant in variants_of("baseline", case))


LENGTHS = ["x" * n for n in (60, 10, 40, 11, 61, 41, 12)]


def test_what_was_asked_and_what_was_done():
    read, calls = work(Recording, LENGTHS, size=2)
    figures = call_figures(read.calls, read.facts.num_rows)
    assert (figures["batch_size"], figures["batch_tokens"], figures["batch_form"]) == (2, 10_000, "requests")
    asked_again = read.counts.checked_rows  # the first call of each of three shapes
    assert (figures["chunks"], figures["chunks_failed"], figures["max_chunk"]) == (len(calls) - asked_again, 0, 2)
    assert (asked_again, read.counts.check_s > 0) == (3, True)
    assert (figures["rows_grouped"], figures["rows_alone"], figures["rows_unrecorded"]) == (6, 1, 0)


def test_a_call_that_failed_is_counted_and_has_no_time():
    states = ["same length" + letter for letter in "abcdefg"] + ["POISON same "]
    read, _ = work(Misbehaving, states)
    figures = call_figures(read.calls, read.facts.num_rows)
    # 8 rows, 4, 4; then pairs, of which the last holds the poison and is split
    assert figures["batch_sizes_used"] == {"1": 2, "2": 4, "4": 2, "8": 1}
    assert (figures["chunks"], figures["chunks_failed"]) == (9, 1 + 2 + 1 + 1)
    assert (figures["rows_grouped"], figures["rows_alone"], figures["max_chunk"]) == (8, 0, 8)
    returned = {row["call"] for row in read.calls.to_pylist() if row["call_ms"] is not None}
    assert len(returned) == 4
    assert read.timings.num_rows == 7
    assert set(read.timings["call_ms"].to_pylist()) <= set(read.calls["call_ms"].to_pylist())


@pytest.mark.parametrize("spoilt", [float("nan"), float("inf")])
@pytest.mark.parametrize("output", ["logits", "act_probability"])
def test_a_number_that_is_none_in_any_output_makes_an_error_row(output, spoilt):
    class Spoilt(Recording):
        def forward(self, rows):
            found = super().forward(rows)
            for i, row in enumerate(rows):
                if row.item["variant"].state == LENGTHS[2]:
                    getattr(found, output)[i : i + 1] = (
                        [np.full(3, spoilt, np.float32)] if output == "logits" else spoilt
                    )
            return found

    done, _ = work(Spoilt, LENGTHS)
    [failed] = [row for row in done.facts.to_pylist() if row["status"] == "error"]
    assert done.counts.errors == 1
    assert (failed["logits"], failed["act_probability"]) == (None, None)
    assert output.split("_")[0] in failed["error_message"]


def test_counts_are_of_rows_and_calls_and_of_no_call_twice():
    computed, calls = work(Recording, LENGTHS, size=2)
    counts = computed.counts
    assert (counts.rows, counts.errors, counts.forward_rows, counts.forward_calls) == (7, 0, 7, len(calls) - 3)
    times = {row["call"]: row["call_ms"] for row in computed.calls.to_pylist()}
    assert counts.call_s == pytest.approx(sum(times.values()) / 1e3)
    again, _ = work(Recording, LENGTHS, size=2)
    assert times.keys().isdisjoint(again.calls["call"].to_pylist())


def test_rows_have_the_keys_of_their_place_and_timings_say_where_they_come_from():
    engine = Recording(spread)
    engine.calls = []
    computed = compute(
        presented(["a"]), engine, Batching(64), KEYS, check=CallCheck(engine, "scripted"), node="there", attempt=2
    )
    for table in (computed.facts, computed.timings, computed.calls):
        assert table.select(KEYS._fields).to_pylist() == [KEYS._asdict()]
    [timing] = computed.timings.to_pylist()
    assert (timing["node"], timing["attempts"], timing["device"]) == ("there", 2, "cpu")


def test_token_ids_that_are_not_the_runtimes_are_refused():
    class Forgetful(Recording):
        def encode_unshared(self, variant, qid):
            row = super().encode(variant, qid)
            return dataclasses.replace(row, item={**row.item, "ids": [1]})

        def encode(self, variant, qid):
            row = super().encode(variant, qid)
            return dataclasses.replace(row, item={**row.item, "ids": [2]})

    with pytest.raises(RuntimeError, match="differ from the runtime"):
        work(Forgetful, ["a"])


def test_a_question_that_was_in_no_call_is_recorded_as_such():
    class Refusing(Recording):
        def encode(self, variant, qid):
            if "BAD" in str(variant.state):
                from laya_sweep.engines.engine import EncodingError

                raise EncodingError("does not fit")
            return super().encode(variant, qid)

    read, calls = work(Refusing, ["good", "BAD"])
    figures = call_figures(read.calls, read.facts.num_rows)
    assert (figures["chunks"], figures["rows_alone"], figures["rows_unrecorded"]) == (len(calls), 1, 0)


@pytest.mark.parametrize("size", [None, 2, 3])
def test_sorted_calls_rise_in_length_and_no_fact_changes(size):
    plain, as_they_come = work(Recording, LENGTHS, size=size)
    read, calls = work(Recording, LENGTHS, size=size, sort_by_length=True)
    lengths = [max(call) for call in calls]
    assert lengths == sorted(lengths) != [max(call) for call in as_they_come]
    assert read.facts.equals(plain.facts)
    for name in ("sort_by_length", "sort_by_length_sent"):
        assert read.calls[name].to_pylist() == [True] * 7
    assert call_figures(plain.calls, 7)["sort_by_length_sent"] is False


@pytest.mark.parametrize(("kind", "size"), [(OneByOne, None), (OneByOne, 4), (Recording, 1)])
def test_rows_that_go_one_by_one_are_not_sorted_and_say_so(kind, size):
    read, calls = work(kind, LENGTHS, size=size, sort_by_length=True)
    figures = call_figures(read.calls, 7)
    assert (figures["sort_by_length"], figures["sort_by_length_sent"]) == (True, False)
    assert (figures["batch_form"], figures["batch_size"]) == (None, size)
    assert (figures["rows_alone"], figures["chunks_failed"]) == (7, 0)
    assert calls != sorted(calls)
    assert read.facts.equals(work(Recording, LENGTHS)[0].facts)
