"""Which rows a map was fitted on, and whether a run evaluates some of them: on its own rows every map looks good.

A row is one of a dataset (the bytes it came from, split and language) by its `source_id`, or the same input to the
model wherever it stands: neither another sampling of options nor a copy of the row in another file hides it. Rows that
are the same by either belong together, and so do those that are tied to them in turn: a split keeps them on one side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.domain.calibration_map import OWN_KEY, outside
from laya_sweep.domain.settings import RegimeSettings
from laya_sweep.errors import ConfigError, Problem
from laya_sweep.suites.language import Language

#: Hex digits kept of a row's input digest.
DIGITS = 32

_SHOWN = 3


class DatasetRow(NamedTuple):
    """A row: its language, the data it came from, its id there, and the digest of what the model reads."""

    language: str
    data: Mapping[str, Any]
    source_id: str
    input_sha256: str


def rows_document(rows: Iterable[DatasetRow]) -> dict[str, Any]:
    """The rows by language, as a map keeps them: the digests of each source's inputs."""
    found: dict[str, dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: (row.language, row.source_id, row.input_sha256)):
        own = found.setdefault(row.language, {"data": dict(row.data), "rows": {}})
        digests = own["rows"].setdefault(row.source_id, [])
        if row.input_sha256[:DIGITS] not in digests:
            digests.append(row.input_sha256[:DIGITS])
    return found


def shared_rows(document: Mapping[str, Any], rows: Iterable[DatasetRow]) -> list[DatasetRow]:
    """The rows that a map was fitted on, among those given.

    Args:
        document: what `rows_document` gave.
        rows: that are to be evaluated.
    """
    inputs = {digest for own in document.values() for entry in own["rows"].values() for digest in _digests(entry)}
    shared = []
    for row in rows:
        own = document.get(row.language, {"data": None, "rows": {}})
        same_data = own["data"] == dict(row.data) and row.source_id in own["rows"]
        if same_data or row.input_sha256[:DIGITS] in inputs:
            shared.append(row)
    return shared


def joined_sources(rows: Iterable[DatasetRow]) -> dict[str, str]:
    """source_id -> the least of the sources that it is tied to by equal inputs, directly or through others."""
    parents: dict[str, str] = {}
    first_of: dict[str, str] = {}
    for row in rows:
        parents.setdefault(row.source_id, row.source_id)
        one = _root(parents, row.source_id)
        other = _root(parents, first_of.setdefault(row.input_sha256, row.source_id))
        parents[max(one, other)] = min(one, other)
    return {source: _root(parents, source) for source in parents}


def data_of(source: Mapping[str, Any], split: str | None) -> dict[str, Any]:
    """What decides the rows of a language, ids included."""
    return {"source": dict(source), "split": split or None}


def some_of(rows: Sequence[DatasetRow]) -> str:
    """`3 rows (de 11, en 17, ...)`."""
    named = ", ".join(f"{row.language or '-'} {row.source_id}" for row in rows[:_SHOWN])
    return f"{len(rows)} rows ({named}{', ...' if len(rows) > _SHOWN else ''})"


def refuse_fitted_rows(regimes: Sequence[RegimeSettings], languages: Sequence[Language]) -> None:
    """Refuse to evaluate a map on rows that it was fitted on, unless its regime allows that.

    Raises:
        ConfigError: naming the regimes and some of the rows.
    """
    rows = [row for language in languages for row in _rows(language)]
    problems = []
    for regime in regimes:
        shared = [row for document in _fitted_on(regime) for row in shared_rows(document, rows)]
        if shared and regime.fitted_rows != "allow":
            step = f"evaluate another split, or allow it with ++regime.{regime.name}.fitted_rows=allow"
            expected = "rows that the map was not fitted on"
            problems.append(Problem(f"regime {regime.name}", expected, some_of(shared), step))
    if problems:
        raise ConfigError(*problems)


def map_notes(regimes: Sequence[RegimeSettings], checkpoints: Sequence[Checkpoint]) -> list[str]:
    """What a person should know of the maps of a run: temperatures that are moved, and for whom a map was fitted."""
    notes = []
    for regime in regimes:
        moved = [*outside(regime.document), *outside(regime.lang_temperatures)]
        if moved:
            notes.append(f"regime {regime.name}: the runtime moves into [0.5, 5] and so do we: {', '.join(moved)}")
        own = (regime.document or {}).get(OWN_KEY)
        digest = own.get("checkpoint_digest") if isinstance(own, Mapping) else None
        others = [checkpoint.name for checkpoint in checkpoints if digest not in (None, checkpoint.digest)]
        if others:
            notes.append(f"regime {regime.name}: its map was fitted for another checkpoint than {', '.join(others)}")
        if regime.document is not None and not [*_fitted_on(regime)]:
            notes.append(f"regime {regime.name}: its map does not say on which rows it was fitted")
    return notes


def _fitted_on(regime: RegimeSettings) -> Iterable[Mapping[str, Any]]:
    """What the files of a regime tell of their rows; nothing where others wrote them."""
    entries = [regime.document, *(regime.lang_temperatures or {}).values()]
    for entry in entries:
        own = entry.get(OWN_KEY) if isinstance(entry, Mapping) else None
        if isinstance(own, Mapping) and _is_rows(own.get("fitted_on")):
            yield own["fitted_on"]


def _root(parents: dict[str, str], source: str) -> str:
    while parents[source] != source:
        parents[source] = parents[parents[source]]
        source = parents[source]
    return source


def _digests(entry: object) -> Iterable[str]:
    """The inputs of a source; maps that were written before several could be told have one text."""
    return [entry] if isinstance(entry, str) else entry if isinstance(entry, list) else []


def _is_rows(document: object) -> bool:
    return isinstance(document, Mapping) and all(
        isinstance(own, Mapping) and "data" in own and isinstance(own.get("rows"), Mapping) for own in document.values()
    )


def _rows(language: Language) -> Iterable[DatasetRow]:
    if language.error is None:
        data = data_of(language.recipe["source"], language.recipe.get("split"))
        for case in language.cases:
            yield DatasetRow(language.code, data, case.source_id, case.input_sha256)
