"""What was kept of a question, and the question that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from laya_sweep.domain.variant import Variant
from laya_sweep.scoring.narrowed import kept_question


class NarrowingError(Exception):
    """The options of a question could not be cut down; it becomes an error row, its neighbours go on."""


@dataclass(frozen=True, slots=True)
class Cut:
    """What a narrowing kept of a choice, and what that cost.

    Attributes:
        name: `shortlist` or `knockout`.
        cap: the most options answered together.
        full_options: how many the question has.
        kept: canonical indices of the options that are left, in the order in which they are asked.
        scores: of the kept options, the signed cosine with the query; None where nothing was ranked.
        rounds: elimination rounds of a knockout.
        embedded_texts: texts that the embedder computed.
        forward_rows, forward_calls: groups that were answered, and the calls that took.
    """

    name: str
    cap: int
    full_options: int
    kept: tuple[int, ...]
    scores: tuple[float, ...] | None = None
    rounds: int | None = None
    embedded_texts: int = 0
    forward_rows: int = 0
    forward_calls: int = 0

    def columns(self) -> dict[str, Any]:
        """The columns of a facts row; costs are none of them."""
        return {
            "narrowing": self.name,
            "narrowing_cap": self.cap,
            "full_options": self.full_options,
            "kept": [*self.kept],
            "kept_scores": None if self.scores is None else [*self.scores],
            "rounds": self.rounds,
        }


def narrowed(variant: Variant, qid: str, places: Sequence[int]) -> Variant:
    """The variant with the options of a choice at these places alone, in this order."""
    return replace(
        variant,
        questions={**variant.questions, qid: kept_question(variant.questions[qid], places)},
        canonical_indices={**variant.canonical_indices, qid: tuple(range(len(places)))},
    )
