"""The `k` options of a choice that an embedder ranks first, by the runtime's own ranking."""

from __future__ import annotations

import math

from laya_sweep.domain.variant import Variant
from laya_sweep.narrowing.cut import Cut, NarrowingError, narrowed
from laya_sweep.narrowing.embedder import Counted, Embed, remembered


class Shortlist:
    """Keeps the best `k` options, in rank order; a question of at most `k` options passes through unranked."""

    name = "shortlist"

    def __init__(self, k: int, embed: Embed, *, cached: bool = False) -> None:
        """`cached` keeps vectors of texts: for an embedder that treats each text by itself."""
        self._k = k
        self._counted = Counted(embed)
        self._embed: Embed = remembered(self._counted) if cached else self._counted

    def cut(self, variant: Variant, qid: str) -> tuple[Variant, Cut] | None:
        """The smaller question; None for one that is no choice.

        Raises:
            NarrowingError: the embedder failed, or returned no vector of finite numbers for each text.
        """
        question = variant.questions[qid]
        if question["type"] != "choice":
            return None
        labels = [*question["criteria"]]
        full = len(labels)
        if full <= self._k:
            return variant, Cut(self.name, self._k, full, tuple(range(full)))
        before = self._counted.texts
        kept, scores = self._ranked(variant, qid)
        if not all(map(math.isfinite, scores)):
            raise NarrowingError(f"question {qid!r}: the embedder's vectors give scores that are not finite")
        places = [labels.index(label) for label in kept]
        texts = self._counted.texts - before
        cut = Cut(self.name, self._k, full, tuple(places), tuple(scores), embedded_texts=texts)
        return narrowed(variant, qid, places), cut

    def _ranked(self, variant: Variant, qid: str) -> tuple[list[str], list[float]]:
        from laya.shortlist import shortlist_choice  # imports torch

        question = variant.questions[qid]
        try:
            kept, scores = shortlist_choice(
                variant.state,
                question["criteria"],
                self._embed,
                self._k,
                instructions=question.get("instructions"),
                return_scores=True,
            )
        except Exception as error:
            # The embedder is anybody's code: what it raises is this question's fault alone.
            raise NarrowingError(f"question {qid!r}: {type(error).__name__}: {error}") from error
        return kept, scores
