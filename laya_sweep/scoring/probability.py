"""Logits and a temperature -> probabilities and the confidences read off them, over rows of one option count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Decimals of every probability and confidence that the runtime reports.
RUNTIME_DECIMALS = 4


def softmax(logits: NDArray[np.float32], temperature: Floats) -> Floats:
    """Probabilities in float64.

    Args:
        logits: shape (n, k), float32 as the model gives them.
        temperature: shape (n,), positive.
    """
    scaled = logits.astype(np.float64) / temperature[:, None]
    weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)


def runtime_softmax(logits: NDArray[np.float32], temperature: Floats) -> NDArray[np.float32]:
    """Probabilities in the runtime's own float32 arithmetic, before it rounds them; arguments as `softmax`."""
    scaled = np.ascontiguousarray(logits, dtype=np.float32) / temperature.astype(np.float32)[:, None]
    weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float32)


def gate_confidence(logits: NDArray[np.float32], temperature: Floats) -> Floats:
    """The 4-decimal answer_confidence that the runtime's min_confidence gate compares; arguments as `softmax`."""
    top = runtime_softmax(logits, temperature).max(axis=1)
    clipped = [min(1.0, max(0.0, float(value))) for value in top]
    return np.array([round(value, RUNTIME_DECIMALS) for value in clipped], dtype=np.float64)


def entropy_confidence(probabilities: Floats) -> Floats:
    """Normalised-entropy confidence 1 - H(p) / log k, in [0, 1]; 1 for a single option. It enters no metric."""
    options = probabilities.shape[1]
    if options < 2:
        return np.ones(len(probabilities))
    entropy = -(probabilities * np.log(np.clip(probabilities, 1e-12, 1.0))).sum(axis=1)
    return np.asarray(np.clip(1.0 - entropy / np.log(options), 0.0, 1.0), dtype=np.float64)


def margin(probabilities: Floats) -> Floats:
    """Gap between the two most probable options; 1 for a single option."""
    if probabilities.shape[1] < 2:
        return np.ones(len(probabilities))
    top = np.partition(probabilities, -2, axis=1)
    return np.asarray(top[:, -1] - top[:, -2], dtype=np.float64)


def abstains(gate: Floats, min_confidence: float | None) -> NDArray[np.bool_]:
    """Which answers the runtime would mark as abstained: below the threshold, in float64; None marks none."""
    if min_confidence is None:
        return np.zeros(len(gate), dtype=np.bool_)
    return np.asarray(gate < min_confidence, dtype=np.bool_)
