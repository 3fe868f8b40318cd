"""Decisions as the columns that metrics read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.metrics.columns import DecisionColumns, SliceColumn
from laya_sweep.metrics.narrowing import FIRST_RETRIEVED, RECALLED, SURVIVED
from laya_sweep.scoring.narrowed import MISSES

_LEVELS = 10_000


def decision_columns(decisions: pa.Table) -> DecisionColumns:
    """The columns that metrics read, from a decisions table of one result."""
    gate = _filled(decisions["gate_confidence"], np.nan)
    labels = _codes(decisions, ("pred_label", "gold_label"))
    correct = decisions["correct"].to_pylist()
    return DecisionColumns(
        question_type=np.array(
            [QUESTION_TYPES.index(kind) for kind in decisions["question_type"].to_pylist()], np.int8
        ),
        n_options=decisions["n_options"].to_numpy(),
        confidence=decisions["answer_confidence"].to_numpy(),
        level=np.where(np.isfinite(gate), np.rint(np.nan_to_num(gate) * _LEVELS), -1).astype(np.int32),
        correct=np.array([-1 if value is None else int(value) for value in correct], np.int8),
        pred_index=decisions["pred_index"].to_numpy(),
        gold_index=_filled(decisions["gold_index"], -1).astype(np.int32),
        pred_label=labels[0],
        gold_label=labels[1],
        p_gold=_filled(decisions["p_gold"], np.nan).astype(np.float64),
        score_error=_filled(decisions["score_error"], np.nan).astype(np.float64),
        source=_codes(decisions, ("source_id",))[0],
        slices={
            "language": SliceColumn.of(decisions["language"].to_pylist()),
            "model": SliceColumn.of(decisions["model"].to_pylist()),
            "qid": SliceColumn.of(decisions["question"].to_pylist()),
            "tag": _tags(decisions["tags"]),
        },
        flags=_narrowing_flags(decisions),
    )


def _narrowing_flags(decisions: pa.Table) -> dict[str, np.ndarray[Any, np.dtype[np.int8]]]:
    """Of narrowed questions that have a gold answer: whether it was kept, and whether a shortlist ranks it first."""
    names = decisions["narrowing"].to_pylist()
    status = decisions["narrowing_status"].to_pylist()
    flags = {}
    for name, flag in (("shortlist", RECALLED), ("knockout", SURVIVED)):
        if name in names:
            own = [_kept(name, said) if own == name else -1 for own, said in zip(names, status, strict=True)]
            flags[flag] = np.array(own, np.int8)
    if RECALLED in flags:
        columns = (decisions[name].to_pylist() for name in ("kept", "kept_scores", "gold_index"))
        flags[FIRST_RETRIEVED] = np.array([_first(*row) for row in zip(*columns, strict=True)], np.int8)
    return flags


def _kept(name: str, status: str | None) -> int:
    return -1 if status is None else int(status != MISSES[name][0])


def _first(kept: list[int] | None, scores: list[float] | None, gold: int | None) -> int:
    return -1 if kept is None or scores is None or gold is None else int(kept[0] == gold)


def _tags(column: pa.ChunkedArray) -> SliceColumn:
    """The slices of decisions that have any number of tags each."""
    names = pc.list_flatten(column).to_pylist()
    rows = pc.list_parent_indices(column.combine_chunks()).to_numpy(zero_copy_only=False)
    found = SliceColumn.of(names)
    return SliceColumn(found.codes, found.values, rows.astype(np.int64))


def _filled(column: pa.ChunkedArray, value: float) -> np.ndarray[Any, Any]:
    return np.asarray(pc.fill_null(column, value).to_numpy())


def _codes(table: pa.Table, names: Sequence[str]) -> list[np.ndarray[Any, np.dtype[np.int32]]]:
    """Columns of texts as integer codes of one sorted code space; -1 for null."""
    values = sorted({value for name in names for value in pc.unique(table[name]).to_pylist() if value is not None})
    code = {value: i for i, value in enumerate(values)} | {None: -1}
    return [np.array([code[value] for value in table[name].to_pylist()], np.int32) for name in names]
