"""The names of a result."""

from __future__ import annotations

from typing import NamedTuple

from laya_sweep.domain.thresholds import MinConfidence, shown


class ResultKey(NamedTuple):
    """A result: one checkpoint, transform and regime over all its languages."""

    checkpoint: str
    transform: str
    regime: str


class Named(NamedTuple):
    """A result's place among the results of a run."""

    checkpoint: str
    regime: str
    transform: str
    min_confidence: MinConfidence

    def __str__(self) -> str:
        return f"{self.checkpoint} {self.regime} {self.transform} min_confidence={shown(self.min_confidence)}"
