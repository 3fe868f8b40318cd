"""What happened in the calls to a runner: how many, of how many rows, and how long a row waited."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import Any

from laya_sweep.results.timing import nearest_rank

LATENCY_PER_ROW = "per row: the wall time of the call that returned it, unsplit"
COST_PER_ROW = "per row: that call divided by the rows in it"


@dataclass(slots=True)
class CallLog:
    """Counts of calls that were issued, and the milliseconds of those that returned."""

    calls: int = 0
    rows_grouped: int = 0
    rows_alone: int = 0
    largest: int = 0
    waits: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)

    def issue(self, rows: int) -> None:
        """Count a call before it is made: one that fails was issued too."""
        self.calls += 1
        self.largest = max(self.largest, rows)
        if rows > 1:
            self.rows_grouped += rows
        else:
            self.rows_alone += 1

    def returned(self, rows: int, milliseconds: float) -> None:
        """Note the time of a call that returned: each of its rows waited for all of it."""
        self.waits += [milliseconds] * rows
        self.shares += [milliseconds / rows] * rows

    def figures(self) -> dict[str, float]:
        """The `*_ms` metrics; none where no call returned."""
        if not self.waits:
            return {}
        return {
            "latency_p50_ms": statistics.median(self.waits),
            "latency_p95_ms": nearest_rank(self.waits, 95),
            "cost_per_decision_p50_ms": statistics.median(self.shares),
            "cost_per_decision_p95_ms": nearest_rank(self.shares, 95),
        }

    def counts(self) -> dict[str, Any]:
        """The counts of a timing block."""
        return {
            "chunks": self.calls,
            "rows_grouped": self.rows_grouped,
            "rows_alone": self.rows_alone,
            "max_chunk": self.largest,
        }
