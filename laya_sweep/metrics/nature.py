"""What a reader of a figure must know of its metric, whoever computed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nature:
    """The part of a metric's declaration that gates and reports ask for.

    Attributes:
        better: which way is an improvement; "neither" for figures that only describe.
        cuts: whether it depends on where a coverage cut falls, so that definitions of the cut must agree.
        share: of the answers that a selective accuracy accepts, in (0, 1]; None for all other metrics.
        of_pairs: whether an answer counts for it by its confidence and correctness, and not by one score.
        short: what lines of the terminal call it; None where they use its name.
        in_evals: whether upstream reports have it.
        timing: whether it is in milliseconds, which a re-run moves by noise.
        at_threshold: whether the min_confidence of a result moves it.
    """

    better: Direction = "neither"
    cuts: bool = False
    share: float | None = None
    of_pairs: bool = False
    short: str | None = None
    in_evals: bool = False
    timing: bool = False
    at_threshold: bool = False
