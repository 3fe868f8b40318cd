"""Facts -> decisions -> metrics: everything derived, for one cell at once or for whole results.

No torch, no Ray: a run with nothing to infer comes here directly, and so does any later look at its tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.errors import CheckpointError, Problem
from laya_sweep.identity import canonical_json
from laya_sweep.metrics import DecisionColumns, MetricRow, SliceColumn, curve, summarise
from laya_sweep.metrics.narrowing import FIRST_RETRIEVED, RECALLED, SURVIVED
from laya_sweep.min_confidence import BucketThresholds, MinConfidence, from_document
from laya_sweep.plan import Cell
from laya_sweep.scoring import (
    MISSES,
    QUESTION_TYPES,
    BucketTemperature,
    Place,
    Regime,
    Rounding,
    ScoredCell,
    UnusableTemperatureError,
    decide,
    option_bucket,
    target_of,
)
from laya_sweep.store import CALLS, CURVES, DECISIONS, FACTS, METRICS, RowId, row_ids
from laya_sweep.transforms import Variant
from laya_sweep.transforms.presented import option_count

#: Replicates and seed of every bootstrap interval of a run.
REPLICATES = 1000
SEED = 13

_LEVELS = 10_000
_NO_MACRO = frozenset({"macro:model", "macro:qid", "macro:tag"})


class ResultKey(NamedTuple):
    """A result: one checkpoint, transform and regime over all its languages."""

    checkpoint: str
    transform: str
    regime: str


@dataclass(frozen=True, slots=True, order=True)
class RowError:
    """A question without an answer: the row of its dataset, the question, and what went wrong."""

    language: str
    index: int
    question: str
    error: str

    def __str__(self) -> str:
        return f"{self.language} row {self.index} {self.question}: {self.error}"


@dataclass(frozen=True, slots=True)
class CellRows:
    """The facts, timings and calls of a cell in expected order, and what is missing or failed."""

    cell: Cell
    facts: pa.Table
    timings: pa.Table
    missing: int
    errors: tuple[RowError, ...]
    calls: pa.Table = field(default_factory=CALLS.empty_table)

    def failure(self, on_error: str) -> str | None:
        """Why the cell publishes no metrics; None when every row is there, or with `skip` every row that answered."""
        if self.errors and (on_error == "fail" or len(self.errors) == len(self.cell.row_ids)):
            return f"{len(self.errors)} of {len(self.cell.row_ids)} rows failed, the first: {self.errors[0]}"
        if self.missing:
            return f"{self.missing} of {len(self.cell.row_ids)} rows are missing"
        return None


def select_rows(cell: Cell, facts: pa.Table, timings: pa.Table, calls: pa.Table | None = None) -> CellRows:
    """The rows of this run's cases, in case order; a store may hold more (another per_lang) or fewer."""
    wanted = cell.row_ids
    if cell.refused:
        facts, timings = _with_refusals(cell, facts), _without(cell.refused, timings)
        calls = None if calls is None else _without(cell.refused, calls)
    chosen = _take(facts, wanted)
    failed = chosen.filter(pc.equal(chosen["status"], "error"))
    places = {case.case_id: case.row_index for case in cell.cases}
    columns = (failed[name].to_pylist() for name in ("case_id", "question", "error_type", "error_message"))
    errors = tuple(
        RowError(cell.language, places[case], question, f"{kind}: {message}")
        for case, question, kind, message in zip(*columns, strict=True)
    )
    missing = len(wanted) - chosen.num_rows
    issued = _take(CALLS.empty_table() if calls is None else calls, wanted)
    return CellRows(cell, chosen, _take(timings, wanted), missing, errors, issued)


def joined(parts: Sequence[CellRows]) -> CellRows:
    """The cells of one place as one, in case order: what a routed checkpoint's members answered of a language."""
    if len(parts) == 1:
        return parts[0]
    cell = _joined_cell([part.cell for part in parts])
    facts, timings, calls = (
        _take(pa.concat_tables([getattr(part, name) for part in parts]), cell.row_ids)
        for name in ("facts", "timings", "calls")
    )
    errors = sorted(error for part in parts for error in part.errors)
    return CellRows(cell, facts, timings, sum(part.missing for part in parts), tuple(errors), calls)


def _joined_cell(cells: Sequence[Cell]) -> Cell:
    """Cells of one place as one that has no key, since no checkpoint alone is behind it."""
    cases = sorted((case for cell in cells for case in cell.cases), key=lambda case: case.row_index)
    variants: dict[str, list[Variant]] = {}
    for cell in cells:
        for variant in cell.variants:
            variants.setdefault(variant.case_id, []).append(variant)
    return replace(
        cells[0],
        key="",
        identity={},
        cases=tuple(cases),
        variants=tuple(variant for case in cases for variant in variants[case.case_id]),
        done=frozenset[RowId]().union(*(cell.done for cell in cells)),
        shared=frozenset(),
        model="",
        worker="",
    )


def score_place(
    parts: Sequence[CellRows],
    regime: Regime,
    temperatures: Mapping[str, Mapping[str, BucketTemperature]],
    rounding: Rounding = "exact",
) -> pa.Table:
    """Decisions of the cells of one place in case order, each under the temperatures of who answered it.

    Args:
        parts: the cells; one, or one for each member of a routed checkpoint.
        regime: the temperature rule.
        temperatures: by who answers, then by bucket.
        rounding: exact figures, or the runtime's own.

    Raises:
        CheckpointError: as `score_cell`.
    """
    tables = [score_cell(part, regime, temperatures[part.cell.answered_by], rounding) for part in parts]
    return tables[0] if len(parts) == 1 else _take(pa.concat_tables(tables), joined(parts).cell.row_ids)


def score_cell(
    rows: CellRows, regime: Regime, temperatures: Mapping[str, BucketTemperature], rounding: Rounding = "exact"
) -> pa.Table:
    """Decisions of a cell's successful rows under a regime, in exact figures or in the runtime's own.

    Raises:
        CheckpointError: the raw regime of a checkpoint that ships no usable temperature.
    """
    cell = rows.cell
    scored = ScoredCell(
        checkpoint=cell.checkpoint,
        model=cell.answered_by,
        temperatures=temperatures,
        places={case.case_id: Place(case.source_id, case.row_index, case.tags) for case in cell.cases},
        targets={
            (case.case_id, qid): target_of(question, case.expected.get(qid))
            for case in cell.cases
            for qid, question in case.questions.items()
        },
    )
    ok = rows.facts.filter(pc.equal(rows.facts["status"], "ok"))
    try:
        return decide(ok, scored, regime, DECISIONS, rounding)
    except UnusableTemperatureError as error:
        problem = Problem(
            f"regime {regime.name} of checkpoint {cell.asked_of}",
            f"a positive raw temperature for {error.bucket}",
            "none in its rl_agent_config.json",
            "drop the raw regime for it, or use served, unit or fixed",
        )
        raise CheckpointError(problem) from error


def is_served(decisions: pa.Table, served: Mapping[str, Mapping[str, float]]) -> bool:
    """Whether every decision has the temperature that the runtime applies: only then are its marks the runtime's.

    Args:
        decisions: of one result.
        served: who answers -> bucket -> its served temperature.
    """
    names = ["model", "question_type", "n_options", "temperature"]
    kinds = decisions.group_by(names).aggregate([])
    return all(
        served[model][option_bucket(kind, options)] == temperature
        for model, kind, options, temperature in zip(*(kinds[name].to_pylist() for name in names), strict=True)
    )


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


def summarise_result(
    decisions: pa.Table,
    languages: Sequence[str],
    min_confidence: Sequence[MinConfidence],
    score_within: Sequence[float] = (),
) -> list[MetricRow]:
    """Every metric of one result: overall, by language, model, question and tag.

    The macro is over the languages that were asked for; means over questions or tags are no figure of anything.
    """
    columns = decision_columns(decisions)
    alone = {name: values[0] for name in ("model", "qid") if len(values := columns.slices[name].values) == 1}
    several = [name for name in ("model", "qid", "tag") if name not in alone and columns.slices[name].values]
    rows = summarise(
        columns,
        slices=("language", *several),
        score_within=score_within,
        min_confidence=[value for value in min_confidence if value is not None],
        replicates=REPLICATES,
        seed=SEED,
        expected={"language": languages},
    )
    rows = [row for row in rows if row.slice_dimension not in _NO_MACRO]
    return rows + [
        # A dimension of one value has the figures of the whole: the same numbers, without resampling them again.
        replace(row, slice_dimension=name, slice_value=value)
        for name, value in alone.items()
        for row in rows
        if row.slice_dimension == "overall"
    ]


def curve_rows(key: ResultKey, decisions: pa.Table) -> pa.Table:
    """Precision-coverage curves of one result: overall, and per language in order of the codes."""
    columns = decision_columns(decisions)
    languages = columns.slices["language"]
    tables = [_curve_table(key, ("overall", ""), columns)]
    for code, language in enumerate(languages.values):
        rows = np.flatnonzero(languages.codes == code)
        tables.append(_curve_table(key, ("language", language), columns.take(rows)))
    return pa.concat_tables(tables)


def _curve_table(key: ResultKey, place: tuple[str, str], columns: DecisionColumns) -> pa.Table:
    points = curve(columns.level, columns.correct, source=columns.source)
    rows = len(points.threshold)
    texts = {**key._asdict(), "slice": place[0], "slice_value": place[1]}
    numbers = {name: getattr(points, name) for name in CURVES.names if name not in texts and name != "n"}
    return (
        pa.table({name: [text] * rows for name, text in texts.items()} | numbers | {"n": [points.n] * rows})
        .select(CURVES.names)
        .cast(CURVES)
    )


def metrics_table(rows: Iterable[tuple[ResultKey, MetricRow]]) -> pa.Table:
    """The tidy metrics table."""
    return pa.Table.from_pylist([_metric_record(key, row) for key, row in rows], schema=METRICS)


def metric_row(record: Mapping[str, Any]) -> MetricRow:
    """A row of the metrics table as the figure that it was written from."""
    text = record["min_confidence_map"]
    return MetricRow(
        slice_dimension=record["slice"],
        min_confidence=record["min_confidence"] if text is None else from_document(json.loads(text)),
        **{name: record[name] for name in _SAME_NAME},
    )


#: Fields of a figure that are columns by the same name.
_SAME_NAME = ("slice_value", "metric", "definition", "value", "n", "n_clusters", "low", "high", "reason")


def _metric_record(key: ResultKey, row: MetricRow) -> dict[str, Any]:
    threshold = row.min_confidence
    by_bucket = threshold if isinstance(threshold, BucketThresholds) else None
    return {
        **key._asdict(),
        "min_confidence": None if by_bucket else threshold,
        "min_confidence_map": canonical_json(by_bucket.document()) if by_bucket else None,
        "slice": row.slice_dimension,
        **{name: getattr(row, name) for name in _SAME_NAME},
    }


def _with_refusals(cell: Cell, facts: pa.Table) -> pa.Table:
    """Facts in which a case that the cell must not answer is an error row, whatever the store holds of it."""
    rows = [
        {
            "cell_key": cell.key,
            "language": cell.language,
            "transform": cell.transform,
            "case_id": variant.case_id,
            "variant": variant.name,
            "question": qid,
            "question_type": question["type"],
            "n_options": option_count(question),
            "status": "error",
            "error_type": "OtherCheckpointError",
            "error_message": cell.refused[variant.case_id],
        }
        for variant in cell.variants
        if variant.case_id in cell.refused
        for qid, question in variant.questions.items()
    ]
    return pa.concat_tables([_without(cell.refused, facts), pa.Table.from_pylist(rows, schema=FACTS)])


def _without(cases: Iterable[str], table: pa.Table) -> pa.Table:
    return table.filter(pc.invert(pc.is_in(table["case_id"], pa.array([*cases], pa.string()))))


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


def _take(table: pa.Table, wanted: Sequence[RowId]) -> pa.Table:
    """Rows with the wanted ids, in the wanted order; rows of one id as they stand."""
    places: dict[RowId, list[int]] = {}
    for i, row_id in enumerate(row_ids(table)):
        places.setdefault(row_id, []).append(i)
    return table.take(pa.array([i for row_id in wanted for i in places.get(row_id, ())], pa.int64()))


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
