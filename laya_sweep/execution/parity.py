"""The parity check: before a checkpoint's logits are used, a sample also goes through the runtime's own answers.

Our side goes the way that the run goes: the sample's rows are put into calls of several rows, each comes back under its
id, and then it is held against what the runtime says of its case. Probabilities must agree to 1e-3 (the runtime rounds
to 4 decimals), and the abstention marks derived from our logits must be the runtime's, except where the confidence is
within that tolerance of the threshold. The sample is kept: the runtime's own gate, put to its own answers, then tells
of thresholds that nobody had asked for yet.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.layout import Shape
from laya_sweep.domain.thresholds import BucketThresholds, MinConfidence, threshold_at, to_document
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodingError, Engine
from laya_sweep.engines.marks import runtime_marks
from laya_sweep.execution.call_check import CallCheck
from laya_sweep.execution.compute import compute
from laya_sweep.execution.contract import Batching, Parity, SampleAnswer
from laya_sweep.execution.rows import RowKeys
from laya_sweep.scoring.answer import abstention
from laya_sweep.scoring.probability import gate_confidence, runtime_softmax

TOLERANCE = 1e-3

#: Cases of a checkpoint that also go through the runtime's public answers.
PARITY_CASES = 8

#: Cases that are looked at to find them.
SCANNED_CASES = 32


class _Asked(NamedTuple):
    """The sample's logits in the presented question's own option order, by case, variant and question."""

    logits: dict[tuple[str, str, str], NDArray[np.float32]]
    shared_rows: int


def check_parity(
    engine: Engine,
    variants: Iterable[Variant],
    min_confidence: Sequence[MinConfidence],
    *,
    name: str,
    batching: Batching,
    on_all: bool = False,
) -> Parity:
    """Compare our path with `predict_batch`, at served temperatures, on a few (or all) that can be asked.

    `name` is the checkpoint's, for messages. A case that does not fit the checkpoint, or fails, is passed over: it
    becomes an error row, and must not end the run.

    Raises:
        ParityError: a call mixed up its rows.
    """
    chosen = _sample(engine, variants, on_all=on_all)
    asked = _ask(engine, chosen, batching, CallCheck(engine, name))
    served = engine.info().served_temperatures
    thresholds = [value for value in min_confidence if value is not None]
    worst, marks, disagreements, cases = 0.0, 0, 0, 0
    sample: list[SampleAnswer] = []
    for variant in chosen:
        ids = {qid: (variant.case_id, variant.name, qid) for qid in variant.questions}
        if not asked.logits.keys() >= set(ids.values()):
            continue
        cases += 1
        ours = {qid: asked.logits[row] for qid, row in ids.items()}
        answers = engine.predict(variant, None)
        worst = max([worst, *(_difference(variant, qid, ours[qid], answers[qid], served) for qid in ours)])
        own = {qid: _sampled(variant, qid, ours[qid], answers[qid], served) for qid in ours}
        sample += own.values()
        for threshold in thresholds:
            marked = engine.predict(variant, to_document(threshold))
            for qid, kept in own.items():
                marks += 1
                disagreements += _mark_differs(kept, marked[qid], threshold)
    return Parity(cases, worst, marks, disagreements, tuple(sample), asked.shared_rows)


def marks_fault(sample: Sequence[Mapping[str, Any]] | None, min_confidence: float | BucketThresholds) -> str | None:
    """Why marks at a threshold are not shown to be the runtime's; None where the kept sample passes with it.

    Args:
        sample: `SampleAnswer`s as `sample_document` gives them; None where none was kept.
        min_confidence: the threshold.
    """
    if not sample:
        return "the store keeps no parity sample of this checkpoint as it is now"
    kept = [SampleAnswer(**entry) for entry in sample]
    marked = runtime_marks([entry.answer for entry in kept], to_document(min_confidence))
    differing = sum(_mark_differs(*pair, min_confidence) for pair in zip(kept, marked, strict=True))
    return f"{differing} of {len(kept)} marks of the parity sample are not the runtime's" if differing else None


def sample_document(parity: Parity) -> list[dict[str, Any]]:
    """The parity sample as JSON values."""
    return [dataclasses.asdict(entry) for entry in parity.sample]


def _sample(engine: Engine, variants: Iterable[Variant], *, on_all: bool) -> list[Variant]:
    """The first few that can be asked, and beside them rather such as share a call with one that has none to share."""
    fitting = _fitting(engine, variants)
    if on_all:
        return [variant for variant, _ in fitting]
    chosen: list[Variant] = []
    spare: list[Variant] = []
    mates: Counter[Shape] = Counter()
    for variant, shapes in islice(fitting, SCANNED_CASES):
        if len(chosen) == PARITY_CASES:
            break
        if len(chosen) < PARITY_CASES // 2 or any(mates[shape] == 1 for shape in shapes):
            chosen.append(variant)
            mates.update(shapes)
        else:
            spare.append(variant)
    return chosen + spare[: PARITY_CASES - len(chosen)]


def _fitting(engine: Engine, variants: Iterable[Variant]) -> Iterator[tuple[Variant, list[Shape]]]:
    """Those whose questions all fit, with the padded shapes of these."""
    for variant in variants:
        try:
            yield variant, [engine.encode(variant, qid).shape for qid in variant.questions]
        except EncodingError:
            continue


def _ask(engine: Engine, variants: Sequence[Variant], batching: Batching, check: CallCheck) -> _Asked:
    """What the run would store of these variants."""
    found = compute(variants, engine, batching, RowKeys("parity", "", ""), check=check, node="")
    order = {
        (variant.case_id, variant.name, qid): list(variant.canonical_indices[qid])
        for variant in variants
        for qid in variant.questions
    }
    logits = {}
    for fact in found.facts.to_pylist():
        row = (fact["case_id"], fact["variant"], fact["question"])
        if fact["status"] == "ok":
            logits[row] = np.array(fact["logits"], np.float32)[order[row]]
    shared = pc.sum(pc.and_kleene(pc.greater(found.calls["call_rows"], 1), pc.is_valid(found.calls["call_ms"]))).as_py()
    return _Asked(logits, shared or 0)


def _temperature(variant: Variant, qid: str, logits: NDArray[np.float32], served: Mapping[str, float]) -> float:
    kind = variant.questions[qid]["type"]
    return served.get(option_bucket(kind, len(logits)), served[kind])


def _difference(
    variant: Variant,
    qid: str,
    logits: NDArray[np.float32],
    answer: dict[str, Any],
    served: Mapping[str, float],
) -> float:
    temperature = np.array([_temperature(variant, qid, logits, served)])
    ours = runtime_softmax(logits[None, :], temperature)[0]
    theirs = [1.0 - answer["noul"], answer["noul"]] if answer["type"] == "noul" else [*answer["probabilities"].values()]
    difference = np.abs(ours - np.array(theirs)).max()
    return float("inf") if np.isnan(difference) else float(difference)


def _sampled(
    variant: Variant, qid: str, logits: NDArray[np.float32], answer: dict[str, Any], served: Mapping[str, float]
) -> SampleAnswer:
    """What marks depend on, of one answer. Labels become positions: they need not be texts, as JSON keys must."""
    gate = gate_confidence(logits[None, :], np.array([_temperature(variant, qid, logits, served)]))
    kept = {name: answer[name] for name in ("type", "answer_confidence")}
    if "probabilities" in answer:
        kept["probabilities"] = {str(i): value for i, value in enumerate(answer["probabilities"].values())}
    return SampleAnswer(kept, option_bucket(variant.questions[qid]["type"], len(logits)), float(gate[0]))


def _mark_differs(ours: SampleAnswer, answer: Mapping[str, Any], min_confidence: float | BucketThresholds) -> bool:
    """Whether the runtime's marks on an answer are other than those that we derive, threshold included."""
    threshold = threshold_at(min_confidence, ours.bucket)
    if answer.get("abstention_threshold") != threshold:
        return True
    derived, theirs = abstention(ours.gate_confidence, threshold), answer.get("abstention")
    near = abs(ours.gate_confidence - threshold) <= TOLERANCE
    return (derived != theirs and not near) or bool(answer.get("low_confidence")) != (theirs == "abstained")
