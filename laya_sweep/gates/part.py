"""What is judged once a result, and what once for each of its thresholds."""

from __future__ import annotations

from enum import Enum

from laya_sweep.metrics.lookup import nature_of


class Part(Enum):
    """The part of a judgement: all of it, what no threshold moves, or what the threshold moves."""

    WHOLE = "whole"
    UNMOVED = "unmoved"
    MOVED = "moved"

    def has(self, metric: str) -> bool:
        """Whether figures of a metric are judged in this part.

        >>> Part.MOVED.has("coverage"), Part.UNMOVED.has("coverage"), Part.UNMOVED.has("ece"), Part.WHOLE.has("ece")
        (True, False, True, True)
        """
        return self is Part.WHOLE or nature_of(metric).at_threshold == (self is Part.MOVED)
