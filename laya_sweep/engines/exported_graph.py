"""An exported graph beside its checkpoint: what an export is, and whether a file is one of this checkpoint."""

from __future__ import annotations

from typing import NamedTuple


class Drift(NamedTuple):
    """Answers of a graph against torch's on the same rows, at temperature 1.

    The largest differences of a logit and of a probability, and how many rows keep their answer.
    """

    rows: int
    logit: float
    probability: float
    agreeing: int


class Exported(NamedTuple):
    """A checked graph: the bytes of the file, its precision, whether rows may share a call, how far it drifts."""

    data: bytes
    precision: str
    rows_together: bool
    drift: Drift
