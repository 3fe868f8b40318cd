"""Facts + a regime -> decisions: one row per answered question, in float64, grouped by option count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from laya_sweep.scoring import probability
from laya_sweep.scoring.question import Target
from laya_sweep.scoring.regime import BucketTemperature, Regime, option_bucket

Columns = dict[str, list[Any]]


class Place(NamedTuple):
    """Where a case stands in its dataset."""

    source_id: str
    row_index: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """What scoring needs of a cell beside its facts: name, temperatures, and the cases' answers.

    `places` maps a case id to its place; `targets` maps (case id, question) to its target.
    """

    checkpoint: str
    temperatures: Mapping[str, BucketTemperature]
    places: Mapping[str, Place]
    targets: Mapping[tuple[str, str], Target]


def decide(facts: pa.Table, cell: ScoredCell, regime: Regime, schema: pa.Schema) -> pa.Table:
    """Decisions of the facts' successful rows, in the order of the facts.

    Args:
        facts: rows of the facts schema; every row must have status ok.
        cell: the cell the facts belong to.
        regime: the temperature rule.
        schema: the decisions schema, handed in by the store's side.

    Raises:
        UnusableTemperatureError: the raw regime, and the checkpoint ships no positive number for a bucket.
    """
    rows = facts.to_pylist()
    columns: Columns = {name: [None] * len(rows) for name in schema.names}
    for i, row in enumerate(rows):
        _copy_keys(columns, i, row, cell, regime)
    for places in _by_option_count(rows):
        _score_group(columns, places, rows, cell, regime)
    return pa.table(columns, schema=schema)


def _copy_keys(columns: Columns, i: int, row: dict[str, Any], cell: ScoredCell, regime: Regime) -> None:
    place = cell.places[row["case_id"]]
    own = {
        "checkpoint": cell.checkpoint,
        "regime": regime.name,
        "source_id": place.source_id,
        "row_index": place.row_index,
        "tags": list(place.tags),
    }
    copied = (
        "cell_key",
        "language",
        "transform",
        "case_id",
        "variant",
        "question",
        "question_type",
        "n_options",
    )
    for name, value in [*own.items(), *((name, row[name]) for name in copied)]:
        columns[name][i] = value


def _by_option_count(rows: Sequence[dict[str, Any]]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row["n_options"], []).append(i)
    return list(groups.values())


def _score_group(
    columns: Columns, places: list[int], rows: Sequence[dict[str, Any]], cell: ScoredCell, regime: Regime
) -> None:
    """Fill the columns of rows that share an option count: one matrix, one softmax."""
    logits = np.array([rows[i]["logits"] for i in places], dtype=np.float32)
    applied = [
        regime.of(option_bucket(rows[i]["question_type"], rows[i]["n_options"]), cell.temperatures) for i in places
    ]
    temperature = np.array([entry.value for entry in applied])
    probabilities = probability.softmax(logits, temperature)
    group = {
        "temperature": temperature,
        "temperature_source": [entry.source for entry in applied],
        "probabilities": probabilities,
        "answer_confidence": probabilities.max(axis=1),
        "gate_confidence": probability.gate_confidence(logits, temperature),
        "entropy_confidence": probability.entropy_confidence(probabilities),
        "margin": probability.margin(probabilities),
    }
    for name, values in group.items():
        plain = values.tolist() if isinstance(values, np.ndarray) else values
        for i, value in zip(places, plain, strict=True):
            columns[name][i] = value
    _answer(columns, places, rows, cell, logits, probabilities)


def _answer(
    columns: Columns,
    places: list[int],
    rows: Sequence[dict[str, Any]],
    cell: ScoredCell,
    logits: NDArray[np.float32],
    probabilities: NDArray[np.float64],
) -> None:
    """Predicted and gold answers. The prediction is read off the logits, so no temperature can move it."""
    tops = logits.argmax(axis=1)
    for i, top, p in zip(places, tops, probabilities, strict=True):
        row = rows[i]
        target = cell.targets[row["case_id"], row["question"]]
        # A noul is true from p >= 0.5 on, so an exact tie is true; a choice tie goes to the first option.
        tied = row["question_type"] == "noul" and row["logits"][0] == row["logits"][1]
        pred = 1 if tied else int(top)
        gold = target.gold_index
        value = float(np.arange(len(p)) @ p) if row["question_type"] == "score" else None
        error = value - target.gold_score if value is not None and target.gold_score is not None else None
        answers = {
            "options": list(target.options),
            "pred_index": pred,
            "pred_label": target.options[pred],
            "gold_index": gold,
            "gold_label": None if gold is None else target.options[gold],
            "p_pred": float(p[pred]),
            "p_gold": None if gold is None else float(p[gold]),
            "correct": None if gold is None else pred == gold,
            "score_value": value,
            "score_error": error,
        }
        for name, answer in answers.items():
            columns[name][i] = answer
