"""Axes -> cells -> shards: what is cached, what will run, what it costs. Nothing here writes or computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from laya_sweep.checkpoint_names import is_named
from laya_sweep.engines import ALONE_VERSION, LAYOUT_VERSION, LENGTH_MULTIPLE, Checkpoint
from laya_sweep.execution import Shard
from laya_sweep.identity import cell_key, library_versions, ordered_json
from laya_sweep.narrowing import narrowing_document
from laya_sweep.settings import CheckpointSettings, Settings, TransformSettings
from laya_sweep.store import CellFacts, FactStore, RowId
from laya_sweep.suites import Case, LanguageError, Suite
from laya_sweep.transforms import Variant, present, transform_identity

#: Libraries whose version may move a logit.
ENGINE_LIBRARIES = ("laya", "torch", "transformers", "tokenizers")

#: The same where an exported graph answers: torch computes nothing there.
ONNX_LIBRARIES = ("laya", "onnxruntime", "transformers", "tokenizers")


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

    `refused` holds the cases that this checkpoint must not answer, by id, with the reason.
    """

    key: str
    identity: dict[str, Any]
    checkpoint: str
    language: str
    transform: str
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    done: frozenset[RowId]
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def row_ids(self) -> list[RowId]:
        """Every expected row, in case, variant and question order."""
        return [RowId(variant.case_id, variant.name, qid) for variant in self.variants for qid in variant.questions]

    @property
    def pending(self) -> tuple[Variant, ...]:
        """Variants to be answered that have a row which is not done."""
        return tuple(
            variant
            for variant in self.variants
            if variant.case_id not in self.refused
            and any(RowId(variant.case_id, variant.name, qid) not in self.done for qid in variant.questions)
        )

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
    def refusals(self) -> dict[str, int]:
        """Cases that a checkpoint must not answer, by the checkpoint's name, where there are any."""
        counts = Counter({cell.checkpoint: 0 for cell in self.cells})
        for cell in self.cells:
            counts[cell.checkpoint] += len(cell.refused)
        return {name: count for name, count in counts.items() if count}

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
    cells: list[Cell] = []
    damaged: list[str] = []
    shown = _shown(settings, languages)
    asked = {checkpoint.name: checkpoint for checkpoint in settings.checkpoints}
    for checkpoint in checkpoints:
        versions = library_versions(libraries_of(checkpoint))
        for language in languages:
            refused = {} if checkpoint.onnx is None else _refused(asked[checkpoint.name], language.cases)
            for transform in settings.transforms:
                if language.error is None:
                    identity = _identity(settings, checkpoint, language, transform, versions)
                    variants = shown[language.code, transform.name]
                    cell, facts = _cell(checkpoint, language, transform.name, variants, identity, store, refused)
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
        "engine": checkpoint.engine,
        "device": settings.executor.device,
        "dtype": "float32",
        "layout": _layout(checkpoint),
        "max_len": checkpoint.max_len,
        "head_max_len": checkpoint.head_max_len,
        "suite": language.recipe,
        "language": language.code,
        "transform": transform_identity(transform),
        # A cell read in one piece keeps the key that it had before there was a word for it.
        **({} if settings.window is None else {"window": settings.window}),
        **narrowing_document(settings.narrowing),
    }


def libraries_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Libraries whose version may move a logit of this checkpoint."""
    return ENGINE_LIBRARIES if checkpoint.onnx is None else ONNX_LIBRARIES


def _refused(checkpoint: CheckpointSettings, cases: Iterable[Case]) -> dict[str, str]:
    """Cases whose row asks for another checkpoint: one graph serves one checkpoint, and must not answer for another."""
    return {
        case.case_id: f"the row asks for {case.model}, and the ONNX export serves {checkpoint.source} alone"
        for case in cases
        if case.model is not None and not is_named(case.model, checkpoint)
    }


def _layout(checkpoint: Checkpoint) -> dict[str, Any]:
    """How rows are padded and grouped: by shape, or alone where rows of a call would move each other."""
    if checkpoint.onnx is None or checkpoint.onnx.rows_together:
        return {"version": LAYOUT_VERSION, "length_multiple": LENGTH_MULTIPLE}
    return {"version": ALONE_VERSION, "rows": "alone"}


def _cell(
    checkpoint: Checkpoint,
    language: Language,
    transform: str,
    variants: tuple[Variant, ...],
    identity: dict[str, Any],
    store: FactStore,
    refused: Mapping[str, str],
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
        refused=refused,
    )
    return cell, facts


def _cost(variant: Variant) -> int:
    """Bytes of what the model reads: a stand-in for tokens that needs no tokeniser and no script table."""
    return len(ordered_json([variant.state, variant.questions]).encode())
