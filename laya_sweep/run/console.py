"""What a person sees while a sweep runs: results on stdout, everything else on stderr.

On a terminal a bar moves; on a pipe a line is written at most once per twentieth of the work, so that a log of a
thousand shards stays short.
"""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console as RichConsole
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from laya_sweep.execution.events import CaseLost, Event, ShardDone, ShardRetried, WorkerDropped, WorkerReady

_SPARSE_LINES = 20


class Console:
    """Writes results and notes; a progress bar while inference runs."""

    def __init__(self) -> None:
        self._out = RichConsole(file=sys.stdout, soft_wrap=True, markup=False, highlight=False, emoji=False)
        self._err = RichConsole(file=sys.stderr, soft_wrap=True, markup=False, highlight=False, emoji=False)
        self._said: set[str] = set()

    def result(self, line: str) -> None:
        """A line of results, at once."""
        self._out.print(line)
        self._out.file.flush()

    def note(self, line: str) -> None:
        """A line about the run."""
        self._err.print(line)

    def once(self, line: str) -> None:
        """A note that several workers would repeat."""
        if line not in self._said:
            self._said.add(line)
            self.note(line)

    def progress(self, rows: int) -> Bar:
        """A bar over so many rows of inference."""
        return Bar(self, self._err, rows)


class Bar:
    """Progress of inference, fed with the pool's events."""

    def __init__(self, console: Console, err: RichConsole, rows: int) -> None:
        self._console = console
        self._rows = rows
        self._done = 0
        self._shown = 0
        self._bar = _bar(err) if err.is_terminal else None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("inference", total=self._rows)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def see(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, ShardDone):
            self._advance(event.result.rows)
        elif isinstance(event, WorkerReady):
            hand = event.handshake
            self._console.note(
                f"worker {hand.pid}@{hand.node}: {event.checkpoint} on {hand.device}, {hand.threads} thread(s), "
                f"parity {hand.parity.max_difference:.1e} on {hand.parity.cases} cases"
            )
            for warning in hand.warnings:
                self._console.once(f"note: {event.checkpoint}: {' '.join(warning.split())}")
        elif isinstance(event, WorkerDropped):
            self._console.note(f"worker of {event.checkpoint} dropped: {event.reason}")
        elif isinstance(event, ShardRetried | CaseLost):
            self._console.note(f"{event.shard.checkpoint} {event.shard.language}: {_fate(event)}: {event.reason}")

    def _advance(self, rows: int) -> None:
        self._done += rows
        if self._bar is not None and self._task is not None:
            self._bar.advance(self._task, rows)
            return
        reached = self._done * _SPARSE_LINES // max(1, self._rows)
        if reached > self._shown:
            self._shown = reached
            self._console.note(f"inference: {self._done} of {self._rows} rows")


def _fate(event: ShardRetried | CaseLost) -> str:
    if isinstance(event, CaseLost):
        return "a case is given up"
    return "a shard is tried again" if event.pieces == 1 else "a shard is split"


def _bar(err: RichConsole) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=err, transient=True)
