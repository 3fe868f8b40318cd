"""Small documents and tables of a run that are neither facts nor figures: what was asked, of what, where."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from laya_sweep.calibration_map import map_of, without_own_key
from laya_sweep.engines import Checkpoint, TemperatureFact
from laya_sweep.identity import canonical_json, library_versions, ordered_json
from laya_sweep.min_confidence import shown, to_document
from laya_sweep.narrowing import narrowing_document
from laya_sweep.plan import Cell, Language, Plan, libraries_of
from laya_sweep.reports import ResultReport
from laya_sweep.scoring import option_labels
from laya_sweep.settings import CheckpointSettings, RegimeSettings, Settings
from laya_sweep.store import CASES, CHECKPOINTS, VARIANTS
from laya_sweep.suites import Case, Suite, questions_fingerprint
from laya_sweep.transforms import NotApplicable, not_applicable, transform_document


def cases_table(cases: Iterable[Case]) -> pa.Table:
    """The frozen cases, once per suite."""
    rows = [
        {
            "case_id": case.case_id,
            "source_id": case.source_id,
            "row_index": case.row_index,
            "language": case.language,
            "tags": list(case.tags),
            "model": case.model,
            "state_json": ordered_json(case.state),
            "questions_json": ordered_json(case.questions),
            "expected_json": canonical_json(case.expected),
            "input_sha256": case.input_sha256,
        }
        for case in cases
    ]
    return pa.Table.from_pylist(rows, schema=CASES)


def variants_table(cells: Iterable[Cell]) -> pa.Table:
    """How each variant of the cells shows its questions; cells of one language and transform show the same."""
    once = {(cell.language, cell.transform): cell for cell in cells}
    rows = [row for cell in once.values() for row in _variant_rows(cell)]
    return pa.Table.from_pylist(rows, schema=VARIANTS)


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


def checkpoints_table(checkpoints: Sequence[Checkpoint], temperatures: Mapping[str, list[TemperatureFact]]) -> pa.Table:
    """Checkpoints with their identity, budgets and temperatures by question type and bucket."""
    rows = [
        {
            "checkpoint": checkpoint.name,
            "source": checkpoint.source,
            "subfolder": checkpoint.subfolder,
            "commit": checkpoint.commit,
            "digest": checkpoint.digest,
            "weights_sha256": checkpoint.weights,
            "engine": checkpoint.engine,
            "onnx_sha256": None if checkpoint.onnx is None else checkpoint.onnx.sha256,
            "max_len": checkpoint.max_len,
            "head_max_len": checkpoint.head_max_len,
            "question_type": fact.question_type,
            "bucket": fact.bucket,
            "temperature_raw": fact.raw,
            "temperature_served": fact.served,
            "temperature_source": fact.source,
        }
        for checkpoint in checkpoints
        for fact in temperatures[checkpoint.name]
    ]
    return pa.Table.from_pylist(rows, schema=CHECKPOINTS)


def config_document(
    settings: Settings, suite: Suite, plan: Plan, temperatures: Mapping[str, list[TemperatureFact]]
) -> dict[str, Any]:
    """What was measured: nothing here moves with time, machine or number of actors."""
    cases = [case for language in plan.languages for case in language.cases]
    return {
        "library_versions": library_versions(("laya-sweep", *_libraries(plan))),
        "dataset": suite.document(),
        "dataset_sha256": suite.dataset_digest(cases),
        "questions_sha256": questions_fingerprint(cases),
        "languages": {language.code: _language_document(suite, language) for language in plan.languages},
        "checkpoints": {
            checkpoint.name: _checkpoint_document(asked, checkpoint, temperatures[checkpoint.name])
            for asked, checkpoint in zip(settings.checkpoints, plan.checkpoints, strict=True)
        },
        "regimes": {regime.name: regime_document(regime) for regime in settings.regimes},
        **narrowing_document(settings.narrowing),
        "transforms": {transform.name: transform_document(transform) for transform in settings.transforms},
        "metrics": {
            "rounding": settings.metrics.rounding,
            "score_within": list(settings.metrics.score_within),
        },
        "min_confidence": [to_document(value) for value in settings.min_confidence],
        "device": settings.executor.device,
        "dtype": "float32",
    }


def regime_document(regime: RegimeSettings) -> dict[str, Any]:
    """A regime in a report: a map as it was applied, so that its decisions can be derived again without its file."""
    document: dict[str, Any] = {"kind": regime.kind, "temperature": regime.temperature}
    if regime.kind != "map":
        return document
    return document | {
        "path": None if regime.path is None else str(regime.path),
        "sha256": regime.sha256,
        "map": None if regime.document is None else map_of(regime.document).document(),
        "lang_path": None if regime.lang_path is None else str(regime.lang_path),
        "lang_sha256": regime.lang_sha256,
        "lang_temperatures": without_own_key(regime.lang_temperatures),
        "fitted_rows": regime.fitted_rows,
    }


def environment_document() -> dict[str, Any]:
    """Where a run happened, for provenance."""
    names = (
        "laya-sweep",
        "laya",
        "torch",
        "transformers",
        "tokenizers",
        "onnxruntime",
        "ray",
        "pyarrow",
        "numpy",
        "hydra-core",
    )
    return {"python": platform.python_version(), "platform": platform.platform(), **library_versions(names)}


def dry_run_text(settings: Settings, plan: Plan) -> str:
    """The plan for a person: cells, forwards, what is cached, and what the grid would cost without shared logits."""
    grid = len(settings.regimes) * len(settings.min_confidence)
    lines = [
        f"plan: {len(plan.checkpoints)} checkpoint(s) x {len(plan.languages)} language(s) x "
        f"{len(settings.transforms)} transform(s) = {len(plan.cells)} cells",
        f"derived from them: {len(settings.regimes)} regime(s) x {len(settings.min_confidence)} threshold(s) "
        f"= {grid} grid points",
        f"min_confidence: {', '.join(map(shown, settings.min_confidence))}",
    ]
    for checkpoint in plan.checkpoints:
        own = [cell for cell in plan.cells if cell.checkpoint == checkpoint.name]
        rows, pending = sum(len(cell.row_ids) for cell in own), sum(cell.pending_rows for cell in own)
        lines.append(
            f"  {checkpoint.name}: {len(own)} cells, {rows} forwards: {rows - pending} cached, {pending} to run"
        )
    lines += [f"  {note}" for note in not_applicable_notes(settings, plan)]
    lines += [f"  language {code or '-'} fails: {error}" for code, error in plan.failed_languages.items()]
    lines += [f"  {damage_line(damage)}" for damage in plan.damaged]
    lines.append(
        f"forwards: {plan.rows - plan.pending_rows} cached, {plan.pending_rows} to run; "
        f"one pass per grid point would be {plan.rows * grid}"
    )
    return "\n".join(lines)


def not_applicable_of(transform: str, plan: Plan) -> list[NotApplicable]:
    """Questions of the whole dataset that a transform leaves out."""
    return not_applicable(transform, (case for language in plan.languages for case in language.cases))


def not_applicable_notes(settings: Settings, plan: Plan) -> list[str]:
    """One line for each question that a transform leaves out."""
    return [
        f"{transform.name} does not apply to question {question} of {cases} case(s): {reason}"
        for transform in settings.transforms
        for question, reason, cases in not_applicable_of(transform.name, plan)
    ]


def damage_line(damage: str) -> str:
    """What follows from a damaged file of the store: facts are computed again, rows stand without the rest."""
    if damage.startswith("part-"):
        return f"a damaged part is computed again: {damage}"
    return f"a damaged file; its rows stand, what it told of their calls is lost: {damage}"


def macro_line(result: ResultReport) -> str:
    """`english served macro over 51 languages: acc=0.2269 ece=0.5709 f1=0.2053`, or why there is no macro."""
    name = result.title
    figures = [("acc", "choice_accuracy"), ("ece", "ece"), ("f1", "macro_f1")]
    others = [("noul_acc", "noul_accuracy"), ("score_mae", "score_mae")]
    figures += [pair for pair in others if result.value("overall", "", pair[1]) is not None]
    if result.complete:
        shown = " ".join(f"{short}={_shown(result.macro(metric))}" for short, metric in figures)
        return f"{name} macro over {len(result.asked)} languages: {shown}"
    shown = " ".join(f"{short}={_shown(result.partial_macro(metric))}" for short, metric in figures)
    without = ", ".join(code or "-" for code in result.failed)
    ran = f"{len(result.ran)} of {len(result.asked)} languages ran (without {without})"
    return f"{name} no macro: {ran}; partial: {shown}"


def _language_document(suite: Suite, language: Language) -> dict[str, Any]:
    if language.error is not None:
        return {"error": language.error}
    digest = suite.input_digest(language.cases)
    return {"n_cases": len(language.cases), "input_sha256": digest, "source": language.recipe["source"]}


def _libraries(plan: Plan) -> list[str]:
    """Libraries that may move a logit of the run."""
    return [*dict.fromkeys(name for checkpoint in plan.checkpoints for name in libraries_of(checkpoint))]


def _checkpoint_document(
    asked: CheckpointSettings, checkpoint: Checkpoint, temperatures: Sequence[TemperatureFact]
) -> dict[str, Any]:
    return {
        "requested_revision": asked.revision,
        "source": checkpoint.source,
        "engine": checkpoint.runner,
        "onnx": None if asked.onnx is None else str(asked.onnx),
        "subfolder": checkpoint.subfolder,
        "commit": checkpoint.commit,
        "digests": checkpoint.digests,
        "max_len": checkpoint.max_len,
        "head_max_len": checkpoint.head_max_len,
        "temperatures": {fact.bucket: {"raw": fact.raw, "served": fact.served} for fact in temperatures},
    }


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
