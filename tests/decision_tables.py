"""Random decision tables for the tests, with every shape that ever broke a metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from laya_sweep.metrics import CHOICE, NOUL, SCORE, DecisionColumns, SliceColumn


def decisions(
    n: int = 60,
    *,
    seed: int = 0,
    languages: tuple[str, ...] = ("de", "en", "fr"),
    kinds: tuple[int, ...] = (CHOICE, SCORE, NOUL),
    unlabelled: float = 0.1,
    digits: int | None = None,
    **columns: Any,
) -> DecisionColumns:
    """n random decisions; `digits` rounds confidences, which makes ties. `columns` replaces columns."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(np.array(kinds, dtype=np.int8), n)
    options = np.where(kind == NOUL, 2, rng.integers(2, 21, n)).astype(np.int32)
    gold = rng.integers(0, options)
    pred = np.where(rng.random(n) < 0.6, gold, rng.integers(0, options))
    labelled = rng.random(n) >= unlabelled
    confidence = rng.uniform(0.3, 1.0, n)
    if digits is not None:
        confidence = np.round(confidence, digits)
    score = kind == SCORE
    fields: dict[str, Any] = {
        "question_type": kind,
        "n_options": options,
        "confidence": confidence,
        "level": np.round(confidence * 10_000).astype(np.int32),
        "correct": np.where(labelled & ~score, gold == pred, -1).astype(np.int8),
        "pred_index": pred.astype(np.int32),
        "gold_index": np.where(labelled, gold, -1).astype(np.int32),
        "pred_label": (pred * 7 % 31).astype(np.int32),
        "gold_label": np.where(labelled, gold * 7 % 31, -1).astype(np.int32),
        "p_gold": np.where(labelled, rng.uniform(0.05, 1.0, n), np.nan),
        "score_error": np.where(labelled & score, rng.normal(0, 1, n), np.nan),
        "source": np.arange(n, dtype=np.int32) // len(languages),
        "slices": {"language": SliceColumn.of([languages[i % len(languages)] for i in range(n)])},
    }
    return DecisionColumns(**(fields | columns))


def choices(
    confidence: Any, correct: Any, *, source: Any = None, language: Any = None, **columns: Any
) -> DecisionColumns:
    """Labelled choice answers with these confidences and correctness."""
    conf = np.asarray(confidence, dtype=np.float64)
    right = np.asarray(correct, dtype=np.int8)
    n = len(conf)
    finite = np.isfinite(conf)
    levels = np.where(finite, np.round(np.clip(np.where(finite, conf, 0), 0, 1) * 10_000), -1)
    wrong = (1 - right).astype(np.int32)
    fields: dict[str, Any] = {
        "kinds": (CHOICE,),
        "unlabelled": 0.0,
        "confidence": conf,
        "level": levels.astype(np.int32),
        "correct": right,
        "gold_index": np.zeros(n, dtype=np.int32),
        "pred_index": wrong,
        "gold_label": np.zeros(n, dtype=np.int32),
        "pred_label": wrong,
        "source": np.arange(n, dtype=np.int32) if source is None else np.asarray(source, dtype=np.int32),
    }
    if language is not None:
        fields["slices"] = {"language": SliceColumn.of(list(language))}
    return decisions(n, **(fields | columns))


def pick(rows: Any, metric: str, dimension: str = "overall", value: str = "") -> Any:
    """The one row of a summary with this name and slice."""
    found = [row for row in rows if (row.metric, row.slice_dimension, row.slice_value) == (metric, dimension, value)]
    assert len(found) == 1, f"{len(found)} rows for {metric} in {dimension}={value}"
    return found[0]
