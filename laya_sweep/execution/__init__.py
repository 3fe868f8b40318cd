"""Who computes: the worker, its Ray actor and its inline twin, and the pool that keeps them busy.

Importing this package imports neither Ray nor torch; `make_backend` does where it must.
"""

from __future__ import annotations

from laya_sweep.execution.contract import Backend, Handshake, Parity, SampleAnswer, Shard, ShardResult, WorkerSpec
from laya_sweep.execution.events import CaseLost, Event, ShardDone, ShardRetried, WorkerDropped, WorkerReady
from laya_sweep.execution.parity import PARITY_CASES, marks_fault, sample_document
from laya_sweep.execution.pool import Pool
from laya_sweep.execution.rows import error_part
from laya_sweep.settings import ExecutorSettings


def make_backend(settings: ExecutorSettings) -> Backend:
    """The backend that the settings name."""
    if settings.name == "inline":
        from laya_sweep.execution.inline import InlineBackend

        return InlineBackend()
    from laya_sweep.execution.ray_backend import RayBackend

    return RayBackend(settings)


__all__ = [
    "PARITY_CASES",
    "Backend",
    "CaseLost",
    "Event",
    "Handshake",
    "Parity",
    "Pool",
    "SampleAnswer",
    "Shard",
    "ShardDone",
    "ShardResult",
    "ShardRetried",
    "WorkerDropped",
    "WorkerReady",
    "WorkerSpec",
    "error_part",
    "make_backend",
    "marks_fault",
    "sample_document",
]
