"""The parity check: before a checkpoint's logits are used, a sample also goes through the runtime's own answers.

Probabilities must agree to 1e-3 (the runtime rounds to 4 decimals), and the abstention marks derived from our
logits must be the runtime's, except where the confidence is within that tolerance of the threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laya_sweep.engines import EncodingError, Engine
from laya_sweep.execution.contract import Parity
from laya_sweep.scoring import abstains, gate_confidence, option_bucket, runtime_softmax
from laya_sweep.transforms import Variant

TOLERANCE = 1e-3

#: Cases of a checkpoint that also go through the runtime's public answers.
PARITY_CASES = 8


def check_parity(
    engine: Engine, variants: Sequence[Variant], min_confidence: Sequence[float | None], *, on_all: bool = False
) -> Parity:
    """Compare our path with `predict_batch`, at served temperatures, on the first few (or all) that can be asked.

    A case that does not fit the checkpoint is passed over: it becomes an error row, and must not end the run.
    """
    chosen = list(islice((variant for variant in variants if _fits(engine, variant)), None if on_all else PARITY_CASES))
    served = engine.info().served_temperatures
    thresholds = [value for value in min_confidence if value is not None]
    worst, marks, disagreements = 0.0, 0, 0
    for variant in chosen:
        ours = {qid: _logits(engine, variant, qid) for qid in variant.questions}
        answers = engine.predict(variant, None)
        worst = max([worst, *(_difference(variant, qid, ours[qid], answers[qid], served) for qid in ours)])
        for threshold in thresholds:
            marked = engine.predict(variant, threshold)
            for qid, logits in ours.items():
                marks += 1
                disagreements += _mark_differs(variant, qid, logits, marked[qid], served, threshold)
    return Parity(len(chosen), worst, marks, disagreements)


def _fits(engine: Engine, variant: Variant) -> bool:
    try:
        for qid in variant.questions:
            engine.encode(variant, qid)
    except EncodingError:
        return False
    return True


def _logits(engine: Engine, variant: Variant, qid: str) -> NDArray[np.float32]:
    """Logits in the presented question's own option order."""
    row = engine.encode(variant, qid)
    presented = np.empty(len(row.slots), dtype=np.float32)
    presented[list(row.slots)] = engine.forward([row]).logits[0]
    return presented


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


def _mark_differs(
    variant: Variant,
    qid: str,
    logits: NDArray[np.float32],
    answer: dict[str, Any],
    served: Mapping[str, float],
    threshold: float,
) -> bool:
    gate = gate_confidence(logits[None, :], np.array([_temperature(variant, qid, logits, served)]))
    derived = bool(abstains(gate, threshold)[0])
    runtime = bool(answer.get("low_confidence", False))
    return derived != runtime and abs(float(gate[0]) - threshold) > TOLERANCE
