"""Whose figures a decision holds: exact ones in float64, or the runtime's own in float32 and 4 decimals.

The runtime's arithmetic follows laya 0.4.15 step by step (the sum that normalises runs over marker slots, not over
options), because another order of the same operations moves the fourth decimal in about 2 of 100 answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from laya_sweep.scoring import probability
from laya_sweep.scoring.probability import RUNTIME_DECIMALS, Floats

Rounding: TypeAlias = Literal["exact", "runtime"]

_SMALLEST: Final = 1e-12
_SCALE: Final = 10.0**RUNTIME_DECIMALS

#: A product this near to a half may have been rounded across it.
_DOUBT: Final = 1e-6


class LogitReading(NamedTuple):
    """What is read off the logits of n questions of one option count k.

    Attributes:
        probabilities: float64[n, k], canonical order.
        answer_confidence, gate_confidence, entropy_confidence, margin: float64[n], as the decisions table has them.
        top: float32[n]; max p in the runtime's arithmetic, unrounded: what its binning map looks up.
        predicted: int[n]; the reported option. Ties go to the first option, but a noul is true from one half on.
        level: float64[n]; the expected level of a score question, NaN for other types.
    """

    probabilities: Floats
    answer_confidence: Floats
    gate_confidence: Floats
    entropy_confidence: Floats
    margin: Floats
    predicted: NDArray[np.intp]
    level: Floats
    top: NDArray[np.float32]


def read_exactly(
    logits: NDArray[np.float32], temperature: Floats, kinds: Sequence[str], order: NDArray[np.intp]
) -> LogitReading:
    """The exact figures, and the runtime's gate. The prediction is read off the logits: no temperature can move it.

    Args:
        logits: shape (n, k), canonical order.
        temperature: shape (n,), positive.
        kinds: question types, n of them.
        order: shape (n, k); canonical index of the option in each marker slot.
    """
    p = probability.softmax(logits, temperature)
    top = _top(runtime_probabilities(logits, temperature, order))
    noul = _are(kinds, "noul")
    predicted = logits.argmax(axis=1)
    if noul.any():
        predicted[noul & (logits[:, 0] == logits[:, -1])] = 1
    levels = np.arange(p.shape[1])
    return LogitReading(
        probabilities=p,
        answer_confidence=p.max(axis=1),
        gate_confidence=rounded(top),
        entropy_confidence=probability.entropy_confidence(p),
        margin=probability.margin(p),
        predicted=predicted,
        # Row by row: the same sum over a matrix may differ in its last bit.
        level=np.array([levels @ row if kind == "score" else math.nan for row, kind in zip(p, kinds, strict=True)]),
        top=top,
    )


def read_as_runtime(
    logits: NDArray[np.float32], temperature: Floats, kinds: Sequence[str], order: NDArray[np.intp]
) -> LogitReading:
    """The runtime's own figures: what its answers report, each rounded on its own.

    A choice is the first largest of its float32 probabilities, before rounding; a noul is true where its reported
    probability is at least 0.5. So an answer may differ from the exact one where logits all but tie.

    Args:
        logits, temperature, kinds, order: as `read_exactly`.
    """
    p = runtime_probabilities(logits, temperature, order)
    reported = rounded(p)
    top = _top(p)
    confidence = rounded(top)
    noul, predicted = _are(kinds, "noul"), p.argmax(axis=1)
    if noul.any():
        predicted[noul] = reported[noul, 1] >= 0.5
    return LogitReading(
        probabilities=reported,
        answer_confidence=confidence,
        gate_confidence=confidence,
        entropy_confidence=rounded(runtime_entropy_confidence(p)),
        margin=rounded(probability.margin(reported)),
        predicted=predicted,
        level=np.where(_are(kinds, "score"), rounded(expected_level(p)), math.nan),
        top=top,
    )


def binned(reading: LogitReading, bins: Sequence[tuple[float, ...] | None], rounding: Rounding) -> LogitReading:
    """The reading with the confidences that a binning map puts in place of max p; nothing else moves.

    The runtime's max p chooses the bin in both roundings: at the edge of a bin the exact one could choose another, and
    then the confidence and what the gate compares would be two answers.

    Args:
        reading: of n questions.
        bins: for each, the values of its bins, or None to leave it.
        rounding: of the confidences.
    """
    confidence, gate = reading.answer_confidence.copy(), reading.gate_confidence.copy()
    for i, values in enumerate(bins):
        if values is not None:
            value = bin_value(values, float(reading.top[i]))
            gate[i] = round(value, RUNTIME_DECIMALS)
            confidence[i] = value if rounding == "exact" else gate[i]
    return reading._replace(answer_confidence=confidence, gate_confidence=gate)


def bin_value(bins: Sequence[float] | None, top: float) -> float:
    """The confidence that stands for max p: that of its bin. Without bins, or where it is no number, itself.

    >>> bin_value((0.2, 0.6), 0.5), bin_value((0.2, 0.6), 1.0), bin_value(None, 0.5)
    (0.6, 0.6, 0.5)
    """
    if bins is None or math.isnan(top):
        return top
    return bins[min(len(bins) - 1, int(top * len(bins)))]


def runtime_probabilities(
    logits: NDArray[np.float32], temperature: Floats, order: NDArray[np.intp]
) -> NDArray[np.float32]:
    """float32[n, k] in canonical order; computed over slots, as the runtime does before it puts options back."""
    slots = np.take_along_axis(logits, order, axis=1)
    canonical = np.empty_like(slots)
    np.put_along_axis(canonical, order, probability.runtime_softmax(slots, temperature), axis=1)
    return canonical


def expected_level(p: NDArray[np.float32]) -> Floats:
    """Mean level under float32[n, k] probabilities, summed in float64 as the runtime does."""
    return np.asarray((np.arange(p.shape[1]) * p).sum(axis=1), dtype=np.float64)


def runtime_entropy_confidence(p: NDArray[np.float32]) -> Floats:
    """1 - H(p) / log k of float32[n, k], in the runtime's arithmetic and unrounded; 1 for a single option."""
    options = p.shape[1]
    if options < 2:
        return np.ones(len(p))
    entropy = -(p * np.log(np.clip(p, _SMALLEST, 1.0))).sum(axis=1).astype(np.float64)
    return np.asarray(np.clip(1.0 - entropy / math.log(options), 0.0, 1.0), dtype=np.float64)


def rounded(values: NDArray[np.floating]) -> Floats:
    """Each value to the runtime's 4 decimals, as Python's `round` does it: exactly, halves to even.

    >>> rounded(np.array([0.66524, 0.00005, 1.23455])).tolist() == [round(v, 4) for v in (0.66524, 0.00005, 1.23455)]
    True
    """
    exact = np.asarray(values, dtype=np.float64)
    scaled = exact * _SCALE
    whole = np.rint(scaled)
    found = whole / _SCALE
    doubtful = np.abs(np.abs(scaled - whole) - 0.5) < _DOUBT
    found[doubtful] = [round(value, RUNTIME_DECIMALS) for value in exact[doubtful].tolist()]
    return found


def _top(p: NDArray[np.float32]) -> NDArray[np.float32]:
    """Max p within [0, 1], as the runtime reports it and compares it with min_confidence once it is rounded."""
    return np.asarray(np.clip(p.max(axis=1), 0.0, 1.0), dtype=np.float32)


def _are(kinds: Sequence[str], kind: str) -> NDArray[np.bool_]:
    return np.array([value == kind for value in kinds], dtype=np.bool_)
