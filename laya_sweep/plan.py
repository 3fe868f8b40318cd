"""Axes -> cells -> shards: what is cached, what will run, what it costs. Nothing here writes or computes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from laya_sweep.engines import LAYOUT_VERSION, LENGTH_MULTIPLE, Checkpoint
from laya_sweep.execution import Shard
from laya_sweep.identity import cell_key, library_versions, ordered_json
from laya_sweep.narrowing import narrowing_document
from laya_sweep.settings import Settings, TransformSettings
from laya_sweep.store import CellFacts, FactStore, RowId
from laya_sweep.suites import Case, LanguageError, Suite
from laya_sweep.transforms import Variant, present, transform_identity

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
    """The unit of inference: checkpoint x language x transform."""

    key: str
    identity: dict[str, Any]
    checkpoint: str
    language: str
    transform: str
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    done: frozenset[RowId]

    @property
    def row_ids(self) -> list[RowId]:
        """Every expected row, in case, variant and question order."""
        return [RowId(variant.case_id, variant.name, qid) for variant in self.variants for qid in variant.questions]

    @property
    def pending(self) -> tuple[Variant, ...]:
        """Variants with a row that is not done."""
        return tuple(
            variant
            for variant in self.variants
            if any(RowId(variant.case_id, variant.name, qid) not in self.done for qid in variant.questions)
        )

    @property
    def pending_rows(self) -> int:
        """Forward rows still to run."""
        return sum(len(variant.questions) for variant in self.pending)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run will do, before it does any of it."""

    checkpoints: tuple[Checkpoint, ...]
    languages: tuple[Language, ...]
    cells: tuple[Cell, ...]
    damaged: tuple[str, ...]

    @property
    def failed_languages(self) -> dict[str, str]:
        """Languages that could not be built, with the reason."""
        return {language.code: language.error for language in self.languages if language.error is not None}

    @property
    def rows(self) -> int:
        """Rows of all cells: forwards without any cache."""
        return sum(len(cell.row_ids) for cell in self.cells)

    @property
    def pending_rows(self) -> int:
        """Forward rows that will run."""
        return sum(cell.pending_rows for cell in self.cells)


def build_languages(suite: Suite, codes: Sequence[str]) -> tuple[Language, ...]:
    """Cases of each language; a broken language keeps its error and the others go on."""
    return tuple(_build_language(suite, code) for code in codes)


def make_plan(
    settings: Settings, checkpoints: Sequence[Checkpoint], languages: Sequence[Language], store: FactStore
) -> Plan:
    """Cells of the product of checkpoints, languages and transforms, with what is done of each."""
    versions = library_versions(ENGINE_LIBRARIES)
    cells: list[Cell] = []
    damaged: list[str] = []
    shown = _shown(settings, languages)
    for checkpoint in checkpoints:
        for language in languages:
            for transform in settings.transforms:
                if language.error is None:
                    identity = _identity(settings, checkpoint, language, transform, versions)
                    variants = shown[language.code, transform.name]
                    cell, facts = _cell(checkpoint, language, transform.name, variants, identity, store)
                    cells.append(cell)
                    damaged += facts.damaged
    return Plan(tuple(checkpoints), tuple(languages), tuple(cells), tuple(damaged))


def shards(cells: Iterable[Cell], size: int) -> list[Shard]:
    """Pending variants of the cells in tasks of up to `size`."""
    made = []
    for cell in cells:
        pending = cell.pending
        for start in range(0, len(pending), size):
            piece = pending[start : start + size]
            cost = float(sum(map(_cost, piece)))
            made.append(Shard(cell.key, cell.checkpoint, cell.language, cell.transform, piece, cost))
    return made


def _build_language(suite: Suite, code: str) -> Language:
    try:
        return Language(code, tuple(suite.cases(code)), suite.recipe(code), None)
    except LanguageError as error:
        return Language(code, (), {}, str(error))


def _shown(settings: Settings, languages: Sequence[Language]) -> dict[tuple[str, str], tuple[Variant, ...]]:
    """Variants by language and transform: every checkpoint is shown the same."""
    return {
        (language.code, transform.name): tuple(present(transform, language.cases))
        for language in languages
        for transform in settings.transforms
    }


def _identity(
    settings: Settings,
    checkpoint: Checkpoint,
    language: Language,
    transform: TransformSettings,
    versions: dict[str, str],
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
        **narrowing_document(settings.narrowing),
    }


def _cell(
    checkpoint: Checkpoint,
    language: Language,
    transform: str,
    variants: tuple[Variant, ...],
    identity: dict[str, Any],
    store: FactStore,
) -> tuple[Cell, CellFacts]:
    key = cell_key(identity)
    facts = store.read(key)
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
