"""The inline twin: the worker contract in this process, one worker at a time, no Ray."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laya_sweep.engines.loading import load_engine
from laya_sweep.errors import ParityError
from laya_sweep.execution.contract import (
    Call,
    Handshake,
    Shard,
    ShardResult,
    WorkerFaultError,
    WorkerLostError,
    WorkerSpec,
)
from laya_sweep.execution.worker import EngineFactory, Worker


class _Pending:
    """A call that runs when it is waited for."""

    def __init__(self, handle: int, run: Callable[[], Handshake | ShardResult]) -> None:
        self.handle = handle
        self.run = run
        self.answer: Handshake | ShardResult | None = None
        self.error: Exception | None = None

    @property
    def done(self) -> bool:
        return self.answer is not None or self.error is not None


class InlineBackend:
    """One worker in this process."""

    def __init__(self, engine_factory: EngineFactory = load_engine) -> None:
        self._factory = engine_factory
        self._workers: dict[int, Worker] = {}
        self._next = 0

    def slots(self) -> int:
        """See `Backend.slots`."""
        return 1

    def start(self, spec: WorkerSpec) -> int:
        """See `Backend.start`."""
        self._next += 1
        self._workers[self._next] = Worker(spec, self._factory)
        return self._next

    def greet(self, handle: int) -> Call:
        """See `Backend.greet`."""
        return _Pending(handle, self._workers[handle].handshake)

    def submit(self, handle: int, shard: Shard) -> Call:
        """See `Backend.submit`."""
        worker = self._workers[handle]
        return _Pending(handle, lambda: worker.run(shard))

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """See `Backend.wait`; runs the first call that is not done yet, whatever the timeout."""
        pending = [call for call in calls if isinstance(call, _Pending)]
        for call in pending:
            if not call.done:
                self._run(call)
                break
        return [call for call in pending if call.done]

    def collect(self, call: Call) -> Handshake | ShardResult:
        """See `Backend.collect`."""
        if not isinstance(call, _Pending) or call.handle not in self._workers:
            raise WorkerLostError("stopped")
        if isinstance(call.error, ParityError):
            raise call.error
        if call.error is not None:
            raise WorkerFaultError(f"{type(call.error).__name__}: {call.error}") from call.error
        if call.answer is None:
            raise WorkerFaultError("collected before it was waited for")
        return call.answer

    def stop(self, handle: int) -> None:
        """See `Backend.stop`."""
        self._workers.pop(handle, None)

    def leave_out(self, node: str) -> int:
        """See `Backend.leave_out`."""
        return 0

    def close(self) -> None:
        """See `Backend.close`."""
        self._workers.clear()

    def _run(self, call: _Pending) -> None:
        try:
            call.answer = call.run()
        except Exception as error:  # noqa: BLE001 - the contract: a task's exception is the pool's to judge
            call.error = error
