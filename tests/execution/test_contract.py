"""One contract suite for every backend: inline and Ray inherit it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from behaviour import broken, disagreeing, elsewhere, misbehaving
from processes import running_cluster

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.settings import CheckpointSettings, ExecutorSettings
from laya_sweep.errors import IncompleteError, ParityError, UsageError
from laya_sweep.execution.contract import Batching, ParityTask, Shard, WorkerSpec
from laya_sweep.execution.events import CaseLost, ShardDone, ShardRetried, WorkerDropped, WorkerReady
from laya_sweep.execution.inline import InlineBackend
from laya_sweep.execution.pool import Pool
from laya_sweep.execution.rows import error_part
from laya_sweep.execution.software import software_here
from laya_sweep.files.hub import HuggingFaceHub
from laya_sweep.store.facts import FactStore
from laya_sweep.transforms.registry import variants_of

KEY = "ab" * 32
TOKEN = ".visible"


def ray_backend(settings, factory):
    from laya_sweep.execution.ray_backend import RayBackend

    return RayBackend(settings, factory)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster that every test here joins: a Ray of its own for each would take most of their time."""
    with pytest.MonkeyPatch.context() as patch, running_cluster(tmp_path_factory.mktemp("cluster"), cpus=[2]) as made:
        for name, value in made.environment.items():
            patch.setenv(name, value)
        yield made.address


@pytest.fixture(params=["inline", pytest.param("ray", marks=[pytest.mark.ray, pytest.mark.slow])])
def backend_of(request):
    """Makes a backend of the parametrised kind and closes it."""
    made = []
    address = request.getfixturevalue("cluster") if request.param == "ray" else None

    def make(factory, **changes):
        settings = executor(request.param, address=address, **changes)
        made.append(InlineBackend(factory) if request.param == "inline" else ray_backend(settings, factory))
        return made[-1], settings

    yield make
    for backend in made:
        backend.close()


def executor(name, **changes):
    fields = {
        "address": None,
        "num_actors": 1 if name == "inline" else 2,
        "num_cpus": 1,
        "num_gpus": 0,
        "handshake_timeout_s": 60,
        "shard_timeout_s": 60,
        "max_failures": 3,
    }
    return ExecutorSettings(name=name, **(fields | changes))


@pytest.fixture
def checkpoint(tmp_path):
    """A folder that is located as a checkpoint; the scripted engines never read it."""
    folder = tmp_path / "checkpoint"
    (folder / "tokenizer").mkdir(parents=True)
    (folder / "rl_agent_config.json").write_text(json.dumps({"max_len": 64}))
    (folder / "model.safetensors").write_bytes(b"weights")
    return locate(CheckpointSettings("scripted", str(folder), None, None, None, None), HuggingFaceHub())


@pytest.fixture
def store(tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    (root / TOKEN).touch()
    return FactStore(root)


def spec_of(checkpoint, store, sample=(), token=TOKEN, device="cpu", software=None):
    return WorkerSpec(
        checkpoint=checkpoint,
        device=device,
        threads=1,
        batching=Batching(10_000),
        parity=ParityTask(tuple(sample), (0.5,)),
        software=software_here(checkpoint.engine.libraries) if software is None else software,
        store_root=store.root.absolute(),
        store_token=token,
    )


def variants(*states):
    question = {"type": "choice", "instructions": "?", "criteria": {"a": "A", "b": "B", "c": "C"}}
    drafts = [Draft(str(i), i, "en", state, {"q": question}, {"q": "a"}) for i, state in enumerate(states)]
    return tuple(variant for case in freeze(drafts) for variant in variants_of("baseline", case))


def shards_of(presented, size=4):
    pieces = [presented[i : i + size] for i in range(0, len(presented), size)]
    return [Shard(KEY, "scripted", "en", "baseline", piece, float(len(piece))) for piece in pieces]


def run(backend, settings, spec, shards):
    return list(Pool(backend, {"scripted": spec}, settings).run(shards))


def statuses(store):
    facts = store.read(KEY).facts.to_pylist()
    return {row["case_id"]: row["status"] for row in facts}


class TestEveryBackend:
    """What holds wherever workers live."""

    def test_every_row_is_committed_once_and_the_worker_says_what_it_is(self, backend_of, checkpoint, store):
        backend, settings = backend_of(misbehaving)
        presented = variants(*(f"case {i}" for i in range(10)))
        events = run(backend, settings, spec_of(checkpoint, store, presented[:3]), shards_of(presented))
        hand = next(event.handshake for event in events if isinstance(event, WorkerReady))
        assert (hand.device, hand.threads, hand.digest, hand.sees_store) == ("cpu", 1, checkpoint.digest, True)
        assert (hand.parity.cases, hand.parity.marks, hand.parity.mark_disagreements) == (3, 3, 0)
        assert hand.parity.max_difference <= 5e-5  # the runtime's rounding to 4 decimals
        assert sum(event.result.rows for event in events if isinstance(event, ShardDone)) == 10
        assert statuses(store) == {variant.case_id: "ok" for variant in presented}

    def test_out_of_memory_halves_batches_and_loses_nothing(self, backend_of, checkpoint, store):
        backend, settings = backend_of(misbehaving)
        presented = variants(*("same length" + chr(97 + i) for i in range(8)))
        events = run(backend, settings, spec_of(checkpoint, store), shards_of(presented, 8))
        [done] = [event.result for event in events if isinstance(event, ShardDone)]
        assert (done.rows, done.errors, done.forward_rows) == (8, 0, 8)
        assert done.forward_calls == 1 + 2 + 4  # 8 rows, 4, and the 2 that fit
        assert set(statuses(store).values()) == {"ok"}

    def test_a_poison_case_becomes_one_error_row(self, backend_of, checkpoint, store):
        backend, settings = backend_of(misbehaving)
        presented = variants("aaaaaa", "POISON", "bbbbbb", "cccccc")
        run(backend, settings, spec_of(checkpoint, store), shards_of(presented))
        facts = {row["case_id"]: row for row in store.read(KEY).facts.to_pylist()}
        assert [facts[variant.case_id]["status"] for variant in presented] == ["ok", "error", "ok", "ok"]
        poison = facts[presented[1].case_id]
        assert (poison["error_type"], poison["error_message"]) == ("ValueError", "the poison case")
        assert poison["logits"] is None

    def test_a_success_wins_over_an_earlier_error_row(self, backend_of, checkpoint, store):
        backend, settings = backend_of(misbehaving)
        [shard] = shards_of(variants("a case"))
        store.commit(KEY, error_part(shard, "OSError", "an earlier run"))
        assert set(statuses(store).values()) == {"error"}
        run(backend, settings, spec_of(checkpoint, store), [shard])
        assert set(statuses(store).values()) == {"ok"}

    def test_a_worker_that_does_not_see_the_store_returns_the_part(self, backend_of, checkpoint, store):
        backend, settings = backend_of(misbehaving)
        presented = variants("a case", "another")
        events = run(backend, settings, spec_of(checkpoint, store, token=".not-there"), shards_of(presented))
        [done] = [event.result for event in events if isinstance(event, ShardDone)]
        assert statuses(store) == {}
        assert done.part is not None
        store.commit(KEY, done.part)
        assert set(statuses(store).values()) == {"ok"}

    def test_disagreement_with_the_runtime_stops_everything(self, backend_of, checkpoint, store):
        backend, settings = backend_of(disagreeing)
        presented = variants("a case")
        with pytest.raises(ParityError, match=r"difference of 0\.01"):
            run(backend, settings, spec_of(checkpoint, store, presented), shards_of(presented))
        assert statuses(store) == {}

    def test_a_worker_of_other_software_is_refused_by_its_node(self, backend_of, checkpoint, store):
        backend, settings = backend_of(misbehaving)
        here = software_here(checkpoint.engine.libraries)
        edited = here._replace(code="0" * 64)
        with pytest.raises(
            UsageError, match=r"node \S+: expected the software of this process, got code of laya_sweep"
        ):
            run(backend, settings, spec_of(checkpoint, store, software=edited), shards_of(variants("a case")))
        assert statuses(store) == {}

    @pytest.mark.parametrize(("factory", "reason"), [(elsewhere, "expected cpu, got cuda"), (broken, "OSError")])
    def test_workers_that_cannot_start_end_the_run_with_the_reason(
        self, backend_of, checkpoint, store, factory, reason
    ):
        backend, settings = backend_of(factory)
        with pytest.raises(IncompleteError, match=reason):
            run(backend, settings, spec_of(checkpoint, store), shards_of(variants("a case")))


@pytest.mark.ray
@pytest.mark.slow
class TestRayAlone:
    """What only a process of its own can do."""

    @pytest.fixture
    def run_on(self, cluster):
        """Runs shards on actors of the cluster and gives the events."""

        def go(spec, shards, **changes):
            settings = executor("ray", address=cluster, **changes)
            backend = ray_backend(settings, misbehaving)
            try:
                return run(backend, settings, spec, shards)
            finally:
                backend.close()

        return go

    def test_a_case_that_kills_its_worker_is_isolated_and_the_rest_is_computed(self, run_on, checkpoint, store):
        presented = variants("aaa", "DIE", "bbb", "ccc")
        events = run_on(spec_of(checkpoint, store), shards_of(presented), num_actors=1)
        [lost] = [event for event in events if isinstance(event, CaseLost)]
        assert [variant.case_id for variant in lost.shard.variants] == [presented[1].case_id]
        assert statuses(store) == {variant.case_id: "ok" for i, variant in enumerate(presented) if i != 1}
        assert any(isinstance(event, WorkerDropped) for event in events)
        assert any(isinstance(event, ShardRetried) and event.pieces == 2 for event in events)

    def test_a_worker_that_dies_once_is_replaced_and_nothing_is_lost(self, run_on, checkpoint, store, tmp_path):
        presented = variants(f"DIE-ONCE:{tmp_path / 'died'}", *(f"case {i}" for i in range(20)))
        events = run_on(spec_of(checkpoint, store), shards_of(presented))
        assert (Path(tmp_path) / "died").exists()
        assert statuses(store) == {variant.case_id: "ok" for variant in presented}
        assert not any(isinstance(event, CaseLost) for event in events)

    def test_a_hanging_case_meets_its_deadline(self, run_on, checkpoint, store):
        presented = variants("aaa", "HANG")
        events = run_on(spec_of(checkpoint, store), shards_of(presented, 1), num_actors=1, shard_timeout_s=3)
        assert [event.shard.variants[0].case_id for event in events if isinstance(event, CaseLost)] == [
            presented[1].case_id
        ]
        assert statuses(store) == {presented[0].case_id: "ok"}
