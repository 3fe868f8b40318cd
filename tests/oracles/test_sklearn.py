"""F1 and AUROC against scikit-learn on random tables with 1 to 60 options."""

from __future__ import annotations

import numpy as np
import pytest

from laya_sweep.metrics import auroc, brier, macro_f1, nll

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")


def test_macro_f1() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, options = int(rng.choice([1, 2, 5, 80])), int(rng.integers(1, 61))
        gold, pred = rng.integers(0, options, n), rng.integers(0, options, n)
        pred = np.where(rng.random(n) < 0.5, gold, pred)
        theirs = metrics.f1_score(gold, pred, average="macro", zero_division=0)
        ours = macro_f1(gold, pred)
        assert ours == pytest.approx(theirs, abs=1e-12), seed
        # Codes far apart go another way inside.
        assert macro_f1(gold * 10**9, pred * 10**9) == ours


def test_auroc() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([2, 3, 10, 120]))
        confidence = np.round(rng.uniform(0, 1, n), int(rng.integers(1, 6)))
        right = rng.random(n) < 0.6
        ours = auroc(confidence, right)
        if right.all() or not right.any() or len(set(confidence)) == 1:
            assert ours is None
        else:
            assert ours == pytest.approx(metrics.roc_auc_score(right, confidence), abs=1e-12), seed


def test_losses() -> None:
    rng = np.random.default_rng(5)
    p, right = rng.uniform(0.01, 0.99, 400), rng.random(400) < 0.5
    assert brier(p, right) == pytest.approx(metrics.brier_score_loss(right, p), abs=1e-12)
    of_truth = np.where(right, p, 1 - p)
    assert nll(of_truth) == pytest.approx(metrics.log_loss(right, p), abs=1e-12)
