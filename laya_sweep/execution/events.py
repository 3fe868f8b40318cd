"""What happens while a sweep runs, as values: the pool says it, the console shows it, provenance keeps it."""

from __future__ import annotations

from dataclasses import dataclass

from laya_sweep.execution.contract import Handshake, Shard, ShardResult


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """A worker passed its handshake."""

    checkpoint: str
    handshake: Handshake


@dataclass(frozen=True, slots=True)
class WorkerDropped:
    """A worker died, hung, failed too often, or was not what was asked for; its shards go to others."""

    checkpoint: str
    reason: str


@dataclass(frozen=True, slots=True)
class ShardRetried:
    """A shard failed as a whole and is tried again, whole or in halves."""

    shard: Shard
    reason: str
    pieces: int


@dataclass(frozen=True, slots=True)
class ShardDone:
    """A shard's rows are computed (and committed, unless the result carries them)."""

    shard: Shard
    result: ShardResult


@dataclass(frozen=True, slots=True)
class CaseLost:
    """A single case that no worker survived; the driver writes its error row."""

    shard: Shard
    reason: str


@dataclass(frozen=True, slots=True)
class CheckpointDistrusted:
    """An engine mixes up rows: what this run stored of its checkpoint is taken back, and the run ends."""

    checkpoint: str


Event = WorkerReady | WorkerDropped | ShardRetried | ShardDone | CaseLost | CheckpointDistrusted
