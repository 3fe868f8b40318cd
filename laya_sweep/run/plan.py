"""Axes -> cells -> shards: what is cached, what will run, what it costs. Nothing here writes or computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.routed import RoutedCheckpoint
from laya_sweep.checkpoints.short_names import is_named
from laya_sweep.domain.case import Case
from laya_sweep.domain.identity import cell_key, library_versions, ordered_json
from laya_sweep.domain.settings import CheckpointSettings, Settings, TransformSettings
from laya_sweep.domain.variant import Variant
from laya_sweep.execution.contract import Shard
from laya_sweep.narrowing.narrower import narrowing_document
from laya_sweep.results.expected import ExpectedRows
from laya_sweep.store.facts import CellFacts, FactStore, RowId
from laya_sweep.suites.language import Language
from laya_sweep.transforms.registry import hangs_on_place, present, transform_identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell(ExpectedRows):
    """The unit of inference: what is expected of a place, and how much of it is there.

    `identity` is what its key is the digest of, and `done` are the rows that the store has.
    `shared` rows are those that another cell of the plan, with the same key, brings.
    `stored` is what the plan read of a cell that has all its rows, so that nobody reads it again.
    """

    identity: Mapping[str, Any]
    done: frozenset[RowId]
    shared: frozenset[RowId] = frozenset()
    stored: CellFacts | None = field(default=None, repr=False, compare=False)

    @property
    def pending(self) -> tuple[Variant, ...]:
        """Variants to be answered with a row that is neither done nor brought by another cell."""
        there = self.done | self.shared
        return tuple(
            variant
            for variant in self.variants
            if variant.case_id not in self.refused
            and any(RowId(variant.case_id, variant.name, qid) not in there for qid in variant.questions)
        )

    @property
    def own_rows(self) -> int:
        """Rows that no other cell of the plan brings."""
        return sum(len(variant.questions) for variant in self.variants) - len(self.shared)

    @property
    def refused_rows(self) -> int:
        """Rows of refused cases."""
        return sum(len(variant.questions) for variant in self.variants if variant.case_id in self.refused)

    @property
    def pending_rows(self) -> int:
        """Forward rows still to run."""
        return sum(len(variant.questions) for variant in self.pending)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run will do, before it does any of it.

    `checkpoints` are those that are asked, the members of routers too; `results` says for each result, by name, who
    answers it: model -> checkpoint, of which a checkpoint that is named has itself alone.
    """

    checkpoints: tuple[Checkpoint, ...]
    languages: tuple[Language, ...]
    cells: tuple[Cell, ...]
    damaged: tuple[str, ...]
    results: Mapping[str, Mapping[str, Checkpoint]]
    routers: tuple[RoutedCheckpoint, ...] = ()

    @property
    def failed_languages(self) -> dict[str, str]:
        """Languages that could not be built, with the reason."""
        return {language.code: language.error for language in self.languages if language.error is not None}

    @property
    def refusals(self) -> dict[str, int]:
        """Cases that a checkpoint must not answer, by the checkpoint's name, where there are any."""
        counts = Counter({cell.checkpoint: 0 for cell in self.cells})
        for cell in self.cells:
            counts[cell.checkpoint] += len(cell.refused)
        return {name: count for name, count in counts.items() if count}

    @property
    def rows(self) -> int:
        """Rows of all cells, those of two once: forwards without any cache."""
        return sum(cell.own_rows for cell in self.cells)

    @property
    def waiting(self) -> frozenset[str]:
        """Keys of cells with something to run."""
        return frozenset(cell.key for cell in self.cells if cell.pending)

    def router(self, name: str) -> RoutedCheckpoint | None:
        """The router behind a result, None behind a named checkpoint."""
        return next((router for router in self.routers if router.name == name), None)

    @property
    def pending_rows(self) -> int:
        """Forward rows that will run."""
        return sum(cell.pending_rows for cell in self.cells)


def make_plan(
    settings: Settings,
    checkpoints: Sequence[Checkpoint],
    languages: Sequence[Language],
    store: FactStore,
    routers: Sequence[RoutedCheckpoint] = (),
) -> Plan:
    """Cells of the product of checkpoints, languages and transforms, with what is done of each.

    A router is one checkpoint of that product, whose cells are split by who answers.
    """
    results: dict[str, Mapping[str, Checkpoint]] = {entry.name: {entry.name: entry} for entry in checkpoints}
    results |= {router.name: router.members for router in routers}
    results = {name: results[name] for name in sorted(results)}
    split = {router.name: router for router in routers}
    asked = {checkpoint.name: checkpoint for checkpoint in settings.checkpoints}
    entries = {entry.name: entry for members in results.values() for entry in members.values()}
    versions = {name: library_versions(entry.engine.libraries) for name, entry in entries.items()}
    shown = _shown(settings, languages)
    cells: list[Cell] = []
    damaged: list[str] = []
    for name, members in results.items():
        for language in (language for language in languages if language.error is None):
            for transform in settings.transforms:
                for model, checkpoint in members.items():
                    answered = language.cases if name not in split else split[name].cases_of(model, language.cases)
                    own = replace(language, cases=answered)
                    if own.cases:
                        variants = _of_cases(own, shown[language.code, transform.name])
                        refused = {} if checkpoint.file is None else _refused(asked[name], own.cases)
                        keys = _identities(settings, checkpoint, own, transform, versions[checkpoint.name])
                        cell, facts = _cell(checkpoint, own, transform.name, variants, keys, store, refused)
                        cells.append(replace(cell, checkpoint=name, model=model, worker=checkpoint.name))
                        damaged += facts.damaged
    once = tuple(dict.fromkeys(damaged))
    return Plan(tuple(entries.values()), tuple(languages), _sharing(cells), once, results, tuple(routers))


def _of_cases(language: Language, variants: tuple[Variant, ...]) -> tuple[Variant, ...]:
    """Those variants that are of the language's cases: a variant goes where its case goes."""
    own = {case.case_id for case in language.cases}
    return tuple(variant for variant in variants if variant.case_id in own)


def _sharing(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells; of several with one key each row belongs to the first that answers it: no forward is done twice."""
    several = {key for key, count in Counter(cell.key for cell in cells).items() if count > 1}
    claimed: dict[str, set[RowId]] = {key: set() for key in several}
    made = []
    for cell in cells:
        if cell.key in several:
            own = {row for row in cell.row_ids if row.case_id not in cell.refused}
            made.append(replace(cell, shared=frozenset(own & claimed[cell.key])))
            claimed[cell.key] |= own
        else:
            made.append(cell)
    return tuple(made)


def shards(cells: Iterable[Cell], size: int) -> list[Shard]:
    """Pending variants of the cells in tasks of up to `size`."""
    made = []
    for cell in cells:
        pending = cell.pending
        for start in range(0, len(pending), size):
            piece = pending[start : start + size]
            # Bytes of what the model reads: a stand-in for tokens that needs no tokeniser and no script table.
            cost = float(sum(len(ordered_json([shown.state, shown.questions]).encode()) for shown in piece))
            made.append(Shard(cell.key, cell.asked_of, cell.language, cell.transform, piece, cost))
    return made


def _shown(settings: Settings, languages: Sequence[Language]) -> dict[tuple[str, str], tuple[Variant, ...]]:
    """Variants by language and transform: every checkpoint is shown the same."""
    return {
        (language.code, transform.name): tuple(present(transform, language.cases))
        for language in languages
        for transform in settings.transforms
    }


def _identities(
    settings: Settings,
    checkpoint: Checkpoint,
    language: Language,
    transform: TransformSettings,
    versions: dict[str, str],
) -> list[dict[str, Any]]:
    """What a cell's key is of; then what it was of where the bytes of a whole file were in it."""
    own = {
        "checkpoint": checkpoint.digests,
        "versions": versions,
        "engine": checkpoint.engine.name,
        "device": settings.executor.device,
        "dtype": "float32",
        "layout": checkpoint.layout.identity,
        "max_len": checkpoint.max_len,
        "head_max_len": checkpoint.head_max_len,
        "language": language.code,
        "transform": transform_identity(transform),
        **narrowing_document(settings.narrowing),
    }
    recipes = [language.recipe] if hangs_on_place(transform) else [language.row_recipe, language.recipe]
    return [{**own, "suite": recipe} for recipe in recipes]


def _refused(checkpoint: CheckpointSettings, cases: Iterable[Case]) -> dict[str, str]:
    """Cases whose row asks for another checkpoint: one graph serves one checkpoint, and must not answer for another."""
    return {
        case.case_id: f"the row asks for {case.model}, and the ONNX export serves {checkpoint.source} alone"
        for case in cases
        if case.model is not None and not is_named(case.model, checkpoint)
    }


def _cell(
    checkpoint: Checkpoint,
    language: Language,
    transform: str,
    variants: tuple[Variant, ...],
    identities: Sequence[dict[str, Any]],
    store: FactStore,
    refused: Mapping[str, str],
) -> tuple[Cell, CellFacts]:
    """The cell under the key that has most of its rows, of several alike the first."""
    wanted = {RowId(shown.case_id, shown.name, qid) for shown in variants for qid in shown.questions}
    found: dict[str, tuple[dict[str, Any], CellFacts, frozenset[RowId]]] = {}
    for identity in identities:
        facts = store.read(key := cell_key(identity))
        found[key] = identity, facts, frozenset(facts.done())
        if wanted <= found[key][2]:
            break
    key = max(found, key=lambda key: len(wanted & found[key][2]))
    identity, facts, done = found[key]
    cell = Cell(
        key=key,
        identity=identity,
        checkpoint=checkpoint.name,
        language=language.code,
        transform=transform,
        cases=language.cases,
        variants=variants,
        done=done,
        refused=refused,
    )
    return (replace(cell, stored=facts) if done.issuperset(cell.row_ids) else cell), facts
