"""Rows of facts, timings and calls: of each question a success or an error, and what was issued for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from laya_sweep.domain.question import option_count
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodedQuestion, EngineInfo
from laya_sweep.execution.contract import Batching, Shard
from laya_sweep.narrowing.cut import Cut
from laya_sweep.store.facts import Part
from laya_sweep.store.schemas import CALLS, FACTS, TIMINGS

#: The runner shape of a call of several rows, by upstream's name: each row brings its own question.
BATCH_FORM = "requests"


class RowKeys(NamedTuple):
    """The key columns that all rows of a computation share."""

    cell_key: str
    language: str
    transform: str


class Prepared(NamedTuple):
    """A tokenised question on its way to the model."""

    variant: Variant
    qid: str
    encoded: EncodedQuestion
    encode_s: float
    cut: Cut | None = None


class Issued(NamedTuple):
    """One call of the engine: an id, the rows in it, and its seconds, None where it raised."""

    call: str
    rows: int
    call_s: float | None


class RowOutcome(NamedTuple):
    """What became of one question: numbers or an error, and how it was computed. `issued` are its calls, in order."""

    variant: Variant
    qid: str
    numbers: dict[str, Any]
    error: BaseException | None
    call_s: float
    forward_s: float
    batch_rows: int
    padded_len: int
    issued: tuple[Issued, ...] = ()
    cut: Cut | None = None


def success(
    row: Prepared,
    logits: np.ndarray[Any, np.dtype[np.float32]],
    act: float,
    call_s: float,
    forward_s: float,
    issued: tuple[Issued, ...],
    padded_len: int,
) -> RowOutcome:
    """Logits back in canonical order (of a narrowed question: of what was kept), with what the tokeniser counted."""
    encoded = row.encoded
    if not np.isfinite(logits).all():
        return failure(row.variant, row.qid, ValueError("the model returned logits that are not finite"), issued)
    if not np.isfinite(act):
        return failure(row.variant, row.qid, ValueError(f"the model returned {act} as act probability"), issued)
    order = [row.variant.canonical_indices[row.qid][slot] for slot in encoded.slots]
    canonical = np.empty(len(order), dtype=np.float32)
    canonical[order] = logits
    numbers = {
        "n_options": len(order),
        "logits": canonical.tolist(),
        "presented_order": order,
        "act_probability": act,
        "input_tokens": encoded.input_tokens,
        "state_tokens": encoded.state_tokens,
        "state_tokens_dropped": encoded.state_tokens_dropped,
        "options_distinct": encoded.options_distinct,
        "tokens_per_option": encoded.tokens_per_option,
    }
    numbers |= {} if row.cut is None else row.cut.columns()
    rows = issued[-1].rows
    return RowOutcome(row.variant, row.qid, numbers, None, call_s, forward_s, rows, padded_len, issued, row.cut)


def failure(variant: Variant, qid: str, error: BaseException, issued: tuple[Issued, ...] = ()) -> RowOutcome:
    """An error row: no numbers, no time, but the calls it was in."""
    return RowOutcome(variant, qid, {"n_options": option_count(variant.questions[qid])}, error, 0.0, 0.0, 0, 0, issued)


def fact_rows(keys: RowKeys, outcomes: Sequence[RowOutcome]) -> pa.Table:
    """Facts in the order of their ids, so that batches and their order leave no trace."""
    rows = [
        _keys(keys, outcome)
        | {
            "question_type": outcome.variant.questions[outcome.qid]["type"],
            **outcome.numbers,
            "status": "ok" if outcome.error is None else "error",
            "error_type": None if outcome.error is None else type(outcome.error).__name__,
            "error_message": None if outcome.error is None else " ".join(str(outcome.error).split())[:500],
        }
        for outcome in outcomes
    ]
    rows.sort(key=lambda row: (row["case_id"], row["variant"], row["question"]))
    return pa.Table.from_pylist(rows, schema=FACTS)


def timing_rows(keys: RowKeys, outcomes: Sequence[RowOutcome], engine: EngineInfo, node: str, attempt: int) -> pa.Table:
    """When and where the successes were computed."""
    rows = [
        _keys(keys, outcome)
        | {
            "call_ms": outcome.call_s * 1e3,
            "forward_ms": outcome.forward_s * 1e3,
            "batch_rows": outcome.batch_rows,
            "padded_len": outcome.padded_len,
            "device": engine.device,
            "threads": engine.threads,
            "node": node,
            "attempts": attempt,
        }
        for outcome in outcomes
        if outcome.error is None
    ]
    return pa.Table.from_pylist(rows, schema=TIMINGS)


def call_rows(keys: RowKeys, outcomes: Sequence[RowOutcome], batching: Batching, *, together: bool) -> pa.Table:
    """What was issued for each question, what was asked of every call, and how the engine took it.

    A question in no call has one row that says so. `together` is whether rows could share a call: those that go one
    by one have no order to change.
    """
    asked = {
        "batch_size": batching.size,
        "batch_tokens": batching.tokens,
        "batch_form": BATCH_FORM if together else None,
        "sort_by_length": batching.sort_by_length,
        "sort_by_length_sent": batching.sort_by_length and together,
    }
    nothing = (Issued("", 0, None),)
    rows = [
        _keys(keys, outcome)
        | {
            "call": call.call or None,
            "call_rows": call.rows,
            "call_ms": None if call.call_s is None else call.call_s * 1e3,
        }
        | asked
        for outcome in outcomes
        for call in outcome.issued or nothing
    ]
    return pa.Table.from_pylist(rows, schema=CALLS)


def error_part(shard: Shard, error_type: str, message: str) -> Part:
    """Error rows for every question of a shard that no worker survived; written by the driver."""
    error = type(error_type, (Exception,), {})(message)
    outcomes = [failure(variant, qid, error) for variant in shard.variants for qid in variant.questions]
    facts = fact_rows(RowKeys(shard.cell_key, shard.language, shard.transform), outcomes)
    return Part.of(shard.cell_key, facts, TIMINGS.empty_table())


def _keys(keys: RowKeys, outcome: RowOutcome) -> dict[str, Any]:
    own = {"case_id": outcome.variant.case_id, "variant": outcome.variant.name, "question": outcome.qid}
    return keys._asdict() | own
