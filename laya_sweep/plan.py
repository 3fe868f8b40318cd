"""Axes -> cells -> shards: what is cached, what will run, what it costs. Nothing here writes or computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from laya_sweep.engines import LAYOUT_VERSION, LENGTH_MULTIPLE, Checkpoint
from laya_sweep.execution import Shard
from laya_sweep.identity import cell_key, library_versions, ordered_json
from laya_sweep.routing import RoutedCheckpoint
from laya_sweep.settings import Settings
from laya_sweep.store import CellFacts, FactStore, RowId
from laya_sweep.suites import Case, LanguageError, Suite
from laya_sweep.transforms import Variant, transform_identity, variants_of

#: Libraries whose version may move a logit.
ENGINE_LIBRARIES = ("laya", "torch", "transformers", "tokenizers")


@dataclass(frozen=True, slots=True)
class Language:
    """A language's frozen cases, or the error that kept it from being built."""

    code: str
    cases: tuple[Case, ...]
    recipe: dict[str, Any]
    error: str | None


@dataclass(frozen=True, slots=True)
class Cell:
    """The unit of inference: checkpoint x language x transform.

    `checkpoint` is the result that it belongs to. Where that is routed the cell holds the cases of one member, which
    `model` names, and `worker` is the checkpoint of the plan that answers them; "" where all three are one.
    `shared` rows are those that another cell of the plan, with the same key, brings.
    """

    key: str
    identity: dict[str, Any]
    checkpoint: str
    language: str
    transform: str
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    done: frozenset[RowId]
    model: str = ""
    worker: str = ""
    shared: frozenset[RowId] = frozenset()

    @property
    def answered_by(self) -> str:
        """Who answers, as the `model` slice says it."""
        return self.model or self.checkpoint

    @property
    def asked_of(self) -> str:
        """The checkpoint of the plan that is asked."""
        return self.worker or self.checkpoint

    @property
    def place(self) -> tuple[str, str, str]:
        """(checkpoint, language, transform): what is scored as one, and what the cells of one router share."""
        return self.checkpoint, self.language, self.transform

    @property
    def row_ids(self) -> list[RowId]:
        """Every expected row, in case, variant and question order."""
        return [RowId(variant.case_id, variant.name, qid) for variant in self.variants for qid in variant.questions]

    @property
    def pending(self) -> tuple[Variant, ...]:
        """Variants with a row that is neither done nor brought by another cell."""
        there = self.done | self.shared
        return tuple(
            variant
            for variant in self.variants
            if any(RowId(variant.case_id, variant.name, qid) not in there for qid in variant.questions)
        )

    @property
    def own_rows(self) -> int:
        """Rows that no other cell of the plan brings."""
        return sum(len(variant.questions) for variant in self.variants) - len(self.shared)

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


def build_languages(suite: Suite, codes: Sequence[str]) -> tuple[Language, ...]:
    """Cases of each language; a broken language keeps its error and the others go on."""
    return tuple(_build_language(suite, code) for code in codes)


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
    versions = library_versions(ENGINE_LIBRARIES)
    results: dict[str, Mapping[str, Checkpoint]] = {entry.name: {entry.name: entry} for entry in checkpoints}
    results |= {router.name: router.members for router in routers}
    results = {name: results[name] for name in sorted(results)}
    split = {router.name: router for router in routers}
    cells: list[Cell] = []
    damaged: list[str] = []
    for name, members in results.items():
        for language in (language for language in languages if language.error is None):
            for transform in settings.transforms:
                for model, checkpoint in members.items():
                    own = language if name not in split else _routed(language, split[name], model)
                    if own.cases:
                        identity = _identity(settings, checkpoint, own, transform.name, versions)
                        cell, facts = _cell(checkpoint, own, transform.name, identity, store)
                        cells.append(replace(cell, checkpoint=name, model=model, worker=checkpoint.name))
                        damaged += facts.damaged
    asked = {entry.name: entry for members in results.values() for entry in members.values()}
    return Plan(
        tuple(asked.values()), tuple(languages), _sharing(cells), tuple(dict.fromkeys(damaged)), results, tuple(routers)
    )


def _routed(language: Language, router: RoutedCheckpoint, model: str) -> Language:
    """The language with those of its cases that a member answers."""
    return replace(language, cases=router.cases_of(model, language.cases))


def _sharing(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells; of several with one key each row belongs to the first that has it, and no forward is done twice."""
    several = {key for key, count in Counter(cell.key for cell in cells).items() if count > 1}
    claimed: dict[str, set[RowId]] = {key: set() for key in several}
    made = []
    for cell in cells:
        if cell.key in several:
            own = set(cell.row_ids)
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
            cost = float(sum(map(_cost, piece)))
            made.append(Shard(cell.key, cell.asked_of, cell.language, cell.transform, piece, cost))
    return made


def _build_language(suite: Suite, code: str) -> Language:
    try:
        return Language(code, tuple(suite.cases(code)), suite.recipe(code), None)
    except LanguageError as error:
        return Language(code, (), {}, str(error))


def _identity(
    settings: Settings, checkpoint: Checkpoint, language: Language, transform: str, versions: dict[str, str]
) -> dict[str, Any]:
    return {
        "checkpoint": checkpoint.digests,
        "versions": versions,
        "engine": "torch",
        "device": settings.executor.device,
        "dtype": "float32",
        "layout": {"version": LAYOUT_VERSION, "length_multiple": LENGTH_MULTIPLE},
        "max_len": checkpoint.max_len,
        "head_max_len": checkpoint.head_max_len,
        "suite": language.recipe,
        "language": language.code,
        "transform": transform_identity(transform),
    }


def _cell(
    checkpoint: Checkpoint, language: Language, transform: str, identity: dict[str, Any], store: FactStore
) -> tuple[Cell, CellFacts]:
    key = cell_key(identity)
    facts = store.read(key)
    variants = tuple(variant for case in language.cases for variant in variants_of(transform, case))
    cell = Cell(
        key=key,
        identity=identity,
        checkpoint=checkpoint.name,
        language=language.code,
        transform=transform,
        cases=language.cases,
        variants=variants,
        done=frozenset(facts.done()),
    )
    return cell, facts


def _cost(variant: Variant) -> int:
    """Bytes of what the model reads: a stand-in for tokens that needs no tokeniser and no script table."""
    return len(ordered_json([variant.state, variant.questions]).encode())
