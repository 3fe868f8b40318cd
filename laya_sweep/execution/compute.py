"""The heart of a worker: presented questions through a loaded engine, as tables. Nothing is located or stored here.

A batch that fails is split until the poison row is alone and becomes an error row; out-of-memory halves a batch;
everything that finished is kept. Where rows of a call move each other, a call is the questions of one case and is not
split: its parts would be other answers.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa

from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodingError, Engine, OutOfMemoryError, by_shape
from laya_sweep.execution.call_check import CallCheck
from laya_sweep.execution.contract import Batching, Counts
from laya_sweep.execution.rows import (
    Issued,
    Prepared,
    RowKeys,
    RowOutcome,
    call_rows,
    fact_rows,
    failure,
    success,
    timing_rows,
)
from laya_sweep.narrowing.cut import NarrowingError
from laya_sweep.narrowing.narrower import Narrower


class Computed(NamedTuple):
    """What came of some variants, by the schemas of the store, and how much work that was."""

    facts: pa.Table
    timings: pa.Table
    calls: pa.Table
    counts: Counts


def compute(
    variants: Iterable[Variant],
    engine: Engine,
    batching: Batching,
    keys: RowKeys,
    narrower: Narrower | None = None,
    *,
    check: CallCheck,
    node: str,
    attempt: int = 1,
) -> Computed:
    """Ask every question of the variants; each ends as a success or an error row.

    Args:
        variants: what is presented.
        engine: a loaded one.
        batching: how rows are put into calls; it never moves a fact.
        keys: the key columns of all rows.
        narrower: what cuts choices down before they are asked.
        check: what watches the engine's calls, as long as it is loaded.
        node: the machine this is on, for timings.
        attempt: which attempt at these variants it is, for timings.

    Raises:
        ParityError: a call mixed up its rows.
        RuntimeError: the engine's shared tokenizer gives other ids than the runtime's own.
    """
    info = engine.info()
    # Rows that go one by one, or case by case, have no order to change.
    together = info.rows_together and batching.size != 1
    asked = tuple(variants)
    before = (check.rows, check.seconds)
    check.begin(f"{keys.cell_key} {asked[0].case_id if asked else ''}")
    computation = _Computation(engine, narrower, check)
    prepared, outcomes = computation.prepare(asked)
    if batching.sort_by_length and together:
        prepared.sort(key=lambda row: (row.encoded.shape, row.encoded.input_tokens))
    for batch in _batches(prepared, batching) if info.rows_together else _cases(prepared):
        outcomes += computation.forward(batch)
    check.settle()
    cuts = [outcome.cut for outcome in outcomes if outcome.cut is not None]
    counts = Counts(
        rows=len(outcomes),
        errors=sum(outcome.error is not None for outcome in outcomes),
        forward_rows=sum(outcome.error is None for outcome in outcomes),
        forward_calls=computation.calls,
        forward_s=sum(outcome.forward_s / max(1, outcome.batch_rows) for outcome in outcomes),
        call_s=sum(outcome.call_s / max(1, outcome.batch_rows) for outcome in outcomes),
        embedded_texts=sum(cut.embedded_texts for cut in cuts),
        elimination_rows=sum(cut.forward_rows for cut in cuts),
        elimination_calls=sum(cut.forward_calls for cut in cuts),
        checked_rows=check.rows - before[0],
        check_s=check.seconds - before[1],
    )
    timings = timing_rows(keys, outcomes, info, node, attempt)
    calls = call_rows(keys, outcomes, batching, together=together)
    return Computed(fact_rows(keys, outcomes), timings, calls, counts)


class _Computation:
    """An engine at work: `calls` counts its calls, those that raised too, and their ids are unique anywhere."""

    def __init__(self, engine: Engine, narrower: Narrower | None, check: CallCheck) -> None:
        self._engine = engine
        self._narrower = narrower
        self._check = check
        self._name = uuid.uuid4().hex[:12]
        self.calls = 0

    def prepare(self, variants: Iterable[Variant]) -> tuple[list[Prepared], list[RowOutcome]]:
        """Questions tokenised, in order, and error rows of those that cannot be; a sample is checked."""
        prepared: list[Prepared] = []
        failed: list[RowOutcome] = []
        for variant in variants:
            for qid in variant.questions:
                try:
                    prepared.append(self._prepared(variant, qid))
                except (EncodingError, NarrowingError) as error:
                    failed.append(failure(variant, qid, error))
        bare = getattr(self._engine, "encode_unshared", None)
        if bare is not None and prepared:
            row = prepared[0]
            if bare(row.variant, row.qid).item["ids"] != row.encoded.item["ids"]:
                raise RuntimeError(f"token ids of {row.variant.case_id} differ from the runtime's own")
        return prepared, failed

    def _prepared(self, variant: Variant, qid: str) -> Prepared:
        """What narrowing took is part of what the answer took."""
        started = time.perf_counter()
        found = None if self._narrower is None else self._narrower.cut(variant, qid)
        shown, cut = (variant, None) if found is None else found
        encoded = self._engine.encode(shown, qid)
        return Prepared(shown, qid, encoded, time.perf_counter() - started, cut)

    def forward(self, batch: Sequence[Prepared], before: tuple[Issued, ...] = ()) -> Iterator[RowOutcome]:
        """One forward; a failure splits the batch until the poison row is alone. `before` are the calls that failed.

        Raises:
            ParityError: what came back is not of these rows.
        """
        started = time.perf_counter()
        self.calls += 1
        call = f"{self._name}-{self.calls}"
        try:
            forward = self._engine.forward([row.encoded for row in batch])
        except (OutOfMemoryError, RuntimeError, ValueError, IndexError, ArithmeticError) as error:
            failed = (*before, Issued(call, len(batch), None))
            if len(batch) == 1 or not self._engine.info().rows_together:
                yield from (failure(row.variant, row.qid, error, failed) for row in batch)
                return
            middle = len(batch) // 2
            yield from self.forward(batch[:middle], failed)
            yield from self.forward(batch[middle:], failed)
            return
        forward_s = time.perf_counter() - started
        self._check.see([row.encoded for row in batch], forward)
        call_s = forward_s + sum(row.encode_s for row in batch)
        issued = (*before, Issued(call, len(batch), call_s))
        length = max(row.encoded.shape.length for row in batch)
        for row, logits, act in zip(batch, forward.logits, forward.act_probability, strict=True):
            yield success(row, logits, float(act), call_s, forward_s, issued, length)


def _cases(rows: Sequence[Prepared]) -> Iterator[list[Prepared]]:
    """The questions of each presented case together, in order."""
    for _, own in groupby(rows, key=lambda row: (row.variant.case_id, row.variant.name)):
        yield [*own]


def _batches(rows: Sequence[Prepared], batching: Batching) -> Iterator[list[Prepared]]:
    """Rows of one shape together, up to as many as were asked for, or as the token budget holds (at least one)."""
    for shape, places in by_shape(row.encoded for row in rows).items():
        step = batching.size or max(1, batching.tokens // shape.length)
        for start in range(0, len(places), step):
            yield [rows[place] for place in places[start : start + step]]
