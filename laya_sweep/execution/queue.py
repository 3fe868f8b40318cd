"""The shards still to run, by checkpoint, costliest first; and what becomes of a shard that failed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from laya_sweep.execution.contract import Shard

#: A shard is tried whole this many times before it is split.
WHOLE_ATTEMPTS = 2


class ShardQueue:
    """Pending shards of every checkpoint."""

    def __init__(self, shards: Iterable[Shard]) -> None:
        self._pending: dict[str, list[Shard]] = {}
        for shard in sorted(shards, key=lambda shard: shard.cost):
            self._pending.setdefault(shard.checkpoint, []).append(shard)

    def __bool__(self) -> bool:
        return any(self._pending.values())

    def has(self, checkpoint: str) -> bool:
        """Whether a checkpoint has pending shards."""
        return bool(self._pending.get(checkpoint))

    def pending(self, checkpoint: str) -> int:
        """How many shards of a checkpoint are pending."""
        return len(self._pending.get(checkpoint, []))

    def cost(self, checkpoint: str) -> float:
        """Cost of the pending shards of a checkpoint."""
        return sum(shard.cost for shard in self._pending.get(checkpoint, []))

    def checkpoints(self) -> list[str]:
        """Checkpoints with pending shards."""
        return [name for name, shards in self._pending.items() if shards]

    def take(self, checkpoint: str) -> Shard:
        """Remove and return the costliest pending shard of a checkpoint."""
        return self._pending[checkpoint].pop()

    def put_back(self, shard: Shard) -> None:
        """Return a shard that never ran; it is next."""
        self._pending.setdefault(shard.checkpoint, []).append(shard)

    def put_last(self, shard: Shard) -> None:
        """Return a shard that failed: healthy work goes first, and a sick worker is not fed the same shard twice."""
        self._pending.setdefault(shard.checkpoint, []).insert(0, shard)


def on_trial(shard: Shard) -> bool:
    """Whether one more failure makes its only case an error row: such a shard is given to a worker alone."""
    return len(shard.variants) == 1 and shard.attempt >= WHOLE_ATTEMPTS


def retry(shard: Shard) -> list[Shard]:
    """What to run in place of a shard that failed as a whole: itself, its halves, or nothing.

    Nothing means that a single case failed every attempt: it is the poison, and becomes an error row.
    """
    if shard.attempt < WHOLE_ATTEMPTS:
        return [dataclasses.replace(shard, attempt=shard.attempt + 1)]
    if len(shard.variants) == 1:
        return []
    middle = len(shard.variants) // 2
    halves = (shard.variants[:middle], shard.variants[middle:])
    return [
        dataclasses.replace(shard, variants=half, cost=shard.cost * len(half) / len(shard.variants)) for half in halves
    ]
