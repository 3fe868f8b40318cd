"""The published English run: 100 decisions that nobody here made."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from decision_tables import pick

from laya_sweep.metrics import (
    CHOICE,
    DecisionColumns,
    acc_at_50_coverage,
    accuracy,
    ece,
    macro_f1,
    mean_confidence,
    summarise,
)

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def published(shared: Path) -> list[dict[str, str]]:
    path = shared / "golden" / "massive_en_release_cases.csv"
    with path.open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def codes(rows: list[dict[str, str]], *names: str) -> list[np.ndarray]:
    known = {text: code for code, text in enumerate(sorted({row[name] for row in rows for name in names}))}
    return [np.array([known[row[name]] for row in rows], dtype=np.int32) for name in names]


def numbers(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name]) for row in rows])


def test_plain_functions(published: list[dict[str, str]]) -> None:
    confidence, right = numbers(published, "confidence"), numbers(published, "correct")
    gold, pred = numbers(published, "gold_index").astype(int), numbers(published, "pred_index").astype(int)
    figures = (
        accuracy(right),
        macro_f1(gold, pred),
        ece(confidence, right),
        mean_confidence(confidence),
        acc_at_50_coverage(confidence, right),
    )
    assert [round(value, 4) for value in figures if value is not None] == [0.82, 0.7876, 0.1382, 0.9582, 0.98]


def test_summary(published: list[dict[str, str]]) -> None:
    n = len(published)
    gold, pred = codes(published, "gold_label", "pred_label")
    confidence = numbers(published, "confidence")
    columns = DecisionColumns(
        question_type=np.full(n, CHOICE, dtype=np.int8),
        n_options=np.full(n, 20, dtype=np.int32),
        confidence=confidence,
        level=np.round(confidence * 10_000).astype(np.int32),
        correct=numbers(published, "correct").astype(np.int8),
        pred_index=numbers(published, "pred_index").astype(np.int32),
        gold_index=numbers(published, "gold_index").astype(np.int32),
        pred_label=pred,
        gold_label=gold,
        p_gold=numbers(published, "p_gold"),
        score_error=np.full(n, np.nan),
        source=np.arange(n, dtype=np.int32),
        slices={},
    )
    rows = summarise(columns, slices=(), replicates=200)
    expected = {
        "choice_accuracy": 0.82,
        "accuracy": 0.82,
        "macro_f1_slot": 0.7876,
        "ece": 0.1382,
        "mean_confidence": 0.9582,
        "acc_at_50_coverage": 0.98,
    }
    for name, value in expected.items():
        row = pick(rows, name)
        assert round(row.value, 4) == value
        assert row.low < row.value < row.high
        assert row.n == row.n_clusters == 100
    # By label instead of by slot the same answers score lower; sklearn gives the same on the labels.
    assert round(pick(rows, "macro_f1").value, 4) == 0.6743
