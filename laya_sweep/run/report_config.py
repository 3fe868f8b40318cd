"""What report.json says was asked, and of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.engine_spec import TORCH
from laya_sweep.checkpoints.routed import RoutedCheckpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.domain.calibration_map import map_of, without_own_key
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.identity import library_versions
from laya_sweep.domain.settings import RegimeSettings, Settings
from laya_sweep.domain.thresholds import to_document
from laya_sweep.errors import AUTO
from laya_sweep.gates.judgement import Demands
from laya_sweep.narrowing.narrower import narrowing_document
from laya_sweep.run.language_facts import LanguageFacts
from laya_sweep.run.plan import Plan
from laya_sweep.suites.language import Language
from laya_sweep.suites.suite import Suite
from laya_sweep.transforms.registry import transform_document


def config_document(
    settings: Settings,
    suite: Suite,
    plan: Plan,
    temperatures: Mapping[str, list[TemperatureFact]],
    facts: Mapping[str, LanguageFacts],
    demands: Demands,
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
        "languages": {
            language.code: _language_document(suite, language)
            | (facts[language.code].document() if language.code in facts else {})
            for language in plan.languages
        },
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
        "thresholds": {**demands.thresholds.document(), "baseline_tolerance": dict(demands.tolerances)},
        "gate_policy": None if demands.policy is None else dict(demands.policy.document),
        "onnx": {one.name: str(one.onnx) for one in settings.checkpoints if one.onnx is not None},
        "calibration": {one.name: str(one.path) for one in settings.regimes if one.path is not None},
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
