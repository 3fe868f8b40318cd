"""The facts of one place in the order of its cases, and what of them is missing or failed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.domain.question import option_count
from laya_sweep.domain.variant import Variant
from laya_sweep.results.expected import ExpectedRows
from laya_sweep.store.facts import RowId, row_ids
from laya_sweep.store.schemas import CALLS, FACTS


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
class PlaceRows:
    """The facts, timings and calls of a place in expected order, and what is missing or failed."""

    expected: ExpectedRows
    facts: pa.Table
    timings: pa.Table
    missing: int
    errors: tuple[RowError, ...]
    calls: pa.Table = field(default_factory=CALLS.empty_table)

    def failure(self, on_error: str) -> str | None:
        """Why the place publishes no metrics; None when every row is there, or with `skip` all that answered."""
        if self.errors and (on_error == "fail" or len(self.errors) == len(self.expected.row_ids)):
            return f"{len(self.errors)} of {len(self.expected.row_ids)} rows failed, the first: {self.errors[0]}"
        if self.missing:
            return f"{self.missing} of {len(self.expected.row_ids)} rows are missing"
        return None


def select_rows(expected: ExpectedRows, facts: pa.Table, timings: pa.Table, calls: pa.Table | None = None) -> PlaceRows:
    """The rows of this run's cases, in case order; a store may hold more (another per_lang) or fewer."""
    wanted = expected.row_ids
    if expected.refused:
        facts, timings = _with_refusals(expected, facts), _without(expected.refused, timings)
        calls = None if calls is None else _without(expected.refused, calls)
    chosen = take_rows(facts, wanted)
    failed = chosen.filter(pc.equal(chosen["status"], "error"))
    places = {case.case_id: case.row_index for case in expected.cases}
    columns = (failed[name].to_pylist() for name in ("case_id", "question", "error_type", "error_message"))
    errors = tuple(
        RowError(expected.language, places[case], question, f"{kind}: {message}")
        for case, question, kind, message in zip(*columns, strict=True)
    )
    missing = len(wanted) - chosen.num_rows
    issued = take_rows(CALLS.empty_table() if calls is None else calls, wanted)
    return PlaceRows(expected, chosen, take_rows(timings, wanted), missing, errors, issued)


def joined(parts: Sequence[PlaceRows]) -> PlaceRows:
    """The parts of one place as one, in case order: what a routed checkpoint's members answered of a language."""
    if len(parts) == 1:
        return parts[0]
    expected = _joined_expectation([part.expected for part in parts])
    facts, timings, calls = (
        take_rows(pa.concat_tables([getattr(part, name) for part in parts]), expected.row_ids)
        for name in ("facts", "timings", "calls")
    )
    errors = sorted(error for part in parts for error in part.errors)
    return PlaceRows(expected, facts, timings, sum(part.missing for part in parts), tuple(errors), calls)


def _joined_expectation(parts: Sequence[ExpectedRows]) -> ExpectedRows:
    """Parts of one place as one that has no key, since no checkpoint alone is behind it."""
    cases = sorted((case for expected in parts for case in expected.cases), key=lambda case: case.row_index)
    variants: dict[str, list[Variant]] = {}
    for expected in parts:
        for variant in expected.variants:
            variants.setdefault(variant.case_id, []).append(variant)
    refused = {case: why for expected in parts for case, why in expected.refused.items()}
    return ExpectedRows(
        key="",
        checkpoint=parts[0].checkpoint,
        language=parts[0].language,
        transform=parts[0].transform,
        cases=tuple(cases),
        variants=tuple(variant for case in cases for variant in variants.get(case.case_id, ())),
        refused=refused,
    )


def _with_refusals(expected: ExpectedRows, facts: pa.Table) -> pa.Table:
    """Facts in which a case that this checkpoint must not answer is an error row, whatever the store holds of it."""
    rows = [
        {
            "cell_key": expected.key,
            "language": expected.language,
            "transform": expected.transform,
            "case_id": variant.case_id,
            "variant": variant.name,
            "question": qid,
            "question_type": question["type"],
            "n_options": option_count(question),
            "status": "error",
            "error_type": "OtherCheckpointError",
            "error_message": expected.refused[variant.case_id],
        }
        for variant in expected.variants
        if variant.case_id in expected.refused
        for qid, question in variant.questions.items()
    ]
    return pa.concat_tables([_without(expected.refused, facts), pa.Table.from_pylist(rows, schema=FACTS)])


def _without(cases: Iterable[str], table: pa.Table) -> pa.Table:
    return table.filter(pc.invert(pc.is_in(table["case_id"], pa.array([*cases], pa.string()))))


def take_rows(table: pa.Table, wanted: Sequence[RowId]) -> pa.Table:
    """Rows with the wanted ids, in the wanted order; rows of one id as they stand."""
    places: dict[RowId, list[int]] = {}
    for i, row_id in enumerate(row_ids(table)):
        places.setdefault(row_id, []).append(i)
    return table.take(pa.array([i for row_id in wanted for i in places.get(row_id, ())], pa.int64()))
