"""A worker: one loaded checkpoint on one device that turns shards into committed facts.

The same class runs inside a Ray actor and inline.
"""

from __future__ import annotations

import dataclasses
import os
import socket
import time
from collections.abc import Callable

from laya_sweep.checkpoints.checkpoint import locate_here
from laya_sweep.checkpoints.temperatures import resolve_temperatures
from laya_sweep.engines.engine import Engine
from laya_sweep.engines.loading import load_engine
from laya_sweep.execution.call_check import CallCheck
from laya_sweep.execution.compute import compute
from laya_sweep.execution.contract import Handshake, Shard, ShardResult, WorkerSpec
from laya_sweep.execution.machine import peak_rss_bytes
from laya_sweep.execution.parity import check_parity
from laya_sweep.execution.rows import RowKeys
from laya_sweep.execution.software import software_here
from laya_sweep.files.hub import HuggingFaceHub
from laya_sweep.narrowing.narrower import Narrower, make_narrower, narrowed_sample
from laya_sweep.store.facts import FactStore, Part

#: Takes what `load_engine` takes.
EngineFactory = Callable[..., Engine]


class Worker:
    """Holds a checkpoint from the handshake on."""

    def __init__(self, spec: WorkerSpec, engine_factory: EngineFactory = load_engine) -> None:
        self._spec = spec
        self._factory = engine_factory
        self._store = FactStore(spec.store_root)
        self._sees_store = False
        self._engine: Engine | None = None
        self._check: CallCheck | None = None
        self._narrower: Narrower | None = None

    @property
    def node(self) -> str:
        """The machine this worker is on."""
        return socket.gethostname()

    def handshake(self) -> Handshake:
        """Load the checkpoint, check parity, and say what this process is."""
        spec, started = self._spec, time.perf_counter()
        if spec.device == "cpu":
            # A Ray actor without GPUs can still see them; a CPU worker must not.
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        checkpoint = locate_here(spec.checkpoint, HuggingFaceHub())
        self._engine = self._factory(checkpoint, spec.device, spec.threads)
        self._check = CallCheck(self._engine, checkpoint.name)
        self._narrower = make_narrower(spec.narrowing, self._engine, self._check.see)
        sample = narrowed_sample(self._narrower, spec.parity.variants)
        load_s = time.perf_counter() - started
        info = self._engine.info()
        self._sees_store = (spec.store_root / spec.store_token).exists()
        return Handshake(
            pid=os.getpid(),
            node=self.node,
            device=info.device,
            threads=info.threads,
            digest=checkpoint.digest,
            software=software_here(checkpoint.engine.libraries),
            temperatures=tuple(resolve_temperatures(checkpoint.temperatures)),
            parity=check_parity(
                self._engine,
                sample,
                spec.parity.min_confidence,
                name=checkpoint.name,
                batching=spec.batching,
                on_all=spec.parity.on_all,
            ),
            sees_store=self._sees_store,
            load_s=load_s,
            warnings=info.warnings,
        )

    def run(self, shard: Shard) -> ShardResult:
        """Compute and commit a shard; every question of it ends as a success or an error row."""
        if self._engine is None or self._check is None:
            raise RuntimeError("the worker got work before its handshake")
        keys = RowKeys(shard.cell_key, shard.language, shard.transform)
        facts, timings, calls, counts = compute(
            shard.variants,
            self._engine,
            self._spec.batching,
            keys,
            self._narrower,
            check=self._check,
            node=self.node,
            attempt=shard.attempt,
        )
        part = Part.of(shard.cell_key, facts, timings, calls)
        committed = self._store.commit(shard.cell_key, part) if self._sees_store else None
        return ShardResult(
            **dataclasses.asdict(counts),
            cell_key=shard.cell_key,
            peak_rss_bytes=peak_rss_bytes(),
            part=None if self._sees_store else part,
            committed=committed,
        )
