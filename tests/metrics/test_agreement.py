"""Agreement and the largest change of a probability, against a plain loop."""

from __future__ import annotations

import numpy as np
import pytest

from laya_sweep.metrics import AnswerDrift, answer_drift


@pytest.mark.parametrize("seed", range(5))
def test_against_a_plain_loop(seed):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, 50)
    ours = [random.dirichlet(np.ones(size)) for size in sizes]
    theirs = [random.dirichlet(np.ones(size)) for size in sizes]
    same = sum(int(a.argmax() == b.argmax()) for a, b in zip(ours, theirs, strict=True))
    worst = max(abs(x - y) for a, b in zip(ours, theirs, strict=True) for x, y in zip(a, b, strict=True))
    predicted = [np.array([one.argmax() for one in side]) for side in (ours, theirs)]
    drift = answer_drift(tuple(predicted), (np.concatenate(ours), np.concatenate(theirs)))
    assert drift == AnswerDrift(50, same / 50, pytest.approx(worst, abs=1e-12))


def test_degenerate():
    none, one, indices = np.array([]), np.array([1.0]), np.array([0])
    assert answer_drift((none.astype(int), none.astype(int)), (none, none)) == AnswerDrift(0, None, None)
    assert answer_drift((indices, indices), (one, one)) == AnswerDrift(1, 1.0, 0.0)
