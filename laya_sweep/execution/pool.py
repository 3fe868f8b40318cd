"""The pool: keeps workers staffed, fed and judged until every shard is done or given up by name.

Who gets what is for `seats` to say. Rules here: a shard has a deadline; a worker that dies, hangs or fails
`max_failures` times in a row is replaced; a shard that failed is tried again whole, then in halves, until the poison
case is alone. It ends: failures of a shard shrink it, failures to start are bounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from laya_sweep.domain.settings import ExecutorSettings
from laya_sweep.errors import IncompleteError, ParityError, Problem, UsageError
from laya_sweep.execution.contract import (
    Backend,
    Call,
    Handshake,
    Shard,
    ShardResult,
    WorkerFaultError,
    WorkerLostError,
    WorkerSpec,
)
from laya_sweep.execution.events import (
    CaseLost,
    CheckpointDistrusted,
    Event,
    ShardDone,
    ShardRetried,
    WorkerDropped,
    WorkerReady,
)
from laya_sweep.execution.parity import TOLERANCE
from laya_sweep.execution.queue import ShardQueue, retry
from laya_sweep.execution.seats import Seat, Seats
from laya_sweep.execution.software import software_fault

_POLL_S = 1.0


class Pool:
    """Runs shards on a backend; `run` yields events as they happen."""

    def __init__(
        self,
        backend: Backend,
        specs: Mapping[str, WorkerSpec],
        settings: ExecutorSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._backend = backend
        self._specs = specs
        self._settings = settings
        self._clock = clock
        self._seats = Seats(backend, specs, clock)
        self._queue = ShardQueue([])
        self._failed_starts = 0
        self._slots = 0
        self._refused: dict[str, str] = {}

    def run(self, shards: Iterable[Shard]) -> Iterator[Event]:
        """Run every shard.

        Raises:
            ParityError: a checkpoint's logits disagree with the runtime.
            CapacityError: the backend has no room.
            UsageError: no node has the software of this process.
            IncompleteError: workers cannot be started.
        """
        self._queue = ShardQueue(shards)
        self._slots = self._backend.slots() if self._queue else 0
        while self._queue or any(seat.tasks for seat in self._seats):
            self._seats.staff(self._queue, self._slots)
            self._seats.feed(self._queue, self._settings.max_failures)
            for call in self._backend.wait(self._seats.calls(), _POLL_S):
                yield from self._answer(call)
            yield from self._expire()
        for seat in self._seats:
            self._seats.dismiss(seat)

    def _answer(self, call: Call) -> Iterator[Event]:
        seat = next((seat for seat in self._seats if any(call is own for own in seat.calls)), None)
        if seat is None:
            return  # the worker was dropped earlier in this round
        try:
            answer = self._backend.collect(call)
        except ParityError:
            for other in self._seats:
                self._seats.dismiss(other)
            yield CheckpointDistrusted(seat.checkpoint)
            raise
        except WorkerLostError as error:
            yield from self._drop(seat, f"lost: {error}")
        except WorkerFaultError as error:
            yield from self._fault(seat, call, str(error))
        else:
            if isinstance(answer, Handshake):
                yield from self._welcome(seat, answer)
            else:
                yield self._finish(seat, call, answer)

    def _welcome(self, seat: Seat, handshake: Handshake) -> Iterator[Event]:
        spec = self._specs[seat.checkpoint]
        other = software_fault(spec.software, handshake.software)
        if other:
            yield from self._refuse(seat, handshake.node, other)
            return
        parity = handshake.parity
        if not parity.max_difference <= TOLERANCE or parity.mark_disagreements:
            raise ParityError(_parity_problem(seat.checkpoint, handshake))
        mismatch = _mismatch(spec, handshake)
        if mismatch:
            yield from self._drop(seat, mismatch)
            return
        self._failed_starts = 0
        seat.greeting, seat.since = None, self._clock()
        yield WorkerReady(seat.checkpoint, handshake)

    def _refuse(self, seat: Seat, node: str, fault: str) -> Iterator[Event]:
        """Leave out a node whose software is not the driver's: what it computes has other keys."""
        self._seats.dismiss(seat)
        self._refused[node] = fault
        self._slots = self._backend.leave_out(node)
        yield WorkerDropped(seat.checkpoint, f"node {node} is left out: {fault}")
        if not self._slots:
            step = "install there what is installed here, or leave the node out of the cluster"
            same = "the software of this process"
            raise UsageError(*(Problem(f"node {name}", same, why, step) for name, why in self._refused.items()))

    def _finish(self, seat: Seat, call: Call, result: ShardResult) -> Event:
        shard = seat.take_task(call)
        seat.failures, seat.since = 0, self._clock()
        if result.rows != shard.rows or result.cell_key != shard.cell_key:
            raise RuntimeError(f"shard of {shard.rows} rows came back with {result.rows}")
        return ShardDone(shard, result)

    def _fault(self, seat: Seat, call: Call, reason: str) -> Iterator[Event]:
        if seat.greeting is not None:
            yield from self._drop(seat, f"did not start: {reason}")
            return
        shard = seat.take_task(call)
        seat.failures, seat.since = seat.failures + 1, self._clock()
        yield self._retry(shard, reason)
        if seat.failures >= self._settings.max_failures:
            yield from self._drop(seat, f"failed {seat.failures} times in a row: {reason}", blame=False)

    def _expire(self) -> Iterator[Event]:
        now = self._clock()
        for seat in self._seats:
            limit = self._settings.handshake_timeout_s if seat.greeting else self._settings.shard_timeout_s
            if (seat.greeting or seat.tasks) and now - seat.since > limit:
                yield from self._drop(seat, f"no answer within {limit:g} s")

    def _drop(self, seat: Seat, reason: str, *, blame: bool = True) -> Iterator[Event]:
        """Evict a worker. The shard it was working on is suspect; the one behind it never ran."""
        starting = seat.greeting is not None
        tasks = [shard for _, shard in seat.tasks]
        self._seats.dismiss(seat)
        yield WorkerDropped(seat.checkpoint, reason)
        if starting:
            self._failed_starts += 1
            if self._failed_starts >= self._settings.max_failures:
                raise IncompleteError(
                    f"checkpoint {seat.checkpoint}: expected a worker, got {self._failed_starts} failed starts in a row"
                    f" (last: {reason}); mend the cause and run the same command again"
                )
        suspects = tasks[:1] if blame else []
        for shard in tasks[len(suspects) :]:
            self._queue.put_back(shard)
        for shard in suspects:
            yield self._retry(shard, reason)

    def _retry(self, shard: Shard, reason: str) -> Event:
        pieces = retry(shard)
        for piece in pieces:
            self._queue.put_last(piece)
        return ShardRetried(shard, reason, len(pieces)) if pieces else CaseLost(shard, reason)


def _mismatch(spec: WorkerSpec, handshake: Handshake) -> str:
    """Why a worker is not what was asked for, empty when it is."""
    pairs = [("device", spec.device, handshake.device), ("threads", spec.threads, handshake.threads)]
    pairs.append(("checkpoint digest", spec.checkpoint.digest, handshake.digest))
    return "; ".join(f"{name}: expected {asked}, got {got}" for name, asked, got in pairs if asked != got)


def _parity_problem(checkpoint: str, handshake: Handshake) -> Problem:
    parity = handshake.parity
    return Problem(
        f"parity of checkpoint {checkpoint}",
        f"probabilities within {TOLERANCE:g} of the runtime's on {parity.cases} cases, and its abstention marks",
        f"a difference of {parity.max_difference:.3g} and {parity.mark_disagreements} of {parity.marks} marks apart",
        "nothing of this checkpoint can be trusted with these library versions; report it with them",
    )
