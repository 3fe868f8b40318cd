"""What the runtime itself answers under the maps of a run, to a sample of its rows, held against what was derived.

A sweep adds a map to logits that are there, and no worker starts for it. Their parity was shown when they were stored;
what a map makes of them, the runtime's own loading and answering says here, without a model. The answers are kept, so
that other thresholds, and the same run again, ask the runtime for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.identity import value_digest
from laya_sweep.domain.settings import RegimeSettings
from laya_sweep.errors import ParityError, Problem
from laya_sweep.execution.parity import TOLERANCE
from laya_sweep.run.places import ScoredPlace
from laya_sweep.run.planning import Planned

#: Rows of each bucket, language and transform that the runtime is asked about.
ROWS_A_BUCKET = 4


class _Row(NamedTuple):
    """A stored answer's logits in the order in which its options were read, and what was derived of them."""

    bucket: str
    language: str
    logits: list[float]
    confidence: float
    gate_confidence: float


def map_sample(
    planned: Planned,
    checkpoint: Checkpoint,
    regime: RegimeSettings,
    places: Sequence[ScoredPlace],
    temperatures: Sequence[TemperatureFact],
    engine_key: str,
) -> list[dict[str, Any]]:
    """The runtime's unmarked answers under a map to a sample of a checkpoint's rows, in the form of a parity sample.

    Args:
        planned: holds the store in which they are kept.
        checkpoint: that answered.
        regime: of kind map.
        places: all that were scored.
        temperatures: of the checkpoint.
        engine_key: what decides the checkpoint's answers without a map.

    Raises:
        ParityError: the runtime's confidence is another than the one derived.
    """
    rows = [row for place in places for row in _rows(planned, place, checkpoint, regime.name)]
    covered = sorted({f"{row.language} {row.bucket}" for row in rows})
    key = value_digest([engine_key, regime.document, regime.lang_temperatures, covered])
    kept = planned.store.parity_sample(key)
    if kept is None and rows:
        kept = [*_answered(rows, checkpoint, regime, temperatures)]
        planned.store.keep_parity_sample(key, kept)
    return kept or []


def _answered(
    rows: Sequence[_Row], checkpoint: Checkpoint, regime: RegimeSettings, temperatures: Iterable[TemperatureFact]
) -> Iterator[dict[str, Any]]:
    # Loads torch, which a run without a map, or with one that was asked about before, does not need.
    from laya_sweep.engines.map_answers import MapFiles, StoredLogits, map_answers

    asked = [StoredLogits(row.bucket.partition(":")[0], row.logits, row.language) for row in rows]
    files = MapFiles(regime.document, regime.lang_temperatures)
    for row, answer in zip(
        rows, map_answers(asked, files, _served(checkpoint, temperatures), checkpoint.engine.name), strict=True
    ):
        apart = abs(row.confidence - answer["answer_confidence"])
        if not apart <= TOLERANCE:
            what = f"parity of checkpoint {checkpoint.name} under regime {regime.name}"
            wanted = f"confidences within {TOLERANCE:g} of the runtime's under the same map"
            step = "nothing of this regime can be trusted with these library versions; report it with them"
            raise ParityError(Problem(what, wanted, f"{row.bucket} of {row.language} {apart:.3g} apart", step))
        plain = {name: answer[name] for name in ("type", "answer_confidence", "probabilities") if name in answer}
        yield {"answer": plain, "bucket": row.bucket, "gate_confidence": row.gate_confidence}


def _served(checkpoint: Checkpoint, temperatures: Iterable[TemperatureFact]) -> Mapping[str, float]:
    from laya_sweep.calibration.served import type_temperatures

    by_type = {kind: found.served for kind, found in type_temperatures(checkpoint.temperatures).items()}
    return by_type | {fact.bucket: fact.served for fact in temperatures}


def _rows(planned: Planned, place: ScoredPlace, checkpoint: Checkpoint, regime: str) -> Iterator[_Row]:
    """The first few answers of each bucket of a place that a checkpoint gave."""
    expected = place.rows.expected
    decisions = place.decisions.get(regime)
    members = planned.plan.results[expected.checkpoint]
    models = [model for model, entry in members.items() if entry.name == checkpoint.name]
    if decisions is None or not models:
        return
    own = decisions.take(pa.array(_places(decisions, models), pa.int64())).to_pylist()
    wanted = pa.array([row["case_id"] for row in own], pa.string())
    facts = place.rows.facts.filter(pc.is_in(place.rows.facts["case_id"], wanted)).to_pylist()
    by_id = {_id(fact): fact for fact in facts if fact["status"] == "ok"}
    for row in own:
        fact = by_id[_id(row)]
        logits = [fact["logits"][at] for at in fact["presented_order"]]
        bucket = option_bucket(row["question_type"], row["n_options"])
        yield _Row(bucket, expected.language, logits, row["answer_confidence"], row["gate_confidence"])


def _places(decisions: pa.Table, models: Sequence[str]) -> list[int]:
    seen: Counter[str] = Counter()
    found = []
    columns = [decisions[name].to_pylist() for name in ("model", "question_type", "n_options", "gate_confidence")]
    for i, (model, kind, count, gate) in enumerate(zip(*columns, strict=True)):
        bucket = option_bucket(kind, count)
        if model in models and gate is not None and seen[bucket] < ROWS_A_BUCKET:
            seen[bucket] += 1
            found.append(i)
    return found


def _id(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["case_id"], row["variant"], row["question"]
