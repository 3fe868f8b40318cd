"""The workers of a pool: who is there, for which checkpoint, and who gets which shard next.

Workers wait for work in order of idleness (FIFO) with two shards in flight each; the costliest shard goes first; a
worker keeps its checkpoint while that has shards.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from laya_sweep.execution.contract import Backend, Call, Shard, WorkerLostError, WorkerSpec
from laya_sweep.execution.queue import ShardQueue, on_trial

#: Shards handed to one worker at a time: the next one is there when the first is done.
IN_FLIGHT = 2


@dataclass(slots=True)
class Seat:
    """A worker as the pool sees it. `since` is when its current task began, `greeting` its handshake until it came."""

    handle: int
    checkpoint: str
    greeting: Call | None
    since: float
    tasks: deque[tuple[Call, Shard]] = field(default_factory=deque)
    failures: int = 0

    @property
    def calls(self) -> list[Call]:
        """Its pending calls."""
        return [*([] if self.greeting is None else [self.greeting]), *(call for call, _ in self.tasks)]

    def take_task(self, call: Call) -> Shard:
        """The shard of a call that was answered, which is no task of the worker any more."""
        for i, (task, shard) in enumerate(self.tasks):
            if task is call:
                del self.tasks[i]
                return shard
        raise RuntimeError("an answer to a call that nobody made")


class Seats:
    """The workers of one run."""

    def __init__(self, backend: Backend, specs: Mapping[str, WorkerSpec], clock: Callable[[], float]) -> None:
        self._backend = backend
        self._specs = specs
        self._clock = clock
        self._seats: dict[int, Seat] = {}

    def __iter__(self) -> Iterator[Seat]:
        """Those there are now; they may be dismissed meanwhile."""
        return iter([*self._seats.values()])

    def calls(self) -> list[Call]:
        """Pending calls, handshakes first."""
        greetings = [seat.greeting for seat in self if seat.greeting is not None]
        return greetings + [call for seat in self for call, _ in seat.tasks]

    def staff(self, queue: ShardQueue, slots: int) -> None:
        """Start workers while there is room and unserved work; an idle worker makes way for another checkpoint."""
        for seat in self:
            idle = seat.greeting is None and not seat.tasks and not queue.has(seat.checkpoint)
            if idle and queue and len(self._seats) >= slots:
                self.dismiss(seat)
        while len(self._seats) < slots and (checkpoint := self._neediest(queue)) is not None:
            handle = self._backend.start(self._specs[checkpoint])
            greeting = self._backend.greet(handle)
            self._seats[handle] = Seat(handle, checkpoint, greeting, self._clock())

    def feed(self, queue: ShardQueue, max_failures: int) -> None:
        """Give each ready worker a first shard before anyone gets a second; longest idle first."""
        for depth in range(1, IN_FLIGHT + 1):
            ready = [seat for seat in self if seat.greeting is None and len(seat.tasks) < depth]
            for seat in sorted(ready, key=lambda seat: seat.since):
                if not queue.has(seat.checkpoint) or any(on_trial(shard) for _, shard in seat.tasks):
                    continue
                shard = queue.take(seat.checkpoint)
                if on_trial(shard) and seat.tasks:
                    queue.put_back(shard)  # beside another case its loss would prove nothing
                    continue
                if not seat.tasks:
                    seat.since = self._clock()
                try:
                    seat.tasks.append((self._backend.submit(seat.handle, shard), shard))
                except WorkerLostError:
                    # Its death is about to be reported by the calls it already has, or by the next wait.
                    queue.put_back(shard)
                    seat.failures = max_failures

    def dismiss(self, seat: Seat) -> None:
        """End a worker."""
        self._seats.pop(seat.handle)
        self._backend.stop(seat.handle)

    def _neediest(self, queue: ShardQueue) -> str | None:
        """The checkpoint with the most pending cost per worker; None where no further worker would have a shard."""

        def served(name: str) -> int:
            return sum(seat.checkpoint == name for seat in self)

        def unfed(name: str) -> int:
            return sum(seat.checkpoint == name and not seat.tasks for seat in self)

        needy = [name for name in queue.checkpoints() if queue.pending(name) > unfed(name)]
        return max(needy, key=lambda name: queue.cost(name) / (served(name) + 1), default=None)
