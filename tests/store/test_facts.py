"""The store of facts: the union of its parts, done by ids, a success before an error, damage kept apart."""

import itertools
import json

import pytest
from builders import call_row, calls_table, error_row, fact_row, facts_table, timing_row, timings_table

from laya_sweep.store import facts
from laya_sweep.store.facts import CellFacts, FactStore, Part, RowId, row_ids

KEY = "ab" + "0" * 62


@pytest.fixture
def store(tmp_path):
    return FactStore(tmp_path / "store")


def part_of(*rows, call_ms=8.0):
    ok = [row["case_id"] for row in rows if row["status"] == "ok"]
    return Part.of(KEY, facts_table(rows), timings_table(timing_row(case, call_ms) for case in ok))


def ids_of(table):
    return [row_id.case_id for row_id in row_ids(table)]


def parts_in(store):
    return sorted(store.root.glob(f"cells/ab/{KEY}/part-*.parquet"))


def test_a_store_that_is_not_there_is_empty(store):
    read = store.read(KEY)
    assert (read.facts.num_rows, read.timings.num_rows, read.damaged, read.done()) == (0, 0, (), set())
    assert not store.root.exists()


def test_reading_is_the_union_of_all_parts_in_an_order_of_their_rows(store):
    pieces = [part_of(fact_row("c"), fact_row("a")), part_of(fact_row("b")), part_of(fact_row("e"), fact_row("d"))]
    for piece in pieces:
        store.commit(KEY, piece)
    read = store.read(KEY)
    assert ids_of(read.facts) == ids_of(read.timings) == ["a", "b", "c", "d", "e"]
    assert read.done() == {RowId(case, "baseline", "intent") for case in "abcde"}


def test_the_split_into_parts_and_their_order_leave_no_trace(tmp_path):
    rows = [fact_row(case, [i, -i]) for i, case in enumerate("abcdef")]
    tables = []
    for i, cuts in enumerate([(6,), (1, 6), (2, 4, 6), (6,)]):
        store = FactStore(tmp_path / str(i))
        bounds = [0, *cuts]
        pieces = [part_of(*rows[a:b]) for a, b in itertools.pairwise(bounds)]
        for piece in reversed(pieces) if i % 2 else pieces:
            store.commit(KEY, piece)
        tables.append(store.read(KEY).facts.combine_chunks())
    assert all(table.equals(tables[0]) for table in tables)


def test_the_same_rows_twice_are_one_file(store):
    store.commit(KEY, part_of(fact_row("a"), call_ms=8.0))
    store.commit(KEY, part_of(fact_row("a"), call_ms=9.0))
    assert len(parts_in(store)) == 1
    assert store.read(KEY).facts.num_rows == store.read(KEY).timings.num_rows == 1


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_a_success_wins_over_errors_in_any_order(store, order):
    pieces = [
        part_of(error_row("a", error_message="first"), fact_row("b")),
        part_of(error_row("a", error_message="second")),
        part_of(fact_row("a", [5.0, 1.0])),
    ]
    for i in order:
        store.commit(KEY, pieces[i])
    read = store.read(KEY)
    assert ids_of(read.facts) == ["a", "b"]
    assert read.facts["status"].to_pylist() == ["ok", "ok"]
    assert read.facts["logits"].to_pylist()[0] == [5.0, 1.0]
    assert read.facts["error_message"].to_pylist() == [None, None]


@pytest.mark.parametrize("piece", [0, 1])
def test_a_success_wins_inside_one_part(store, piece):
    rows = [error_row("a"), fact_row("a")]
    store.commit(KEY, part_of(*(rows[::-1] if piece else rows)))
    assert store.read(KEY).facts["status"].to_pylist() == ["ok"]


def test_an_error_row_is_kept_once_and_is_not_done(store):
    store.commit(KEY, part_of(error_row("a", error_message="one"), fact_row("b")))
    store.commit(KEY, part_of(error_row("a", error_message="two")))
    read = store.read(KEY)
    assert [*zip(ids_of(read.facts), read.facts["status"].to_pylist(), strict=True)] == [("a", "error"), ("b", "ok")]
    assert read.done() == {RowId("b", "baseline", "intent")}


def test_variants_and_questions_of_a_case_are_rows_of_their_own(store):
    rows = [
        fact_row("a"),
        fact_row("a", question="other"),
        fact_row("a", variant="turned"),
        error_row("a", variant="turned", question="other"),
    ]
    store.commit(KEY, part_of(*rows))
    assert store.read(KEY).facts.num_rows == 4
    assert store.read(KEY).done() == {
        RowId("a", "baseline", "intent"),
        RowId("a", "baseline", "other"),
        RowId("a", "turned", "intent"),
    }


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda _: b"", lambda data: data[: len(data) // 2]])
def test_a_damaged_part_is_absent_and_named_and_the_rest_is_kept(store, damage):
    store.commit(KEY, part_of(fact_row("a"), fact_row("b")))
    [victim] = parts_in(store)
    store.commit(KEY, part_of(fact_row("c")))
    victim.write_bytes(damage(victim.read_bytes()))
    read = store.read(KEY)
    assert ids_of(read.facts) == ids_of(read.timings) == ["c"]
    [message] = read.damaged
    assert message.startswith(victim.name)
    store.commit(KEY, part_of(fact_row("a"), fact_row("b")))  # computed again: the same bytes, the same name
    assert ids_of(store.read(KEY).facts) == ["a", "b", "c"]
    assert store.read(KEY).damaged == ()


@pytest.mark.parametrize("lost", [True, False])
def test_facts_stand_without_their_timings(store, lost):
    store.commit(KEY, part_of(fact_row("a")))
    [timings] = store.root.glob(f"cells/ab/{KEY}/timings-*.parquet")
    if lost:
        timings.unlink()
    else:
        timings.write_bytes(timings.read_bytes()[:-20])
    read = store.read(KEY)
    assert ids_of(read.facts) == ["a"]
    assert read.timings.num_rows == 0
    [message] = read.damaged
    assert message.startswith("timings-")


def test_a_kill_between_timings_and_facts_commits_nothing(store, monkeypatch):
    written = []

    def killed_after_one(path, data):
        if written:
            raise KeyboardInterrupt
        written.append(path.name)
        real(path, data)

    real = facts.write_bytes
    monkeypatch.setattr(facts, "write_bytes", killed_after_one)
    with pytest.raises(KeyboardInterrupt):
        store.commit(KEY, part_of(fact_row("a")))
    monkeypatch.undo()
    assert written[0].startswith("timings-")
    assert (store.read(KEY).facts.num_rows, store.read(KEY).done(), store.read(KEY).damaged) == (0, set(), ())
    store.commit(KEY, part_of(fact_row("a")))
    assert ids_of(store.read(KEY).timings) == ["a"]


def test_a_temporary_file_is_no_part(store):
    store.commit(KEY, part_of(fact_row("a")))
    [part] = parts_in(store)
    part.with_name(".writing-x1y2z3").write_bytes(part.read_bytes()[:50])
    read = store.read(KEY)
    assert (ids_of(read.facts), read.damaged) == (["a"], ())


def test_cells_do_not_mix(store):
    store.commit(KEY, part_of(fact_row("a")))
    other = "ab" + "1" * 62
    store.commit(other, part_of(fact_row("b")))
    assert ids_of(store.read(KEY).facts) == ["a"]
    assert ids_of(store.read(other).facts) == ["b"]


def test_the_identity_behind_a_key_is_written_once(store):
    store.describe(KEY, {"b": 1, "a": "ö"})
    store.describe(KEY, {"other": True})
    [path] = store.root.glob("cells/ab/*/cell.json")
    assert path.read_text("utf-8") == '{"a":"ö","b":1}'


def test_a_parity_sample_comes_back_and_the_newest_stays(store):
    first, second = [{"bucket": "noul:2", "gate_confidence": 0.5}], [{"bucket": "choice:2", "gate_confidence": 0.7}]
    assert store.parity_sample("abc") is None
    store.keep_parity_sample("abc", first)
    store.keep_parity_sample("abc", second)
    assert (store.parity_sample("abc"), store.temperatures("abc")) == (second, None)


def test_temperatures_come_back_as_they_were_kept(store):
    values = [{"bucket": "choice:11+", "raw": 0.1006, "served": 0.5}, {"bucket": "noul:2", "raw": None, "served": 1.0}]
    assert store.temperatures("abc") is None
    store.keep_temperatures("abc", values)
    assert store.temperatures("abc") == values
    assert store.temperatures("abd") is None
    assert json.loads((store.root / "temperatures" / "abc.json").read_text()) == values


def test_done_is_of_the_facts_alone():
    read = CellFacts(facts_table([fact_row("a"), error_row("b")]), timings_table([timing_row("b")]), ())
    assert read.done() == {RowId("a", "baseline", "intent")}


def with_calls(rows, calls, call_ms=8.0):
    ok = [row["case_id"] for row in rows if row["status"] == "ok"]
    timings = timings_table(timing_row(case, call_ms) for case in ok)
    return Part.of(KEY, facts_table(rows), timings, calls_table(calls))


def test_calls_come_back_with_their_rows_and_old_parts_have_none(store):
    store.commit(KEY, part_of(fact_row("old")))
    store.commit(KEY, with_calls([fact_row("a")], [call_row("a", "w-1", 2, None), call_row("a", "w-2", 1)]))
    read = store.read(KEY)
    assert ids_of(read.facts) == ["a", "old"]
    assert [*zip(ids_of(read.calls), read.calls["call"].to_pylist(), strict=True)] == [("a", "w-1"), ("a", "w-2")]
    assert read.damaged == ()


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_the_calls_of_a_row_are_those_of_its_stored_timing(store, order):
    pieces = [
        with_calls([error_row("a")], [call_row("a", "early", 1, None)]),
        with_calls([fact_row("a"), fact_row("b")], [call_row(case, "won", 2, 9.0) for case in "ab"], 9.0),
        with_calls([fact_row("a")], [call_row("a", "lost", 1, 3.0)], 3.0),
    ]
    for i in order:
        store.commit(KEY, pieces[i])
    read = store.read(KEY)
    assert sorted(zip(ids_of(read.calls), read.calls["call"].to_pylist(), strict=True)) == [("a", "won"), ("b", "won")]
    assert read.timings["call_ms"].to_pylist() == [9.0, 9.0]


def test_facts_stand_without_their_calls(store):
    store.commit(KEY, with_calls([fact_row("a")], [call_row("a")]))
    [calls] = store.root.glob(f"cells/ab/{KEY}/calls-*.parquet")
    calls.write_bytes(calls.read_bytes()[:-20])
    read = store.read(KEY)
    assert (ids_of(read.facts), ids_of(read.timings), read.calls.num_rows) == (["a"], ["a"], 0)
    assert [message.startswith("calls-") for message in read.damaged] == [True]
