"""The Ray backend: one actor = one worker, pinned to its CPUs or GPU. The only room that knows Ray.

Ray's own restarts and retries are off: an actor whose start fails would not be restarted anyway, and the pool
decides what is retried, split or given up.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Another process joins a cluster only with the token, and Ray reads this when it is imported.
os.environ.setdefault("RAY_AUTH_MODE", "token")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

from laya_sweep.domain.settings import ExecutorSettings
from laya_sweep.engines.loading import load_engine
from laya_sweep.errors import CapacityError, ParityError, Problem, UsageError
from laya_sweep.execution.contract import (
    Call,
    Handshake,
    Shard,
    ShardResult,
    WorkerFaultError,
    WorkerLostError,
    WorkerSpec,
)
from laya_sweep.execution.machine import usable_cpus
from laya_sweep.execution.worker import EngineFactory, Worker

#: Characters of a node's id that name it.
_ID_SHOWN = 8


class RayWorker(Worker):
    """A worker that knows which node of the cluster it is on: one host can be several nodes."""

    @property
    def node(self) -> str:
        """The host and the start of the Ray node id."""
        return f"{super().node}/{ray.get_runtime_context().get_node_id()[:_ID_SHOWN]}"


class RayBackend:
    """Actors on a Ray that this run starts and stops, or on a running cluster that it joins."""

    def __init__(self, settings: ExecutorSettings, engine_factory: EngineFactory = load_engine) -> None:
        """Connect.

        Raises:
            UsageError: no cluster answers at the address.
        """
        self._settings = settings
        self._factory = engine_factory
        self._actors: dict[int, Any] = {}
        self._next = 0
        self._left_out: set[str] = set()
        with _own_sigterm():
            _connect(settings.address)

    def slots(self) -> int:
        """See `Backend.slots`."""
        settings = self._settings
        nodes = [node["Resources"] for node in _nodes() if node["Alive"]]
        fits = sum(_fits(node, settings) for node in nodes)
        wanted = settings.num_actors or 1
        if fits < wanted:
            raise CapacityError(_shortage(nodes, settings, wanted))
        return settings.num_actors or fits

    def start(self, spec: WorkerSpec) -> int:
        """See `Backend.start`."""
        options: dict[str, Any] = {"num_cpus": self._settings.num_cpus, "num_gpus": self._settings.num_gpus}
        if self._left_out:
            options["label_selector"] = {"ray.io/node-id": f"!in({','.join(sorted(self._left_out))})"}
        actor = ray.remote(RayWorker).options(**options, max_restarts=0, max_task_retries=0).remote(spec, self._factory)
        self._next += 1
        self._actors[self._next] = actor
        return self._next

    def greet(self, handle: int) -> Call:
        """See `Backend.greet`."""
        return self._actors[handle].handshake.remote()  # type: ignore[no-any-return]

    def submit(self, handle: int, shard: Shard) -> Call:
        """See `Backend.submit`."""
        return self._actors[handle].run.remote(shard)  # type: ignore[no-any-return]

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """See `Backend.wait`."""
        done, _ = ray.wait(list(calls), num_returns=1, timeout=timeout_s, fetch_local=False)
        return list(done)

    def collect(self, call: Call) -> Handshake | ShardResult:
        """See `Backend.collect`."""
        try:
            answer: Handshake | ShardResult = ray.get(call)  # type: ignore[call-overload]
        except RayActorError as error:
            raise WorkerLostError(_summary(error)) from error
        except RayTaskError as error:
            if isinstance(error.cause, ParityError):
                raise error.cause from None
            raise WorkerFaultError(_summary(error.cause or error)) from error
        except RayError as error:
            raise WorkerLostError(_summary(error)) from error
        return answer

    def stop(self, handle: int) -> None:
        """See `Backend.stop`."""
        actor = self._actors.pop(handle, None)
        if actor is not None:
            ray.kill(actor, no_restart=True)

    def leave_out(self, node: str) -> int:
        """See `Backend.leave_out`."""
        self._left_out |= {name for name in map(_node_id, _nodes()) if node.endswith(f"/{name[:_ID_SHOWN]}")}
        fits = sum(_fits(one["Resources"], self._settings) for one in self._usable())
        return min(fits, self._settings.num_actors or fits)

    def _usable(self) -> list[dict[str, Any]]:
        return [node for node in _nodes() if node["Alive"] and _node_id(node) not in self._left_out]

    def close(self) -> None:
        """See `Backend.close`; a cluster that was joined stays up."""
        for handle in list(self._actors):
            self.stop(handle)
        ray.shutdown()


@contextmanager
def _own_sigterm() -> Iterator[None]:
    """Puts back the process's SIGTERM handler, which `ray.init` replaces: a stop must end as an interruption."""
    kept = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, kept)


def _nodes() -> list[dict[str, Any]]:
    return list(ray.nodes())  # type: ignore[no-untyped-call]


def _node_id(node: dict[str, Any]) -> str:
    return str(node["NodeID"])


def _connect(address: str | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    if address is None:
        ray.init(address="local", num_cpus=usable_cpus(), include_dashboard=False, **quiet)
        return
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, RuntimeError, ValueError, RayError) as error:
        problem = Problem(
            f"executor.address {address}",
            "a running Ray cluster",
            _summary(error),
            "start one with `ray start --head`, share its token, or leave executor.address=null for a local one",
        )
        raise UsageError(problem) from error


def _fits(node: dict[str, float], settings: ExecutorSettings) -> int:
    """Actors of the configured size that fit one node."""
    by_cpu = int(node.get("CPU", 0.0) // settings.num_cpus)
    if settings.num_gpus == 0:
        return by_cpu
    gpus = node.get("GPU", 0.0)
    by_gpu = int(gpus // settings.num_gpus) if settings.num_gpus >= 1 else int(gpus) * int(1 // settings.num_gpus)
    return min(by_cpu, by_gpu)


def _shortage(nodes: Sequence[dict[str, float]], settings: ExecutorSettings, wanted: int) -> Problem:
    has = "; ".join(f"{node.get('CPU', 0):g} CPUs and {node.get('GPU', 0):g} GPUs" for node in nodes)
    each = f"{settings.num_cpus} CPUs and {settings.num_gpus:g} GPUs"
    return Problem(
        "executor",
        f"a cluster with room for {wanted} actors of {each} each",
        f"{len(nodes)} node(s) with {has}",
        "lower executor.num_actors, executor.num_cpus or executor.num_gpus, or join a larger cluster",
    )


def _summary(error: BaseException) -> str:
    """The first line of an error and, where Ray put a remote traceback between, its last: the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [""]
    shown = lines[0] if len(lines) == 1 else f"{lines[0]} ... {lines[-1]}"
    return f"{type(error).__name__}: {shown}"[:400]
