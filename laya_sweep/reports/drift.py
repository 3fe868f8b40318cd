"""The drift table: runners of one checkpoint side by side, each against the first.

A row is a runner (torch, an ONNX export, its INT8 copy): its metrics, and how many of its answers are the
reference's. Milliseconds belong to the terminal and to timing.json, so that a report has the same bytes each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.metrics.agreement import AnswerDrift, answer_drift

_METRICS = ("choice_accuracy", "noul_accuracy", "score_mae", "ece", "mean_confidence")
_KEYS = ("language", "case_id", "variant", "question")


class DriftRunner(NamedTuple):
    """A checkpoint of a run: its name, its engine, the digest of the weights behind it, and where it is from."""

    checkpoint: str
    engine: str
    weights: str | None
    place: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class DriftRow:
    """A runner's figures over all languages, and its answers against the reference's."""

    checkpoint: str
    engine: str
    figures: dict[str, float | None]
    answers: AnswerDrift


@dataclass(frozen=True, slots=True)
class DriftTable:
    """Runners under one transform and regime; the first row is the reference."""

    transform: str
    regime: str
    rows: tuple[DriftRow, ...]

    def document(self) -> dict[str, Any]:
        """The table as JSON values."""
        rows = [
            {"checkpoint": row.checkpoint, "engine": row.engine, "metrics": row.figures, **row.answers._asdict()}
            for row in self.rows
        ]
        return {**asdict(self), "reference": self.rows[0].checkpoint, "rows": rows}


def runner_groups(runners: Sequence[DriftRunner], reference: str | None) -> list[list[DriftRunner]]:
    """Runners to be compared, the reference first: all with the named one, else those of the same weights.

    A graph that does not say what weights it was made of belongs to the torch runner from the same place.
    """
    if reference is not None:
        return [sorted(runners, key=lambda runner: runner.checkpoint != reference)]
    known = {runner.place: runner.weights for runner in runners if runner.weights is not None}
    groups: dict[object, list[DriftRunner]] = {}
    for runner in sorted(runners, key=lambda runner: runner.engine != "torch"):
        groups.setdefault(runner.weights or known.get(runner.place, runner.place), []).append(runner)
    return [group for group in groups.values() if len(group) > 1]


def drift_table(
    group: Sequence[DriftRunner], results: Mapping[str, ResultReport], decisions: Mapping[str, pa.Table]
) -> DriftTable:
    """The table of one group, from the results and decisions of its runners by checkpoint name."""
    first = results[group[0].checkpoint]
    reference = decisions[group[0].checkpoint]
    rows = tuple(
        DriftRow(
            checkpoint=runner.checkpoint,
            engine=runner.engine,
            figures={name: results[runner.checkpoint].value("overall", "", name) for name in _METRICS},
            answers=_paired(reference, decisions[runner.checkpoint]),
        )
        for runner in group
    )
    return DriftTable(first.transform, first.regime, rows)


def drift_markdown(tables: Sequence[DriftTable]) -> str:
    """Sections of report.md."""
    parts = []
    for table in tables:
        lines = _cells(table)
        rows = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
        text = "\n".join("| " + " | ".join(cells) + " |" for cells in rows)
        title = f"Drift from {table.rows[0].checkpoint}, {table.regime}, {table.transform}"
        parts.append(f"\n## {title}\n\nOver all languages, all answers pooled.\n\n{text}\n")
    return "".join(parts)


def drift_lines(table: DriftTable, timing: Mapping[str, Any]) -> list[str]:
    """The table for a terminal, with the median milliseconds of a call and of a decision, and rows of the largest call.

    `timing` is the document of timing.json.
    """
    clocks = [timing["checkpoints"].get(row.checkpoint, {}) for row in table.rows]
    extra = [["p50 ms", "ms/decision", "rows/call"]]
    extra += [
        [
            _ms(one.get("latency_p50_ms")),
            _ms(one.get("cost_per_decision_p50_ms")),
            str(one.get("largest_batch", "none")),
        ]
        for one in clocks
    ]
    lines = [[*cells, *more] for cells, more in zip(_cells(table), extra, strict=True)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    padded = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return [f"drift from {table.rows[0].checkpoint}, {table.regime}, {table.transform}", *padded]


def _cells(table: DriftTable) -> list[list[str]]:
    """Header and rows: figures that some runner has, and the answers of all but the reference."""
    shown = [name for name in _METRICS if any(row.figures[name] is not None for row in table.rows)]
    lines = [["checkpoint", "engine", *shown, "n", "same answer", "max dp"]]
    for index, row in enumerate(table.rows):
        answers = ["-", "-"] if index == 0 else [_shown(row.answers.label_agreement), _small(row.answers)]
        lines.append([row.checkpoint, row.engine, *(_shown(row.figures[name]) for name in shown), str(row.answers.n)])
        lines[-1] += answers
    return lines


def _paired(reference: pa.Table, other: pa.Table) -> AnswerDrift:
    """Answers to the same questions, joined by their ids."""
    places = {key: i for i, key in enumerate(_ids(reference))}
    pairs = [(places[key], i) for i, key in enumerate(_ids(other)) if key in places]
    tables = (reference.take([a for a, _ in pairs]), other.take([b for _, b in pairs])) if pairs else ()
    if not tables:
        return AnswerDrift(0, None, None)
    predicted = [table["pred_index"].to_numpy() for table in tables]
    probabilities = [
        np.concatenate([np.asarray(one) for one in table["probabilities"].to_pylist()]) for table in tables
    ]
    return answer_drift((predicted[0], predicted[1]), (probabilities[0], probabilities[1]))


def _ids(table: pa.Table) -> list[tuple[str, ...]]:
    return list(zip(*(table[name].to_pylist() for name in _KEYS), strict=True))


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"


def _small(answers: AnswerDrift) -> str:
    difference = answers.max_probability_difference
    return "none" if difference is None else f"{difference:.2g}"


def _ms(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"
