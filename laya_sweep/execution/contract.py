"""What driver and workers say to each other: plain picklable values, the same for Ray actors and inline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from laya_sweep.checkpoints.checkpoint import Checkpoint
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.domain.settings import NO_NARROWING, NarrowingSettings
from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.domain.variant import Variant
from laya_sweep.execution.software import Software
from laya_sweep.store.facts import Part


@dataclass(frozen=True, slots=True)
class Batching:
    """How rows are to be put into calls: up to `size` of one shape, or with None as many as `tokens` allow."""

    tokens: int
    size: int | None = None
    sort_by_length: bool = False


@dataclass(frozen=True, slots=True)
class ParityTask:
    """What a worker asks the runtime too, before it gets work: a few of the variants, or all of them."""

    variants: tuple[Variant, ...]
    min_confidence: tuple[MinConfidence, ...]
    on_all: bool = False


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """How to make a worker: one checkpoint, one device.

    `checkpoint` is as the driver found it: a node without its folder downloads the same commit, and must find the same
    content. `software` is what the driver has, and so must a worker. `store_token` is a file in the store by which a
    worker knows whether it sees the driver's.
    """

    checkpoint: Checkpoint
    device: str
    threads: int
    batching: Batching
    parity: ParityTask
    software: Software
    store_root: Path
    store_token: str
    narrowing: NarrowingSettings = NO_NARROWING


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """An answer of the parity sample: what the runtime's gate reads of its answer, and what ours derived.

    `answer` is unmarked and plain JSON, so that the runtime's gate can be asked about it again for another threshold.
    """

    answer: dict[str, Any]
    bucket: str
    gate_confidence: float


@dataclass(frozen=True, slots=True)
class Parity:
    """Our logit path against the runtime's public answers on a sample of cases.

    `shared_rows` are the sample's rows that were in a call of several.
    """

    cases: int
    max_difference: float
    marks: int
    mark_disagreements: int
    sample: tuple[SampleAnswer, ...] = ()
    shared_rows: int = 0


@dataclass(frozen=True, slots=True)
class Handshake:
    """What a worker is, said from inside its process after loading, before it gets work."""

    pid: int
    node: str
    device: str
    threads: int
    digest: str
    software: Software
    temperatures: tuple[TemperatureFact, ...]
    parity: Parity
    sees_store: bool
    load_s: float
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """A task: variants of one cell. `cost` is relative, for ordering; `attempt` counts from 1."""

    cell_key: str
    checkpoint: str
    language: str
    transform: str
    variants: tuple[Variant, ...]
    cost: float
    attempt: int = 1

    @property
    def rows(self) -> int:
        """Questions in the shard."""
        return sum(len(variant.questions) for variant in self.variants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What was computed, in rows, calls and seconds; what narrowed questions is counted apart from forwards, and so are
    rows that were asked again to check the calls.
    """

    rows: int
    errors: int
    forward_rows: int
    forward_calls: int
    forward_s: float
    call_s: float
    embedded_texts: int = 0
    elimination_rows: int = 0
    elimination_calls: int = 0
    checked_rows: int = 0
    check_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardResult(Counts):
    """Counts of a finished shard. `part` holds the rows only where the worker does not see the store, else `committed`
    is the name of the part in it.
    """

    cell_key: str
    peak_rss_bytes: int
    part: Part | None
    committed: str | None = None


class WorkerLostError(Exception):
    """The worker's process is gone or cannot be reached."""


class WorkerFaultError(Exception):
    """The worker is alive, and the task raised."""


class Call(Protocol):
    """A pending answer of a worker; identity is all the pool needs."""

    def __hash__(self) -> int: ...


class Backend(Protocol):
    """Where workers live. Handles and calls are opaque to the pool."""

    def slots(self) -> int:
        """How many workers of the configured size fit.

        Raises:
            CapacityError: not one, or fewer than asked for.
        """
        ...

    def start(self, spec: WorkerSpec) -> int:
        """Make a worker; returns its handle at once."""
        ...

    def greet(self, handle: int) -> Call:
        """Ask for the handshake (loads the checkpoint)."""
        ...

    def submit(self, handle: int, shard: Shard) -> Call:
        """Hand over a shard."""
        ...

    def wait(self, calls: Sequence[Call], timeout_s: float) -> list[Call]:
        """Calls that are answered, waiting up to the timeout for one."""
        ...

    def collect(self, call: Call) -> Handshake | ShardResult:
        """The answer of a call.

        Raises:
            WorkerLostError: the worker died.
            ParityError: what it computes is not to be trusted.
            WorkerFaultError: the call raised anything else.
        """
        ...

    def stop(self, handle: int) -> None:
        """End a worker; its calls are void."""
        ...

    def leave_out(self, node: str) -> int:
        """Start no further worker on a node, as its handshakes name it; how many fit on the others."""
        ...

    def close(self) -> None:
        """End everything this backend started."""
        ...
