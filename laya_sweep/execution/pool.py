"""The pool: keeps workers staffed, fed and judged until every shard is done or given up by name.

Rules: workers wait for work in order of idleness (FIFO) with two shards in flight each; the costliest shard goes
first; a worker keeps its checkpoint while that has shards; a shard has a deadline; a worker that dies, hangs or
fails `max_failures` times in a row is replaced; a shard that failed is tried again whole, then in halves, until
the poison case is alone. It ends: failures of a shard shrink it, failures to start are bounded.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from laya_sweep.domain.settings import ExecutorSettings
from laya_sweep.errors import IncompleteError, ParityError, Problem
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
from laya_sweep.execution.events import CaseLost, Event, ShardDone, ShardRetried, WorkerDropped, WorkerReady
from laya_sweep.execution.parity import TOLERANCE
from laya_sweep.execution.queue import ShardQueue, on_trial, retry

#: Shards handed to one worker at a time: the next one is there when the first is done.
IN_FLIGHT = 2

_POLL_S = 1.0


@dataclass(slots=True)
class _Seat:
    """A worker as the pool sees it. `since` is when its current task began."""

    handle: int
    checkpoint: str
    greeting: Call | None
    since: float
    tasks: deque[tuple[Call, Shard]] = field(default_factory=deque)
    failures: int = 0


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
        self._seats: dict[int, _Seat] = {}
        self._queue = ShardQueue([])
        self._failed_starts = 0

    def run(self, shards: Iterable[Shard]) -> Iterator[Event]:
        """Run every shard.

        Raises:
            ParityError: a checkpoint's logits disagree with the runtime.
            CapacityError: the backend has no room.
            IncompleteError: workers cannot be started.
        """
        self._queue = ShardQueue(shards)
        slots = self._backend.slots() if self._queue else 0
        while self._queue or any(seat.tasks for seat in self._seats.values()):
            self._staff(slots)
            self._feed()
            for call in self._backend.wait(self._calls(), _POLL_S):
                yield from self._answer(call)
            yield from self._expire()
        for handle in list(self._seats):
            self._dismiss(handle)

    def _staff(self, slots: int) -> None:
        """Start workers while there is room and unserved work; an idle worker makes way for another checkpoint."""
        for seat in list(self._seats.values()):
            idle = seat.greeting is None and not seat.tasks and not self._queue.has(seat.checkpoint)
            if idle and self._queue and len(self._seats) >= slots:
                self._dismiss(seat.handle)
        while len(self._seats) < slots and (checkpoint := self._neediest()) is not None:
            handle = self._backend.start(self._specs[checkpoint])
            greeting = self._backend.greet(handle)
            self._seats[handle] = _Seat(handle, checkpoint, greeting, self._clock())

    def _neediest(self) -> str | None:
        """The checkpoint with the most pending cost per worker; None where no further worker would have a shard."""

        def served(name: str) -> int:
            return sum(seat.checkpoint == name for seat in self._seats.values())

        def unfed(name: str) -> int:
            return sum(seat.checkpoint == name and not seat.tasks for seat in self._seats.values())

        needy = [name for name in self._queue.checkpoints() if self._queue.pending(name) > unfed(name)]
        return max(needy, key=lambda name: self._queue.cost(name) / (served(name) + 1), default=None)

    def _feed(self) -> None:
        """Give each ready worker a first shard before anyone gets a second; longest idle first."""
        for depth in range(1, IN_FLIGHT + 1):
            ready = [seat for seat in self._seats.values() if seat.greeting is None and len(seat.tasks) < depth]
            for seat in sorted(ready, key=lambda seat: seat.since):
                if not self._queue.has(seat.checkpoint) or any(on_trial(shard) for _, shard in seat.tasks):
                    continue
                shard = self._queue.take(seat.checkpoint)
                if on_trial(shard) and seat.tasks:
                    self._queue.put_back(shard)  # beside another case its loss would prove nothing
                else:
                    self._submit(seat, shard)

    def _submit(self, seat: _Seat, shard: Shard) -> None:
        if not seat.tasks:
            seat.since = self._clock()
        try:
            seat.tasks.append((self._backend.submit(seat.handle, shard), shard))
        except WorkerLostError:
            # Its death is about to be reported by the calls it already has, or by the next wait.
            self._queue.put_back(shard)
            seat.failures = self._settings.max_failures

    def _calls(self) -> list[Call]:
        greetings = [seat.greeting for seat in self._seats.values() if seat.greeting is not None]
        return greetings + [call for seat in self._seats.values() for call, _ in seat.tasks]

    def _answer(self, call: Call) -> Iterator[Event]:
        seat = next((seat for seat in self._seats.values() if _owns(seat, call)), None)
        if seat is None:
            return  # the worker was dropped earlier in this round
        try:
            answer = self._backend.collect(call)
        except WorkerLostError as error:
            yield from self._drop(seat, f"lost: {error}")
        except WorkerFaultError as error:
            yield from self._fault(seat, call, str(error))
        else:
            if isinstance(answer, Handshake):
                yield from self._welcome(seat, answer)
            else:
                yield self._finish(seat, call, answer)

    def _welcome(self, seat: _Seat, handshake: Handshake) -> Iterator[Event]:
        spec = self._specs[seat.checkpoint]
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

    def _finish(self, seat: _Seat, call: Call, result: ShardResult) -> Event:
        shard = _take_task(seat, call)
        seat.failures, seat.since = 0, self._clock()
        if result.rows != shard.rows or result.cell_key != shard.cell_key:
            raise RuntimeError(f"shard of {shard.rows} rows came back with {result.rows}")
        return ShardDone(shard, result)

    def _fault(self, seat: _Seat, call: Call, reason: str) -> Iterator[Event]:
        if seat.greeting is not None:
            yield from self._drop(seat, f"did not start: {reason}")
            return
        shard = _take_task(seat, call)
        seat.failures, seat.since = seat.failures + 1, self._clock()
        yield self._retry(shard, reason)
        if seat.failures >= self._settings.max_failures:
            yield from self._drop(seat, f"failed {seat.failures} times in a row: {reason}", blame=False)

    def _expire(self) -> Iterator[Event]:
        now = self._clock()
        for seat in list(self._seats.values()):
            limit = self._settings.handshake_timeout_s if seat.greeting else self._settings.shard_timeout_s
            if (seat.greeting or seat.tasks) and now - seat.since > limit:
                yield from self._drop(seat, f"no answer within {limit:g} s")

    def _drop(self, seat: _Seat, reason: str, *, blame: bool = True) -> Iterator[Event]:
        """Evict a worker. The shard it was working on is suspect; the one behind it never ran."""
        starting = seat.greeting is not None
        tasks = [shard for _, shard in seat.tasks]
        self._dismiss(seat.handle)
        yield WorkerDropped(seat.checkpoint, reason)
        if starting:
            self._count_failed_start(seat.checkpoint, reason)
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

    def _count_failed_start(self, checkpoint: str, reason: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= self._settings.max_failures:
            raise IncompleteError(
                f"checkpoint {checkpoint}: expected a worker, got {self._failed_starts} failed starts in a row"
                f" (last: {reason}); mend the cause and run the same command again"
            )

    def _dismiss(self, handle: int) -> None:
        self._seats.pop(handle)
        self._backend.stop(handle)


def _owns(seat: _Seat, call: Call) -> bool:
    return call is seat.greeting or any(call is task for task, _ in seat.tasks)


def _take_task(seat: _Seat, call: Call) -> Shard:
    for i, (task, shard) in enumerate(seat.tasks):
        if task is call:
            del seat.tasks[i]
            return shard
    raise RuntimeError("an answer to a call that nobody made")


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
