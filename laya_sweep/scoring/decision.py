"""Facts + a regime -> decisions: one row per answered question, grouped by option count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.question import Target
from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.scoring.narrowed import narrowing_of, over_all
from laya_sweep.scoring.rounding import LogitReading, Rounding, binned, read_as_runtime, read_exactly

Columns = dict[str, list[Any]]


class RowPlace(NamedTuple):
    """Where a case stands in its dataset."""

    source_id: str
    row_index: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """What scoring needs of a cell beside its facts: name, temperatures, and the cases' answers.

    `model` is who answered, where that is not the checkpoint itself. `places` maps a case id to its place;
    `targets` maps (case id, question) to its target.
    """

    checkpoint: str
    temperatures: Mapping[str, BucketTemperature]
    places: Mapping[str, RowPlace]
    targets: Mapping[tuple[str, str], Target]
    model: str = ""


def decide(
    facts: pa.Table, cell: ScoredCell, regime: Regime, schema: pa.Schema, rounding: Rounding = "exact"
) -> pa.Table:
    """Decisions of the facts' successful rows, in the order of the facts.

    Args:
        facts: rows of the facts schema; every row must have status ok.
        cell: the cell the facts belong to.
        regime: the temperature rule.
        schema: the decisions schema, handed in by the store's side.
        rounding: exact figures, or the runtime's own.

    Raises:
        UnusableTemperatureError: the raw regime, and the checkpoint ships no positive number for a bucket.
    """
    rows = facts.to_pylist()
    columns: Columns = {name: [None] * len(rows) for name in schema.names}
    for i, row in enumerate(rows):
        _copy_keys(columns, i, row, cell, regime)
    targets = [cell.targets[row["case_id"], row["question"]] for row in rows]
    _fill(columns, rows, targets, rounding, regime)
    return pa.table(columns, schema=schema)


def decide_again(
    decisions: pa.Table, facts: pa.Table, targets: Sequence[Target], rounding: Rounding, regime: Regime
) -> pa.Table:
    """The same decisions in another rounding: same rows and temperatures, every figure anew.

    Args:
        decisions: of any languages and checkpoints.
        facts: the facts row behind each decision, in the same order.
        targets: of each decision, in the same order.
        rounding: exact figures, or the runtime's own.
        regime: of all the decisions; its binning is applied again.
    """
    columns: Columns = decisions.to_pydict()
    _fill(columns, facts.to_pylist(), targets, rounding, regime)
    return pa.table(columns, schema=decisions.schema)


def _copy_keys(columns: Columns, i: int, row: dict[str, Any], cell: ScoredCell, regime: Regime) -> None:
    place = cell.places[row["case_id"]]
    bucket = option_bucket(row["question_type"], row["n_options"])
    applied = regime.of(bucket, cell.temperatures, row["language"])
    own = {
        "checkpoint": cell.checkpoint,
        "model": cell.model or cell.checkpoint,
        "regime": regime.name,
        "source_id": place.source_id,
        "row_index": place.row_index,
        "tags": list(place.tags),
        "temperature": applied.value,
        "temperature_source": applied.source,
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


def _fill(
    columns: Columns, rows: Sequence[dict[str, Any]], targets: Sequence[Target], rounding: Rounding, regime: Regime
) -> None:
    """Every figure of the decisions, from their facts rows and the temperatures that stand in the columns."""
    for places in _by_option_count(rows):
        own = [rows[i] for i in places]
        reading = _read(own, [columns["temperature"][i] for i in places], rounding)
        bins = [regime.bins(option_bucket(row["question_type"], row["n_options"]), row["language"]) for row in own]
        if any(bins):
            reading = binned(reading, bins, rounding)
        _copy_figures(columns, places, reading)
        _answer(columns, places, [rows[i] for i in places], [targets[i] for i in places], reading)


def _by_option_count(rows: Sequence[dict[str, Any]]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row["n_options"], []).append(i)
    return list(groups.values())


def _read(rows: Sequence[dict[str, Any]], temperatures: Sequence[float], rounding: Rounding) -> LogitReading:
    """Rows that share an option count: one matrix, one softmax."""
    logits = np.array([row["logits"] for row in rows], dtype=np.float32)
    temperature, kinds = np.array(temperatures), [row["question_type"] for row in rows]
    order = np.array([row["presented_order"] for row in rows], dtype=np.intp)
    read = read_exactly if rounding == "exact" else read_as_runtime
    return read(logits, temperature, kinds, order)


def _copy_figures(columns: Columns, places: Sequence[int], reading: LogitReading) -> None:
    for name in ("probabilities", "answer_confidence", "gate_confidence", "entropy_confidence", "margin"):
        for i, value in zip(places, getattr(reading, name).tolist(), strict=True):
            columns[name][i] = value


def _answer(
    columns: Columns,
    places: Sequence[int],
    rows: Sequence[dict[str, Any]],
    targets: Sequence[Target],
    reading: LogitReading,
) -> None:
    """Predicted and gold answers, among all options of the question."""
    predicted, levels = reading.predicted.tolist(), reading.level.tolist()
    own = zip(places, rows, targets, predicted, reading.probabilities, levels, strict=True)
    for i, row, target, pred, p, level in own:
        gold = target.gold_index
        if (kept := row.get("kept")) is not None:
            pred, p = kept[pred], over_all(p, kept, len(target.options))
            columns["probabilities"][i] = p.tolist()
        value = level if columns["question_type"][i] == "score" else None
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
            **narrowing_of(row, gold, pred),
        }
        for name, answer in answers.items():
            columns[name][i] = answer
