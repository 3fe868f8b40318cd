"""The store of facts: committed parts under content keys. Done means: the ids are there.

    <root>/cells/<2 digits>/<cell key>/cell.json            the identity behind the key, for people
                                       part-<digest>.parquet     facts; named by their own bytes
                                       timings-<digest>.parquet  of the same rows, apart
                                       calls-<digest>.parquet    what was issued for them, also what failed
    <root>/temperatures/<digest>.json                       resolved temperatures of a checkpoint config
    <root>/parity/<digest>.json                             the sample that passed a checkpoint's parity check

A part appears by rename, its timings and calls before it. Parts are only added, so several runs may share a store; the
same rows written twice are the same bytes and so the same file. (A run whose engine mixes up rows takes its own back.)
Reading takes the union of all parts: a success wins over an error row, a damaged part counts as absent. Parts of older
versions, and cases that no worker survived, have no calls: what was issued for them is not known.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from laya_sweep.domain.identity import canonical_json
from laya_sweep.files.atomic import write_bytes
from laya_sweep.store.parquet import DamagedFileError, parquet_bytes, read_parquet
from laya_sweep.store.schemas import CALLS, FACTS, TIMINGS


class RowId(NamedTuple):
    """A row inside a cell."""

    case_id: str
    variant: str
    question: str


@dataclass(frozen=True, slots=True)
class Part:
    """The bytes of a facts part, of its timings and of its calls, ready to be committed or sent to the driver.

    `calls` is None where what was issued is not known.
    """

    facts: bytes
    timings: bytes
    calls: bytes | None = None

    @classmethod
    def of(cls, cell_key: str, facts: pa.Table, timings: pa.Table, calls: pa.Table | None = None) -> Part:
        """Serialise the tables, with the cell key in their footers."""
        footer = {"cell_key": cell_key}
        known = None if calls is None else parquet_bytes(calls, footer)
        return cls(parquet_bytes(facts, footer), parquet_bytes(timings, footer), known)


@dataclass(frozen=True, slots=True)
class CellFacts:
    """What is committed of a cell: one row per id, successes before errors, and what was damaged.

    `calls` has a row per id and call, of the part whose timing of the id is kept.
    """

    facts: pa.Table
    timings: pa.Table
    damaged: tuple[str, ...]
    calls: pa.Table = field(default_factory=CALLS.empty_table)

    def done(self) -> set[RowId]:
        """Ids with a success."""
        kept = self.facts.filter(pc.equal(self.facts["status"], "ok"))
        return set(row_ids(kept))


class FactStore:
    """A folder of facts; safe for many readers and writers at once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def describe(self, cell_key: str, identity: Mapping[str, Any]) -> None:
        """Write the identity behind a key beside its parts, once."""
        path = self._cell(cell_key) / "cell.json"
        if not path.exists():
            write_bytes(path, canonical_json(identity).encode())

    def commit(self, cell_key: str, part: Part) -> str:
        """Add a part: timings and calls first, so that a committed fact has them. Returns its name."""
        name = hashlib.sha256(part.facts).hexdigest()[:32]
        folder = self._cell(cell_key)
        write_bytes(folder / f"timings-{name}.parquet", part.timings)
        if part.calls is not None:
            write_bytes(folder / f"calls-{name}.parquet", part.calls)
        write_bytes(folder / f"part-{name}.parquet", part.facts)
        return name

    def withdraw(self, cell_key: str, name: str) -> None:
        """Take a part back that the same run committed and that turned out not to be trusted, facts first."""
        for kind in ("part", "calls", "timings"):
            (self._cell(cell_key) / f"{kind}-{name}.parquet").unlink(missing_ok=True)

    def read(self, cell_key: str) -> CellFacts:
        """Everything committed of a cell, in an order that depends on the rows alone."""
        damaged: list[str] = []
        facts, timings, calls = [], [], []
        for path in sorted(self._cell(cell_key).glob("part-*.parquet")):
            table = _read_or_note(path, FACTS, damaged)
            if table is not None:
                facts.append(table)
                timings += [_read_or_note(path.with_name(path.name.replace("part-", "timings-")), TIMINGS, damaged)]
                if (beside := path.with_name(path.name.replace("part-", "calls-"))).exists():
                    calls.append(_read_or_note(beside, CALLS, damaged))
        kept = [table for table in timings if table is not None]
        return CellFacts(
            _one_row_an_id(pa.concat_tables([FACTS.empty_table(), *facts]), prefer="status"),
            _one_row_an_id(pa.concat_tables([TIMINGS.empty_table(), *kept]), prefer="call_ms"),
            tuple(damaged),
            _calls_of_one_part_an_id([table for table in calls if table is not None]),
        )

    def temperatures(self, digest: str) -> list[dict[str, Any]] | None:
        """Resolved temperatures kept under a digest, None where there are none."""
        return self._kept("temperatures", digest)

    def keep_temperatures(self, digest: str, values: list[dict[str, Any]]) -> None:
        """Keep resolved temperatures under a digest."""
        self._keep("temperatures", digest, values)

    def parity_sample(self, digest: str) -> list[dict[str, Any]] | None:
        """The parity sample kept under a digest, None where there is none."""
        return self._kept("parity", digest)

    def keep_parity_sample(self, digest: str, values: list[dict[str, Any]]) -> None:
        """Keep a sample that passed the parity check under a digest; the newest one stays."""
        self._keep("parity", digest, values)

    def _kept(self, kind: str, digest: str) -> list[dict[str, Any]] | None:
        path = self.root / kind / f"{digest}.json"
        if not path.exists():
            return None
        values: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
        return values

    def _keep(self, kind: str, digest: str, values: list[dict[str, Any]]) -> None:
        write_bytes(self.root / kind / f"{digest}.json", canonical_json(values).encode())

    def _cell(self, cell_key: str) -> Path:
        return self.root / "cells" / cell_key[:2] / cell_key


def row_ids(table: pa.Table) -> Iterable[RowId]:
    """The row ids of a facts or timings table, in row order."""
    columns = [table[name].to_pylist() for name in RowId._fields]
    return [RowId(*values) for values in zip(*columns, strict=True)]


def _read_or_note(path: Path, schema: pa.Schema, damaged: list[str]) -> pa.Table | None:
    try:
        return read_parquet(path, schema)
    except DamagedFileError as error:
        damaged.append(str(error))
        return None


def _calls_of_one_part_an_id(tables: list[pa.Table]) -> pa.Table:
    """Where several parts have an id, the calls of the one whose timing wins below: the longest call that returned."""
    best: dict[RowId, tuple[float, int]] = {}
    ids = [list(row_ids(table)) for table in tables]
    for i, table in enumerate(tables):
        for row_id, call_ms in zip(ids[i], table["call_ms"].to_pylist(), strict=True):
            best[row_id] = max(best.get(row_id, (-2.0, i)), (-1.0 if call_ms is None else call_ms, i))
    kept = [
        table.filter(pa.array([best[row_id][1] == i for row_id in ids[i]], pa.bool_()))
        for i, table in enumerate(tables)
    ]
    return pa.concat_tables([CALLS.empty_table(), *kept])


def _one_row_an_id(table: pa.Table, prefer: str) -> pa.Table:
    """One row per id. "ok" sorts after "error", so the last row by status is the success."""
    if table.num_rows < 2:
        return table
    keys = [(name, "ascending") for name in RowId._fields]
    ordered = table.sort_by([*keys, (prefer, "ascending")])
    ids = list(row_ids(ordered))
    last = [i for i, row_id in enumerate(ids) if i + 1 == len(ids) or ids[i + 1] != row_id]
    return ordered.take(pa.array(last, pa.int64()))
