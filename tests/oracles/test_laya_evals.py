"""The metrics against laya.evals 0.4.15 on random tables; equal to 1e-12, or a difference that is
documented."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from decision_tables import decisions

from laya_sweep.metrics import CHOICE, SCORE, DecisionColumns, aurc, brier, ece, selective_accuracy, summarise

evals = pytest.importorskip("laya.evals", reason="laya is not installed")

TABLES = 1200


def close(ours: float | None, theirs: float | None) -> bool:
    """Equal to 1e-12; no value on our side is no value (None or NaN) on theirs."""
    if theirs is None or math.isnan(theirs):
        return ours is None
    return ours is not None and (ours == theirs or abs(ours - theirs) <= 1e-12)


def random_pairs(seed: int) -> tuple[list[float], list[bool]]:
    """Confidences and correctness of one of many shapes, all within [0, 1] and finite."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([1, 2, 3, 7, 40, 200]))
    shape = seed % 6
    confidence = rng.uniform(0, 1, n)
    if shape == 1:
        confidence = np.round(confidence, 1)
    elif shape == 2:
        confidence = np.full(n, rng.choice([0.0, 0.5, 1.0]))
    elif shape == 3:
        confidence = rng.choice(np.linspace(0, 1, 16), n)
    elif shape == 4:
        confidence = np.where(rng.random(n) < 0.5, 1.0, confidence)
    elif shape == 5:
        confidence = confidence.astype(np.float32).astype(np.float64)
    right = rng.random(n) < rng.choice([0.0, 0.3, 0.7, 1.0])
    return confidence.tolist(), right.tolist()


def broken_pairs(seed: int) -> tuple[list[float], list[bool]]:
    """The same with NaN, infinities and values outside [0, 1] strewn in."""
    confidence, right = random_pairs(seed)
    rng = np.random.default_rng(seed + 10**6)
    for at in range(len(confidence)):
        if rng.random() < 0.3:
            confidence[at] = float(rng.choice([math.nan, math.inf, -math.inf, 1.0000001, -0.25]))
    return confidence, right


def values(confidence: list[float], right: list[bool], nan: Any) -> dict[str, float | None]:
    """Our five figures that laya.evals also defines."""
    return {
        "ece": ece(confidence, right, nan=nan),
        "brier": brier(confidence, right, nan=nan),
        "aurc": aurc(confidence, right, nan=nan),
        "selective_accuracy@50": selective_accuracy(confidence, right, 0.5, nan=nan),
        "selective_accuracy@80": selective_accuracy(confidence, right, 0.8, nan=nan),
    }


def upstream(confidence: list[float], right: list[bool]) -> dict[str, float | None]:
    """The same five of laya.evals, called as its own report calls them."""
    return {
        "ece": evals.ece(confidence, right),
        "brier": evals.brier(confidence, right),
        "aurc": evals.aurc(confidence, right),
        "selective_accuracy@50": evals.selective_accuracy(confidence, right, 0.5),
        "selective_accuracy@80": evals.selective_accuracy(confidence, right, 0.8),
    }


@pytest.mark.parametrize("nan", ["strict", "compatible"])
def test_finite_tables_are_equal(nan: str) -> None:
    for seed in range(TABLES):
        pairs = random_pairs(seed)
        ours, theirs = values(*pairs, nan), upstream(*pairs)
        assert all(close(ours[name], theirs[name]) for name in theirs), (seed, ours, theirs)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_broken_tables_are_equal_in_compatible_mode() -> None:
    for seed in range(TABLES):
        pairs = broken_pairs(seed)
        ours, theirs = values(*pairs, "compatible"), upstream(*pairs)
        assert all(close(ours[name], theirs[name]) for name in theirs), (seed, pairs, ours, theirs)


def test_broken_tables_have_no_value_in_strict_mode() -> None:
    refused = 0
    for seed in range(TABLES):
        confidence, right = broken_pairs(seed)
        if not np.isfinite(confidence).all():
            refused += 1
            assert set(values(confidence, right, "strict").values()) == {None}
    assert refused > TABLES // 4


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_documented_difference_is_the_clipping_of_ece() -> None:
    # Upstream drops 1.0000001 from all bins and reports the best possible score; ours counts it as 1.
    assert evals.ece([1.0000001], [False]) == 0.0
    assert ece([1.0000001], [0]) == 1.0


def test_nothing_to_score() -> None:
    assert set(values([], [], "strict").values()) == {None} == set(upstream([], []).values())


def cases_of(columns: DecisionColumns, evaluators: Any) -> Iterator[dict[str, Any]]:
    """The rows as laya.evals keeps them, without going through a model."""
    for i in range(len(columns)):
        kind, labelled = columns.question_type[i], columns.gold_index[i] >= 0
        if not labelled:
            continue
        answer: dict[str, Any] = {"answer_confidence": float(columns.confidence[i])}
        expected: Any
        if kind == CHOICE:
            answer |= {"type": "choice", "choice": f"label {columns.pred_index[i]}"}
            expected = f"label {columns.gold_index[i]}"
        elif kind == SCORE:
            answer |= {"type": "score", "score": float(columns.score_error[i])}
            expected = 0.0
        else:
            answer |= {"type": "noul", "noul": float(columns.pred_index[i] == 0)}
            expected = bool(columns.gold_index[i] == 0)
        yield {
            "confidence": evals._answer_confidence(answer),
            "correct": evals._correct(answer, expected),
            "scores": {e.name: e.score(answer, expected) for e in evaluators},
        }


def test_whole_reports_are_equal() -> None:
    evaluators = [*evals.default_evaluators(), evals.ScoreWithin(0.25), evals.ScoreWithin(1)]
    kinds = [(0, 1, 2), (0,), (1,), (2,), (0, 2)]
    for seed in range(300):
        n = [0, 1, 2, 9, 60, 150][seed % 6]
        columns = decisions(n, seed=seed, kinds=kinds[seed % 5], digits=[None, 1, 0][seed % 3], unlabelled=0.2)
        rows = summarise(columns, replicates=0, score_within=(0.25, 1), slices=())
        ours = {row.metric: row.value for row in rows}
        theirs = evals._aggregate(list(cases_of(columns, evaluators)), evaluators)
        assert set(theirs) <= set(ours)
        for name in ours.keys() & {*theirs, "choice_accuracy", "noul_accuracy", "score_mae", "ece", "aurc"}:
            assert close(ours[name], theirs.get(name)), (seed, name, ours[name], theirs.get(name))
