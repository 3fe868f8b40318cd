"""How the answers of a result were asked: its cases in the order of the input, and the options of each as shown.

A run keeps every answer in canonical option order. A document says what the model was shown: option by option, under
the names that stood there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.store.stored_run import StoredResult, StoredRun

#: Datasets that are one file of all languages: a row's place in it is its `row_index`.
_ONE_FILE = ("jsonl", "table")


class Place(NamedTuple):
    """An answer of a result."""

    language: str
    case_id: str
    variant: str
    question: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Place:
        """The place of a row of any table that has these columns."""
        return cls(*(row[name] for name in cls._fields))


class Shown(NamedTuple):
    """A choice as shown: of each slot the canonical index of its option, and the name that stood there."""

    indices: tuple[int, ...]
    labels: tuple[str, ...]

    def slot(self, index: int | None) -> int | None:
        """Where a canonical option stood; None for none, and for one that was not shown."""
        return self.indices.index(index) if index in self.indices else None


def cases_in_order(run: StoredRun) -> list[dict[str, Any]]:
    """The cases as they stand in the input; the table has them language by language."""
    dataset = run.config.get("dataset")
    name = dataset.get("name") if isinstance(dataset, dict) else None
    return sorted(run.cases, key=lambda case: case["row_index"]) if name in _ONE_FILE else run.cases


def shown_answers(result: StoredResult) -> dict[Place, Shown]:
    """How each answered question of a result was shown; as it stands in its case where the run does not tell."""
    told = {Place.of(row): row for row in result.variants.to_pylist()} if result.run.has("variants") else {}
    narrowed = result.run.narrowing is not None and result.run.has("logits")
    facts = {Place.of(row): row["presented_order"] for row in result.facts.to_pylist()} if narrowed else {}
    return {
        place: _shown(row, told.get(place), facts.get(place))
        for row in result.decisions.to_pylist()
        for place in (Place.of(row),)
    }


def as_shown(decisions: pa.Table, shown: Mapping[Place, Shown]) -> pa.Table:
    """Decisions with the slots of answers in the place of canonical indices; a gold option that was not shown has the
    slot behind the last."""
    indices: dict[str, list[int | None]] = {"pred_index": [], "gold_index": []}
    for row in decisions.to_pylist():
        own = shown[Place.of(row)]
        for name, column in indices.items():
            slot = own.slot(row[name])
            column.append(len(own.indices) if slot is None and row[name] is not None else slot)
    for name, column in indices.items():
        at = decisions.schema.get_field_index(name)
        decisions = decisions.set_column(at, decisions.schema.field(at), pa.array(column, pa.int32()))
    return decisions


def _shown(row: Mapping[str, Any], told: Mapping[str, Any] | None, order: list[int] | None) -> Shown:
    options, kept = row["options"], row["kept"]
    indices = range(len(options)) if told is None else told["canonical_indices"]
    if kept is not None:
        indices = kept if order is None else [kept[slot] for slot in order]
    names = options if told is None else told["canonical_to_transformed"]
    return Shown(tuple(indices), tuple(names[index] for index in indices))
