"""What a run did, when and where: the figures that another run of the same sweep does not repeat."""

from __future__ import annotations

import platform
import sys
from datetime import UTC, datetime
from typing import Any

from laya_sweep.domain.identity import library_versions
from laya_sweep.domain.settings import Settings
from laya_sweep.execution.machine import peak_rss_bytes, usable_cpus
from laya_sweep.run.inference import InferenceStats
from laya_sweep.run.plan import Plan
from laya_sweep.run.source_revision import source_document


def provenance_document(plan: Plan, settings: Settings, stats: InferenceStats, wall_s: float) -> dict[str, Any]:
    """provenance.json: forwards done and saved, seconds, memory in bytes, workers, machine and source."""
    grid = len(settings.regimes) * len(settings.min_confidence)
    return {
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "wall_s": wall_s,
        "inference_wall_s": stats.wall_s,
        "forward_s": stats.forward_s,
        "call_s": stats.call_s,
        "forward_share": stats.forward_s / (wall_s * max(1, _busiest(stats, settings))),
        "forward_rows": stats.forward_rows,
        "forward_calls": stats.forward_calls,
        "checked_rows": stats.checked_rows,
        "check_s": stats.check_s,
        **_narrowing_cost(stats, settings),
        "cached_rows": plan.rows - plan.pending_rows,
        "rows_of_one_pass_per_grid_point": plan.rows * grid,
        "forwards_saved": plan.rows * grid - stats.forward_rows,
        "driver_peak_rss_bytes": peak_rss_bytes(),
        "actor_peak_rss_bytes": stats.actor_peak_rss_bytes,
        "workers": stats.workers,
        "executor": {"name": settings.executor.name, "num_actors": settings.executor.num_actors},
        "environment": environment_document(),
        **source_document(),
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


def _narrowing_cost(stats: InferenceStats, settings: Settings) -> dict[str, int]:
    """What cut questions down, apart from the forwards that answered them; nothing where none was."""
    if settings.narrowing.name == "none":
        return {}
    names = ("embedded_texts", "elimination_rows", "elimination_calls")
    return {name: getattr(stats, name) for name in names}


def _busiest(stats: InferenceStats, settings: Settings) -> int:
    """Workers that were there at once: the share of forward time is of all their time."""
    fitting = max(1, usable_cpus() // settings.executor.num_cpus)
    return settings.executor.num_actors or min(len(stats.workers), fitting)
