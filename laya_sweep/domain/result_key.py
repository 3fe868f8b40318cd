"""What a result is called: checkpoint, transform and regime over all languages, and a threshold where it is gated."""

from __future__ import annotations

from typing import NamedTuple

from laya_sweep.domain.settings import BASELINE
from laya_sweep.domain.thresholds import MinConfidence, shown


class ResultKey(NamedTuple):
    """A result: one checkpoint, transform and regime over all its languages.

    >>> str(ResultKey("english", "baseline", "served"))
    'english served baseline'
    """

    checkpoint: str
    transform: str
    regime: str

    def __str__(self) -> str:
        return f"{self.checkpoint} {self.regime} {self.transform}"

    @property
    def title(self) -> str:
        """Its name in the terminal; see `result_title`."""
        return result_title(self.checkpoint, self.regime, self.transform)


class GatedKey(NamedTuple):
    """A result at one threshold, which is what gates judge; None is no threshold.

    >>> str(GatedKey(ResultKey("english", "reverse", "raw"), 0.5))
    'english raw reverse min_confidence=0.5'
    """

    result: ResultKey
    min_confidence: MinConfidence

    def __str__(self) -> str:
        return f"{self.result} min_confidence={shown(self.min_confidence)}"


def result_title(checkpoint: str, part: str, transform: str) -> str:
    """A line's subject in the terminal: a result, or one of its languages; the baseline transform goes without saying.

    >>> result_title("english", "served", "baseline"), result_title("english", "served", "reverse")
    ('english served', 'english served reverse')
    """
    return f"{checkpoint} {part}" if transform == BASELINE else f"{checkpoint} {part} {transform}"
