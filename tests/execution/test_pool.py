"""The pool's rules on a backend of plain values: who gets what, when, and what a loss leads to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laya_sweep.domain.settings import ExecutorSettings
from laya_sweep.domain.variant import Variant
from laya_sweep.errors import IncompleteError, UsageError
from laya_sweep.execution.contract import (
    Handshake,
    Parity,
    Shard,
    ShardResult,
    WorkerFaultError,
    WorkerLostError,
    WorkerSpec,
)
from laya_sweep.execution.events import CaseLost, ShardDone, WorkerDropped
from laya_sweep.execution.pool import Pool
from laya_sweep.execution.queue import ShardQueue, on_trial, retry
from laya_sweep.execution.software import Software

SOFTWARE = Software({"torch": "2.0"}, "c" * 64)


class Named(NamedTuple):
    """As much of a checkpoint as the pool reads."""

    name: str
    digest: str = "d"


@dataclass(eq=False)
class FakeCall:
    """A call that is answered when the backend says so."""

    handle: int
    shard: Shard | None


@dataclass
class FakeBackend:
    """Answers one call a wait, oldest first; `fate(handle, shard)` may return an exception to raise instead."""

    room: int
    fate: object = None
    greetings: dict = field(default_factory=dict)
    log: list = field(default_factory=list)
    peak: dict = field(default_factory=dict)
    started: list = field(default_factory=list)
    stopped: list = field(default_factory=list)
    left_out: list = field(default_factory=list)

    def slots(self):
        return self.room

    def start(self, spec):
        self.started.append(spec.checkpoint.name)
        return len(self.started)

    def greet(self, handle):
        return FakeCall(handle, None)

    def submit(self, handle, shard):
        self.log.append((handle, shard))
        return FakeCall(handle, shard)

    def wait(self, calls, timeout_s):
        for handle in {call.handle for call in calls}:
            flying = sum(call.handle == handle and call.shard is not None for call in calls)
            self.peak[handle] = max(self.peak.get(handle, 0), flying)
        return list(calls)[:1]

    def collect(self, call):
        if call.shard is None:
            return self.greetings.get(self.started[call.handle - 1], handshake())
        error = self.fate(call.handle, call.shard) if self.fate else None
        if error is not None:
            raise error
        rows = call.shard.rows
        counts = {"rows": rows, "errors": 0, "forward_rows": rows, "forward_calls": 1, "forward_s": 0.1, "call_s": 0.1}
        return ShardResult(cell_key=call.shard.cell_key, **counts, peak_rss_bytes=1, part=None)

    def leave_out(self, node):
        self.left_out.append(node)
        self.room -= 1
        return self.room

    def stop(self, handle):
        self.stopped.append(handle)

    def close(self):
        raise AssertionError("the pool does not own the backend")


def handshake(**changes):
    fields = {
        "pid": 1,
        "node": "n",
        "device": "cpu",
        "threads": 1,
        "digest": "d",
        "temperatures": (),
        "software": SOFTWARE,
    }
    fields |= {"parity": Parity(8, 5e-5, 8, 0), "sees_store": True, "load_s": 0.1, "warnings": ()}
    return Handshake(**(fields | changes))


def specs(*names):
    common = dict.fromkeys(WorkerSpec.__dataclass_fields__) | {"device": "cpu", "threads": 1}
    common["software"] = SOFTWARE
    return {name: WorkerSpec(**(common | {"checkpoint": Named(name)})) for name in names}


def settings(**changes):
    fields = {"name": "ray", "address": None, "num_actors": 2, "num_cpus": 1, "num_gpus": 0.0}
    fields |= {"handshake_timeout_s": 60.0, "shard_timeout_s": 60.0, "max_failures": 3}
    return ExecutorSettings(**(fields | changes))


def shard(name, cost, cases=1, checkpoint="a"):
    question = {"q": {"type": "noul", "instructions": "?"}}
    made = tuple(Variant(f"{name}{i}", "baseline", "s", question, {"q": (0, 1)}) for i in range(cases))
    return Shard(name, checkpoint, "en", "baseline", made, cost)


def run(backend, shards, names=("a",), **changes):
    return list(Pool(backend, specs(*names), settings(**changes)).run(shards))


def test_the_costliest_shard_goes_first_and_two_are_in_flight_at_most():
    backend = FakeBackend(room=2)
    costs = [3.0, 9.0, 1.0, 7.0, 5.0]
    run(backend, [shard(f"s{cost}", cost) for cost in costs])
    assert [piece.cost for _, piece in backend.log] == sorted(costs, reverse=True)
    assert max(backend.peak.values()) == 2


def test_every_ready_worker_gets_a_first_shard_before_anyone_gets_a_second():
    backend = FakeBackend(room=2)
    run(backend, [shard(f"s{i}", 10.0 - i) for i in range(6)])
    first_of_second_worker = next(i for i, (handle, _) in enumerate(backend.log) if handle == 2)
    assert [handle for handle, _ in backend.log[:first_of_second_worker]].count(1) <= 2


def test_a_worker_keeps_its_checkpoint_and_then_makes_way():
    backend = FakeBackend(room=1)
    shards = [shard(f"a{i}", 5.0, checkpoint="a") for i in range(3)] + [
        shard(f"b{i}", 1.0, checkpoint="b") for i in range(3)
    ]
    run(backend, shards, names=("a", "b"))
    assert backend.started == ["a", "b"]  # two loads for two checkpoints, whatever the number of shards
    assert [piece.checkpoint for _, piece in backend.log] == ["a"] * 3 + ["b"] * 3


def test_no_worker_is_started_that_would_have_no_shard():
    backend = FakeBackend(room=8)
    run(backend, [shard("only", 1.0)], num_actors=8)
    assert backend.started == ["a"]


def test_nothing_to_run_starts_nothing():
    backend = FakeBackend(room=2)
    assert run(backend, []) == []
    assert backend.started == []


def test_a_lost_worker_blames_the_shard_it_worked_on_and_not_the_one_behind():
    def fate(handle, piece):
        return WorkerLostError("died") if handle == 1 and piece.cost == 9.0 else None

    backend = FakeBackend(room=1, fate=fate)
    run(backend, [shard("first", 9.0), shard("behind", 8.0)], num_actors=1)
    again = {piece.cell_key: piece.attempt for handle, piece in backend.log if handle == 2}
    assert again == {"first": 2, "behind": 1}


def test_a_worker_that_fails_three_times_in_a_row_is_replaced():
    backend = FakeBackend(room=1, fate=lambda handle, _: WorkerFaultError("disk full") if handle == 1 else None)
    events = run(backend, [shard(f"s{i}", 1.0) for i in range(4)], num_actors=1)
    assert backend.stopped[0] == 1
    assert len(backend.started) == 2
    assert sum(isinstance(event, ShardDone) for event in events) == 4


def test_a_mismatched_handshake_is_refused_and_bounded():
    backend = FakeBackend(room=1, greetings={"a": handshake(digest="other weights")})
    with pytest.raises(IncompleteError, match="checkpoint digest: expected d, got other weights"):
        run(backend, [shard("s", 1.0)], num_actors=1)
    assert len(backend.started) == 3


def test_a_node_with_other_software_is_left_out_by_name_and_the_others_do_its_work():
    class TwoNodes(FakeBackend):
        def collect(self, call):
            if call.shard is None and call.handle == 1:
                return handshake(node="old/1", software=SOFTWARE._replace(versions={"torch": "1.9"}))
            return super().collect(call)

    backend = TwoNodes(room=2)
    events = run(backend, [shard(f"s{i}", 1.0) for i in range(4)])
    [dropped] = [event for event in events if isinstance(event, WorkerDropped)]
    assert dropped.reason == "node old/1 is left out: torch: expected 2.0, got 1.9"
    assert backend.left_out == ["old/1"]
    assert sum(isinstance(event, ShardDone) for event in events) == 4
    assert {handle for handle, _ in backend.log} == {2}


def test_where_no_node_has_this_software_all_of_them_are_named():
    class Edited(FakeBackend):
        def collect(self, call):
            return handshake(node=f"node {call.handle}", software=SOFTWARE._replace(code="d" * 64))

    backend = Edited(room=2)
    expected = "expected the software of this process, got code of laya_sweep: expected cccccccccccc, got dddddddddddd"
    with pytest.raises(UsageError) as refused:
        run(backend, [shard(f"s{i}", 1.0) for i in range(4)])
    assert [str(problem).split(";")[0] for problem in refused.value.problems] == [
        f"node node 1: {expected}",
        f"node node 2: {expected}",
    ]
    assert (backend.log, len(backend.started)) == ([], 2)


def test_a_hung_worker_meets_its_deadline_on_the_pool_s_clock():
    ticks = iter(range(0, 100_000, 40))

    class Hung(FakeBackend):
        def wait(self, calls, timeout_s):
            return [call for call in calls if call.shard is None or call.handle > 1][:1]

    backend = Hung(room=1)
    pool = Pool(
        backend,
        specs("a"),
        settings(num_actors=1, shard_timeout_s=100.0, handshake_timeout_s=1e6),
        clock=lambda: next(ticks),
    )
    events = list(pool.run([shard("s", 1.0)]))
    assert backend.stopped[0] == 1
    assert isinstance(events[-1], ShardDone)


@given(cases=st.integers(1, 40), poison=st.integers(0, 39))
def test_a_poison_case_is_isolated_and_every_other_case_is_computed_once(cases, poison):
    poison %= cases
    name = f"s{poison}"

    def fate(_, piece):
        return WorkerLostError("killed") if any(variant.case_id == name for variant in piece.variants) else None

    backend = FakeBackend(room=2, fate=fate)
    events = run(backend, [shard("s", 1.0, cases)])
    done = [variant.case_id for event in events if isinstance(event, ShardDone) for variant in event.shard.variants]
    lost = [variant.case_id for event in events if isinstance(event, CaseLost) for variant in event.shard.variants]
    assert lost == [name]
    assert sorted([*done, *lost]) == sorted(f"s{i}" for i in range(cases))


def test_a_case_on_its_last_attempt_runs_alone():
    """Else a neighbour that kills the worker could take it along, and it would be written off with it."""
    crowds = []

    class Watched(FakeBackend):
        def wait(self, calls, timeout_s):
            flying = [call.shard for call in calls if call.shard is not None]
            crowds.extend(len(flying) for shard in flying if on_trial(shard))
            return super().wait(calls, timeout_s)

    backend = Watched(1, fate=lambda handle, shard: WorkerLostError("killed"))
    events = run(backend, [shard("s", 1.0, cases=1), shard("t", 2.0, cases=1)])
    assert sum(isinstance(event, CaseLost) for event in events) == 2
    assert set(crowds) == {1}


def test_retry_ends():
    pieces, rounds = [shard("s", 8.0, 13)], 0
    while pieces:
        pieces = [part for piece in pieces for part in retry(piece)]
        rounds += 1
    assert rounds <= 6  # once more whole, then halves: 13, 7, 4, 2, 1, gone


def test_the_queue_serves_each_checkpoint_by_cost():
    queue = ShardQueue([shard("x", 1.0), shard("y", 3.0), shard("z", 2.0, checkpoint="b")])
    assert [queue.take("a").cost, queue.take("a").cost] == [3.0, 1.0]
    assert (queue.has("a"), queue.has("b"), queue.checkpoints()) == (False, True, ["b"])
