"""Small documents and tables of a run that are neither facts nor figures: what was asked, of what, where."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from laya_sweep.engines import Checkpoint, TemperatureFact
from laya_sweep.errors import AUTO
from laya_sweep.identity import canonical_json, library_versions, ordered_json
from laya_sweep.min_confidence import shown, to_document
from laya_sweep.plan import ENGINE_LIBRARIES, Language, Plan
from laya_sweep.reports import ResultReport
from laya_sweep.routing import Route, RoutedCheckpoint
from laya_sweep.settings import Settings
from laya_sweep.store import CASES, CHECKPOINTS, ROUTES
from laya_sweep.suites import Case, Suite, questions_fingerprint


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


def routes_table(routers: Iterable[RoutedCheckpoint]) -> pa.Table:
    """Where each case of a routed checkpoint went, and what was detected in it; empty where none is routed."""
    rows = [{"checkpoint": router.name, **route._asdict()} for router in routers for route in ordered_routes(router)]
    return pa.Table.from_pylist(rows, schema=ROUTES)


def ordered_routes(router: RoutedCheckpoint) -> list[Route]:
    """Its routes by language, then in the order of the cases."""
    return sorted(router.routes.values(), key=lambda route: (route.language, route.row_index))


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
            "weights_sha256": checkpoint.digests["weights"],
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
    requested = {checkpoint.name: checkpoint.revision for checkpoint in settings.checkpoints}
    named = [members[name] for name, members in plan.results.items() if plan.router(name) is None]
    return {
        "library_versions": library_versions(("laya-sweep", *ENGINE_LIBRARIES)),
        "dataset": suite.document(),
        "dataset_sha256": suite.dataset_digest(cases),
        "questions_sha256": questions_fingerprint(cases),
        "languages": {language.code: _language_document(suite, language) for language in plan.languages},
        "checkpoints": {
            checkpoint.name: {
                "requested_revision": requested[checkpoint.name],
                **_checkpoint_document(checkpoint, temperatures[checkpoint.name]),
            }
            for checkpoint in named
        }
        | {router.name: _router_document(router, temperatures) for router in plan.routers},
        "regimes": {
            regime.name: {"kind": regime.kind, "temperature": regime.temperature} for regime in settings.regimes
        },
        "transforms": [transform.name for transform in settings.transforms],
        "metrics": {
            "rounding": settings.metrics.rounding,
            "score_within": list(settings.metrics.score_within),
        },
        "min_confidence": [to_document(value) for value in settings.min_confidence],
        "device": settings.executor.device,
        "dtype": "float32",
    }


def environment_document() -> dict[str, Any]:
    """Where a run happened, for provenance."""
    names = (
        "laya-sweep",
        "laya",
        "torch",
        "transformers",
        "tokenizers",
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


def damage_line(damage: str) -> str:
    """What follows from a damaged file of the store: facts are computed again, rows stand without the rest."""
    if damage.startswith("part-"):
        return f"a damaged part is computed again: {damage}"
    return f"a damaged file; its rows stand, what it told of their calls is lost: {damage}"


def macro_line(result: ResultReport) -> str:
    """`english served macro over 51 languages: acc=0.2269 ece=0.5709 f1=0.2053`, or why there is no macro."""
    name = f"{result.checkpoint} {result.regime}"
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


def _checkpoint_document(checkpoint: Checkpoint, temperatures: Sequence[TemperatureFact]) -> dict[str, Any]:
    return {
        "source": checkpoint.source,
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
        model: {"requested_revision": asked[model], **_checkpoint_document(entry, temperatures[entry.name])}
        for model, entry in router.members.items()
    }
    return {
        "requested_revision": None,
        "source": AUTO,
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
