"""From a plan to committed facts: makes the workers' specs, runs the pool, and says when a cell is complete."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.domain.settings import ExecutorSettings, Settings
from laya_sweep.domain.variant import Variant
from laya_sweep.execution.backend import make_backend
from laya_sweep.execution.contract import Backend, Batching, ParityTask, Shard, WorkerSpec
from laya_sweep.execution.events import CaseLost, CheckpointDistrusted, Event, ShardDone, WorkerReady
from laya_sweep.execution.parity import PARITY_CASES
from laya_sweep.execution.pool import Pool
from laya_sweep.execution.rows import error_part
from laya_sweep.execution.software import software_here
from laya_sweep.files.atomic import write_bytes
from laya_sweep.narrowing.narrower import require_embedder
from laya_sweep.run.console import Bar
from laya_sweep.run.plan import Cell, Plan, shards
from laya_sweep.store.facts import FactStore

#: Cases handed to the parity check to choose from: some may not fit the checkpoint.
PARITY_CANDIDATES = 64


@dataclass(slots=True)
class InferenceStats:
    """What inference did: counts and seconds, for provenance."""

    forward_rows: int = 0
    forward_calls: int = 0
    forward_s: float = 0.0
    call_s: float = 0.0
    wall_s: float = 0.0
    actor_peak_rss_bytes: int = 0
    embedded_texts: int = 0
    elimination_rows: int = 0
    elimination_calls: int = 0
    checked_rows: int = 0
    check_s: float = 0.0
    workers: list[dict[str, Any]] = field(default_factory=list)

    def see(self, event: Event) -> None:
        """Count one event."""
        if isinstance(event, ShardDone):
            result = event.result
            self.forward_rows += result.forward_rows
            self.forward_calls += result.forward_calls
            self.embedded_texts += result.embedded_texts
            self.elimination_rows += result.elimination_rows
            self.elimination_calls += result.elimination_calls
            self.checked_rows += result.checked_rows
            self.check_s += result.check_s
            self.forward_s += result.forward_s
            self.call_s += result.call_s
            self.actor_peak_rss_bytes = max(self.actor_peak_rss_bytes, result.peak_rss_bytes)
        elif isinstance(event, WorkerReady):
            hand = event.handshake
            self.workers.append(
                {
                    "checkpoint": event.checkpoint,
                    "pid": hand.pid,
                    "node": hand.node,
                    "device": hand.device,
                    "threads": hand.threads,
                    "load_s": hand.load_s,
                    "parity_max_difference": hand.parity.max_difference,
                    "parity_cases": hand.parity.cases,
                    "parity_shared_rows": hand.parity.shared_rows,
                }
            )


def infer(
    plan: Plan,
    settings: Settings,
    store: FactStore,
    bar: Bar,
    ready: Callable[[WorkerReady], None],
    finished: Callable[[Cell], None],
    backend_of: Callable[[ExecutorSettings], Backend] = make_backend,
) -> InferenceStats:
    """Run what is pending; `ready` is called for each worker, `finished` for each cell whose last shard is done.

    Starts no backend, and so neither Ray nor torch, when nothing is pending.

    Raises:
        UsageError: something is pending, and its embedder cannot be imported.
    """
    stats, started = InferenceStats(), time.perf_counter()
    todo = shards(plan.cells, settings.shard_cases)
    if not todo:
        return stats
    require_embedder(settings.narrowing)
    cells: dict[str, list[Cell]] = {}
    for cell in plan.cells:
        cells.setdefault(cell.key, []).append(cell)
    committed: list[tuple[Shard, str]] = []
    waiting: Counter[str] = Counter()
    for shard in todo:
        waiting[shard.cell_key] += shard.rows
    with _visibility_token(store.root) as token, _closing(backend_of(settings.executor)) as backend:
        specs = _specs(plan, settings, store, token)
        for event in Pool(backend, specs, settings.executor).run(todo):
            stats.see(event)
            bar.see(event)
            if isinstance(event, WorkerReady):
                ready(event)
            if isinstance(event, CheckpointDistrusted):
                for shard, name in committed:
                    if shard.checkpoint == event.checkpoint:
                        store.withdraw(shard.cell_key, name)
            if isinstance(event, ShardDone | CaseLost):
                store.describe(event.shard.cell_key, cells[event.shard.cell_key][0].identity)
                committed.append((event.shard, _keep(event, store)))
                waiting[event.shard.cell_key] -= event.shard.rows
                if waiting[event.shard.cell_key] == 0:
                    for cell in cells[event.shard.cell_key]:
                        finished(cell)
    stats.wall_s = time.perf_counter() - started
    return stats


def _keep(event: ShardDone | CaseLost, store: FactStore) -> str:
    """Commit what the worker could not; the name of the part, whoever committed it."""
    if isinstance(event, CaseLost):
        return store.commit(event.shard.cell_key, error_part(event.shard, "WorkerLostError", event.reason))
    if event.result.part is not None:
        return store.commit(event.shard.cell_key, event.result.part)
    return event.result.committed or ""


@contextmanager
def _closing(backend: Backend) -> Iterator[Backend]:
    try:
        yield backend
    finally:
        backend.close()


@contextmanager
def _visibility_token(root: Path) -> Iterator[str]:
    """A file in the store that a worker looks for, to know whether it sees the driver's store."""
    name = f".visible-{uuid.uuid4().hex}"
    write_bytes(root / name, b"")
    try:
        yield name
    finally:
        (root / name).unlink(missing_ok=True)


def _specs(plan: Plan, settings: Settings, store: FactStore, token: str) -> dict[str, WorkerSpec]:
    return {
        checkpoint.name: _spec(checkpoint, _parity_cases(plan, checkpoint.name, settings), settings, store, token)
        for checkpoint in plan.checkpoints
    }


def _spec(
    checkpoint: Checkpoint, sample: tuple[Variant, ...], settings: Settings, store: FactStore, token: str
) -> WorkerSpec:
    return WorkerSpec(
        checkpoint=checkpoint,
        device=settings.executor.device,
        threads=settings.executor.num_cpus,
        batching=Batching(settings.batch_tokens, settings.batch_size, settings.sort_by_length),
        parity=ParityTask(sample, settings.min_confidence, settings.dataset.parity_on_all),
        software=software_here(checkpoint.engine.libraries),
        store_root=store.root.absolute(),
        store_token=token,
        narrowing=settings.narrowing,
    )


def _parity_cases(plan: Plan, checkpoint: str, settings: Settings) -> tuple[Variant, ...]:
    if settings.dataset.parity_on_all:
        return tuple(variant for cell in plan.cells if cell.asked_of == checkpoint for variant in cell.pending)
    return _parity_sample(plan.cells, checkpoint)


def _parity_sample(cells: Sequence[Cell], checkpoint: str) -> tuple[Variant, ...]:
    """Pending variants spread over the checkpoint's cells, and so are the first few of them."""
    pending = [variant for cell in cells if cell.asked_of == checkpoint for variant in cell.pending]
    step = max(1, len(pending) // PARITY_CANDIDATES)
    even = pending[::step][:PARITY_CANDIDATES]
    return tuple(variant for offset in range(PARITY_CASES) for variant in even[offset::PARITY_CASES])
