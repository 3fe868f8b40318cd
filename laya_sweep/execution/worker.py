"""A worker: one loaded checkpoint on one device that turns shards into committed facts.

The same class runs inside a Ray actor and inline. A batch that fails is split until the poison row is alone
and becomes an error row; out-of-memory halves a batch; everything that finished is kept.
"""

from __future__ import annotations

import os
import resource
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence

from laya_sweep.checkpoints.checkpoint import Checkpoint, locate
from laya_sweep.checkpoints.temperatures import resolve_temperatures
from laya_sweep.domain.settings import CheckpointSettings
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodingError, Engine, OutOfMemoryError, Shape
from laya_sweep.engines.loading import load_engine
from laya_sweep.execution.contract import Handshake, Shard, ShardResult, WorkerSpec
from laya_sweep.execution.parity import check_parity
from laya_sweep.execution.rows import (
    Batching,
    Issued,
    Outcome,
    Prepared,
    call_rows,
    fact_rows,
    failure,
    success,
    timing_rows,
)
from laya_sweep.files.hub import HuggingFaceHub
from laya_sweep.narrowing.cut import Cut, NarrowingError
from laya_sweep.narrowing.narrower import Narrower, make_narrower, narrowed_sample
from laya_sweep.store.facts import FactStore, Part

#: The runner shape of a call of several rows, by upstream's name: each row brings its own question.
BATCH_FORM = "requests"

EngineFactory = Callable[..., Engine]

#: ru_maxrss is in kilobytes on Linux and in bytes on macOS.
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Worker:
    """Holds a checkpoint from the handshake on."""

    def __init__(self, spec: WorkerSpec, engine_factory: EngineFactory = load_engine) -> None:
        self._spec = spec
        self._factory = engine_factory
        self._store = FactStore(spec.store_root)
        self._sees_store = False
        self._engine: Engine | None = None
        self._narrower: Narrower | None = None
        self._forward_calls = 0
        self._name = uuid.uuid4().hex[:12]

    @classmethod
    def around(cls, engine: Engine, spec: WorkerSpec, narrower: Narrower | None = None) -> Worker:
        """A worker of an engine that is loaded already: no handshake, and parts are returned, not committed."""
        worker = cls(spec)
        worker._engine = engine
        worker._narrower = narrower
        return worker

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
        checkpoint = self._locate()
        graph = {} if spec.onnx is None else {"onnx": spec.onnx}
        budgets = (spec.max_len, spec.head_max_len)
        self._engine = self._factory(checkpoint.folder, spec.device, spec.threads, *budgets, **graph)
        self._narrower = make_narrower(spec.narrowing, self._engine)
        sample = narrowed_sample(self._narrower, spec.parity_variants)
        load_s = time.perf_counter() - started
        info = self._engine.info()
        self._sees_store = (spec.store_root / spec.store_token).exists()
        return Handshake(
            pid=os.getpid(),
            node=self.node,
            device=info.device,
            threads=info.threads,
            digest=checkpoint.digest,
            temperatures=tuple(resolve_temperatures(checkpoint.temperatures)),
            parity=check_parity(self._engine, sample, spec.min_confidence, on_all=spec.parity_on_all),
            sees_store=self._sees_store,
            load_s=load_s,
            warnings=info.warnings,
        )

    def run(self, shard: Shard) -> ShardResult:
        """Compute and commit a shard; every question of it ends as a success or an error row."""
        calls_before = self._forward_calls
        outcomes = list(self._outcomes(shard))
        cuts = [outcome.cut for outcome in outcomes if outcome.cut is not None]
        part = Part.of(
            shard.cell_key,
            fact_rows(shard, outcomes),
            timing_rows(shard, outcomes, self._loaded.info(), self.node),
            call_rows(shard, outcomes, self._batching()),
        )
        if self._sees_store:
            self._store.commit(shard.cell_key, part)
        return ShardResult(
            cell_key=shard.cell_key,
            rows=len(outcomes),
            errors=sum(outcome.error is not None for outcome in outcomes),
            forward_rows=sum(outcome.error is None for outcome in outcomes),
            forward_calls=self._forward_calls - calls_before,
            forward_s=sum(outcome.forward_s / max(1, outcome.batch_rows) for outcome in outcomes),
            call_s=sum(outcome.call_s / max(1, outcome.batch_rows) for outcome in outcomes),
            peak_rss_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT,
            part=None if self._sees_store else part,
            embedded_texts=sum(cut.embedded_texts for cut in cuts),
            elimination_rows=sum(cut.forward_rows for cut in cuts),
            elimination_calls=sum(cut.forward_calls for cut in cuts),
        )

    def _locate(self) -> Checkpoint:
        """The checkpoint on this node: the driver's folder where it is here, else a download at its commit."""
        spec = self._spec
        local = spec.commit is None or spec.folder.is_dir()
        settings = CheckpointSettings(
            name=spec.checkpoint,
            source=str(spec.folder) if local else spec.source,
            subfolder=None if local else spec.subfolder,
            revision=None if local else spec.commit,
            max_len=spec.max_len,
            head_max_len=spec.head_max_len,
            engine="torch" if spec.onnx is None else "onnx",
            onnx=spec.onnx,
        )
        return locate(settings, HuggingFaceHub())

    def _outcomes(self, shard: Shard) -> Iterator[Outcome]:
        prepared: list[Prepared] = []
        for variant in shard.variants:
            for qid in variant.questions:
                row = self._prepare(variant, qid)
                if isinstance(row, Prepared):
                    prepared.append(row)
                else:
                    yield row
        if prepared:
            self._check_encoding(prepared[0])
        batching = self._batching()
        if batching.sort_by_length_sent:
            prepared.sort(key=lambda row: (row.encoded.shape, row.encoded.input_tokens))
        size = batching.batch_size if batching.batch_form else 1
        for batch in _batches(prepared, batching.batch_tokens, size):
            yield from self._compute(batch)

    def _batching(self) -> Batching:
        """What the run asks, and what of it reaches this engine: rows that go one by one have no order to change."""
        spec = self._spec
        together = getattr(self._loaded, "takes_batches", True) and spec.batch_size != 1
        return Batching(
            batch_size=spec.batch_size,
            batch_tokens=spec.batch_tokens,
            batch_form=BATCH_FORM if together else None,
            sort_by_length=spec.sort_by_length,
            sort_by_length_sent=spec.sort_by_length and together,
        )

    def _prepare(self, variant: Variant, qid: str) -> Prepared | Outcome:
        started = time.perf_counter()
        try:
            shown, cut = self._narrowed(variant, qid)
            encoded = self._loaded.encode(shown, qid)
        except (EncodingError, NarrowingError) as error:
            return failure(variant, qid, error)
        # What narrowing took is part of what the answer took.
        return Prepared(shown, qid, encoded, time.perf_counter() - started, cut)

    def _narrowed(self, variant: Variant, qid: str) -> tuple[Variant, Cut | None]:
        found = None if self._narrower is None else self._narrower.cut(variant, qid)
        return (variant, None) if found is None else found

    def _check_encoding(self, row: Prepared) -> None:
        """A sample of every shard: the kept token ids against those of the bare tokenizer."""
        bare = getattr(self._loaded, "encode_unshared", None)
        if bare is not None and bare(row.variant, row.qid).item["ids"] != row.encoded.item["ids"]:
            raise RuntimeError(f"token ids of {row.variant.case_id} differ from the runtime's own")

    def _compute(self, batch: Sequence[Prepared], before: tuple[Issued, ...] = ()) -> Iterator[Outcome]:
        """One forward; a failure splits the batch until the poison row is alone. `before` are the calls that failed."""
        started = time.perf_counter()
        self._forward_calls += 1
        call = f"{self._name}-{self._forward_calls}"
        try:
            forward = self._loaded.forward([row.encoded for row in batch])
            if len(forward.logits) != len(batch) or len(forward.act_probability) != len(batch):
                raise RuntimeError(f"expected {len(batch)} rows of logits, got {len(forward.logits)}")
        except (OutOfMemoryError, RuntimeError, ValueError, IndexError, ArithmeticError) as error:
            failed = (*before, Issued(call, len(batch), None))
            if len(batch) == 1:
                yield failure(batch[0].variant, batch[0].qid, error, failed)
                return
            middle = len(batch) // 2
            yield from self._compute(batch[:middle], failed)
            yield from self._compute(batch[middle:], failed)
            return
        forward_s = time.perf_counter() - started
        call_s = forward_s + sum(row.encode_s for row in batch)
        issued = (*before, Issued(call, len(batch), call_s))
        for row, logits, act in zip(batch, forward.logits, forward.act_probability, strict=True):
            yield success(row, logits, float(act), call_s, forward_s, issued)

    @property
    def _loaded(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("the worker got work before its handshake")
        return self._engine


def _batches(rows: Sequence[Prepared], tokens: int, size: int | None) -> Iterator[list[Prepared]]:
    """Rows of one shape together, up to `size` rows, or as many as the token budget holds (at least one)."""
    groups: dict[Shape, list[Prepared]] = {}
    for row in rows:
        groups.setdefault(row.encoded.shape, []).append(row)
    for shape, group in groups.items():
        step = size or max(1, tokens // shape.length)
        for start in range(0, len(group), step):
            yield group[start : start + step]
