"""The tables of a run: those of its plan, of its facts and of its figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.routed import RoutedCheckpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.domain.question import option_labels
from laya_sweep.results.figures import metrics_table
from laya_sweep.results.rows import PlaceRows
from laya_sweep.run.derivation import DerivedResult
from laya_sweep.run.places import Inferred
from laya_sweep.run.plan import Cell, Plan
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.schemas import (
    CHECKPOINTS,
    CURVES,
    DECISIONS,
    LOGITS,
    PAIRS,
    ROUTES,
    RUN_CALLS,
    RUN_TIMINGS,
    VARIANTS,
)


def run_tables(plan: Plan, inferred: Inferred, results: Sequence[DerivedResult]) -> dict[str, pa.Table]:
    """Every table of a run, by file name."""
    places = {place.rows.expected.place: place.rows for place in inferred.places}
    ordered = [places[place] for place in dict.fromkeys(cell.place for cell in plan.cells)]
    pairs = [result.pairs for result in results if result.pairs is not None]
    return {
        "cases": cases_table(case for language in plan.languages for case in language.cases),
        "routes": routes_table(plan.routers),
        "checkpoints": checkpoints_table(plan.results, inferred.temperatures),
        "logits": _joined(ordered, "facts", LOGITS),
        "timings": _joined(ordered, "timings", RUN_TIMINGS),
        "calls": _joined(ordered, "calls", RUN_CALLS),
        "decisions": pa.concat_tables([DECISIONS.empty_table(), *(result.decisions for result in results)]),
        "curves": pa.concat_tables([CURVES.empty_table(), *(result.curves for result in results)]),
        "variants": variants_table(plan.cells),
        "pairs": pa.concat_tables([PAIRS.empty_table(), *pairs]),
        "metrics": metrics_table((result.key, row) for result in results for row in result.report.rows),
    }


def _joined(places: Iterable[PlaceRows], what: str, schema: pa.Schema) -> pa.Table:
    """The facts, timings or calls of all places, with the checkpoint's name."""
    tables = [schema.empty_table()]
    for rows in places:
        table = getattr(rows, what)
        names = pa.array([rows.expected.checkpoint] * table.num_rows, pa.string())
        tables.append(pa.table([names, *table.columns], schema=schema))
    return pa.concat_tables(tables)


def routes_table(routers: Iterable[RoutedCheckpoint]) -> pa.Table:
    """Where each case of a routed checkpoint went, by language and row, and what was detected in it."""
    rows = [
        {"checkpoint": router.name, **route._asdict()}
        for router in routers
        for route in sorted(router.routes.values(), key=lambda route: (route.language, route.row_index))
    ]
    return pa.Table.from_pylist(rows, schema=ROUTES)


def variants_table(cells: Iterable[Cell]) -> pa.Table:
    """How each variant of the cells shows its questions; cells of one language and transform show a case the same."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.language, cell.transform), []).append(cell)
    rows = [row for group in groups.values() for row in _group_rows(group)]
    return pa.Table.from_pylist(rows, schema=VARIANTS)


def _group_rows(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """Each case once, in the order of a cell that has them all, else by their place in the dataset."""
    places: dict[str, int] = {case.case_id: case.row_index for cell in cells for case in cell.cases}
    whole = next((cell for cell in cells if len(cell.cases) == len(places)), None)
    if whole is not None:
        return [*_variant_rows(whole)]
    seen: set[str] = set()
    rows: list[dict[str, Any]] = []
    for cell in cells:
        rows += [row for row in _variant_rows(cell) if row["case_id"] not in seen]
        seen |= {case.case_id for case in cell.cases}
    return sorted(rows, key=lambda row: places[row["case_id"]])


def _variant_rows(cell: Cell) -> Iterator[dict[str, Any]]:
    cases = {case.case_id: case for case in cell.cases}
    for variant in cell.variants:
        for qid in variant.questions:
            question = cases[variant.case_id].questions[qid]
            seen = variant.presented(qid, option_labels(question))
            yield {
                "language": cell.language,
                "transform": cell.transform,
                "case_id": variant.case_id,
                "variant": variant.name,
                "question": qid,
                "question_type": question["type"],
                "presented_keys": list(seen.presented_keys),
                "canonical_to_transformed": list(seen.shown_labels),
                "transformed_to_canonical": [seen.canonical_labels[index] for index in seen.slots],
                "canonical_indices": list(seen.slots),
            }


def checkpoints_table(
    results: Mapping[str, Mapping[str, Checkpoint]], temperatures: Mapping[str, list[TemperatureFact]]
) -> pa.Table:
    """Who answers for each result, with identity, budgets and temperatures by question type and bucket.

    Args:
        results: as those of a plan.
        temperatures: of the checkpoints, by their own names.
    """
    rows = [
        {
            "checkpoint": name,
            "model": model,
            "source": checkpoint.source,
            "subfolder": checkpoint.subfolder,
            "commit": checkpoint.commit,
            "digest": checkpoint.digest,
            "weights_sha256": checkpoint.weights,
            "engine": checkpoint.engine.name,
            "onnx_sha256": checkpoint.digests.get("onnx"),
            "max_len": checkpoint.max_len,
            "head_max_len": checkpoint.head_max_len,
            "question_type": fact.question_type,
            "bucket": fact.bucket,
            "temperature_raw": fact.raw,
            "temperature_served": fact.served,
            "temperature_source": fact.source,
        }
        for name, members in results.items()
        for model, checkpoint in members.items()
        for fact in temperatures[checkpoint.name]
    ]
    return pa.Table.from_pylist(rows, schema=CHECKPOINTS)
