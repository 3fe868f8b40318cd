"""Small documents and tables of a run that are neither facts nor figures: what was asked, of what, where."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.engine_spec import TORCH
from laya_sweep.checkpoints.routed import RoutedCheckpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.calibration_map import map_of, without_own_key
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.identity import library_versions
from laya_sweep.domain.question import option_labels
from laya_sweep.domain.settings import RegimeSettings, Settings
from laya_sweep.domain.thresholds import shown, to_document
from laya_sweep.errors import AUTO
from laya_sweep.narrowing.narrower import narrowing_document
from laya_sweep.run.plan import Cell, Plan
from laya_sweep.store.schemas import CHECKPOINTS, VARIANTS
from laya_sweep.suites.language import Language
from laya_sweep.suites.suite import Suite
from laya_sweep.transforms.registry import NotApplicable, not_applicable, transform_document


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


def config_document(
    settings: Settings, suite: Suite, plan: Plan, temperatures: Mapping[str, list[TemperatureFact]]
) -> dict[str, Any]:
    """What was measured: nothing here moves with time, machine or number of actors."""
    cases = [case for language in plan.languages for case in language.cases]
    asked = {checkpoint.name: checkpoint for checkpoint in settings.checkpoints}
    named = [members[name] for name, members in plan.results.items() if plan.router(name) is None]
    return {
        "library_versions": library_versions(("laya-sweep", *_libraries(plan))),
        "dataset": suite.document(),
        "dataset_sha256": suite.dataset_digest(cases),
        "questions_sha256": questions_fingerprint(cases),
        "languages": {language.code: _language_document(suite, language) for language in plan.languages},
        "checkpoints": {
            entry.name: _checkpoint_document(
                entry, temperatures[entry.name], asked[entry.name].revision, asked[entry.name].onnx
            )
            for entry in named
        }
        | {router.name: _router_document(router, temperatures) for router in plan.routers},
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
        f"plan: {len(plan.results)} checkpoint(s) x {len(plan.languages)} language(s) x "
        f"{len(settings.transforms)} transform(s) = {len(plan.cells)} cells",
        f"derived from them: {len(settings.regimes)} regime(s) x {len(settings.min_confidence)} threshold(s) "
        f"= {grid} grid points",
        f"min_confidence: {', '.join(map(shown, settings.min_confidence))}",
    ]
    lines += [_result_line(plan, name) for name in plan.results]
    lines += [f"  {note}" for note in not_applicable_notes(settings, plan)]
    lines += [f"  language {code or '-'} fails: {error}" for code, error in plan.failed_languages.items()]
    lines += [f"  {damage_line(damage)}" for damage in plan.damaged]
    lines.append(
        f"forwards: {plan.rows - plan.pending_rows} cached, {plan.pending_rows} to run; "
        f"one pass per grid point would be {plan.rows * grid}"
    )
    return "\n".join(lines)


def routes_line(router: RoutedCheckpoint) -> str:
    """`auto: english 3 cases, multilingual 9, of which 2 rows name it themselves`."""
    counts = Counter(route.model for route in router.routes.values())
    asked = sum(route.asked is not None for route in router.routes.values())
    shown = ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "no case"
    return f"{router.name} goes to: {shown}" + (f"; {asked} rows name it themselves" if asked else "")


def _result_line(plan: Plan, name: str) -> str:
    """What a result costs; of rows that two results need, the second's are shared."""
    own = [cell for cell in plan.cells if cell.checkpoint == name]
    rows, shared = sum(len(cell.row_ids) for cell in own), sum(len(cell.shared) for cell in own)
    pending = sum(cell.pending_rows for cell in own)
    line = f"  {name}: {len(own)} cells, {rows} forwards: {rows - shared - pending} cached, {pending} to run"
    router = plan.router(name)
    line += f", {shared} shared with another checkpoint of this plan" if shared else ""
    return line if router is None else f"{line}; {routes_line(router)}"


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
    """Libraries that may move a logit of the run; a router of which no row could be read asks torch for none."""
    names = [*dict.fromkeys(name for checkpoint in plan.checkpoints for name in checkpoint.engine.libraries)]
    return names or [*TORCH.libraries]


def _checkpoint_document(
    checkpoint: Checkpoint, temperatures: Sequence[TemperatureFact], revision: str | None, onnx: Path | None = None
) -> dict[str, Any]:
    """A checkpoint with the revision and the graph that were asked for."""
    return {
        "requested_revision": revision,
        "source": checkpoint.source,
        "engine": checkpoint.runner,
        "onnx": None if onnx is None else str(onnx),
        "subfolder": checkpoint.subfolder,
        "commit": checkpoint.commit,
        "digests": checkpoint.digests,
        "max_len": checkpoint.max_len,
        "head_max_len": checkpoint.head_max_len,
        "temperatures": {fact.bucket: {"raw": fact.raw, "served": fact.served} for fact in temperatures},
    }


def _router_document(router: RoutedCheckpoint, temperatures: Mapping[str, Sequence[TemperatureFact]]) -> dict[str, Any]:
    """A routed checkpoint under the keys of a named one, which hold nothing of it, and who answered for it."""
    settings = router.settings
    asked = {route.name: route.revision for route in settings.routes}
    routes = {
        model: _checkpoint_document(entry, temperatures[entry.name], asked[model])
        for model, entry in router.members.items()
    }
    return {
        "requested_revision": None,
        "source": AUTO,
        "engine": None,
        "onnx": None,
        "subfolder": None,
        "commit": None,
        "digests": {model: entry["digests"] for model, entry in routes.items()},
        "max_len": settings.max_len,
        "head_max_len": settings.head_max_len,
        "temperatures": {},
        "default": settings.default,
        "auto_task_detection": settings.auto_task_detection,
        "routes": routes,
        "routes_known": [route.name for route in settings.routes],
    }


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
