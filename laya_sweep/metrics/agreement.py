"""How far two runners of one checkpoint are apart, answer by answer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class AnswerDrift(NamedTuple):
    """Answers that both gave; the share with the same predicted option, and the largest change of a probability.

    The last two are None where there is no such answer.
    """

    n: int
    label_agreement: float | None
    max_probability_difference: float | None


def answer_drift(
    predicted: tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]],
    probabilities: tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]]],
) -> AnswerDrift:
    """Compare paired answers.

    Args:
        predicted: two arrays of shape (n,), canonical indices of the predicted option.
        probabilities: two arrays of one shape, all options of all answers end to end.

    >>> answer_drift((np.array([0, 1]), np.array([0, 0])), (np.array([.9, .1, .4, .6]), np.array([.8, .2, .5, .5])))
    AnswerDrift(n=2, label_agreement=0.5, max_probability_difference=0.1)
    """
    n = len(predicted[0])
    if n == 0:
        return AnswerDrift(0, None, None)
    agreement = float(np.mean(predicted[0] == predicted[1]))
    difference = float(np.abs(probabilities[0] - probabilities[1]).max())
    return AnswerDrift(n, agreement, round(difference, 12))
