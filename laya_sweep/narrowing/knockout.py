"""A choice answered in groups: the winners of each round meet in the next, until one group is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodedQuestion, EncodingError, Engine, Forward, OutOfMemoryError, by_shape
from laya_sweep.narrowing.cut import Cut, NarrowingError, narrowed

#: What an engine raises for rows that it cannot answer.
_FAULTS = (EncodingError, OutOfMemoryError, RuntimeError, ValueError, IndexError, ArithmeticError)


#: Looks at the rows of a call and what came of them.
Watch = Callable[[Sequence[EncodedQuestion], Forward], None]


class _Round(NamedTuple):
    """Who goes on, how many groups were answered, and in how many calls."""

    winners: list[int]
    rows: int
    calls: int


class Knockout:
    """Cuts a choice into groups of near-equal size, at most `group_size`, in the order of its options.

    The last group is not answered here: it is the question that is left. An engine gives a row the same logits in any
    batch, so rounds are a fact of the case alone.
    """

    name = "knockout"

    def __init__(self, group_size: int, engine: Engine, watch: Watch | None = None) -> None:
        """`watch` sees each call."""
        self._size = group_size
        self._engine = engine
        self._watch = watch

    def cut(self, variant: Variant, qid: str) -> tuple[Variant, Cut] | None:
        """The finalists' question; None for one that is no choice.

        Raises:
            NarrowingError: a group could not be answered.
        """
        question = variant.questions[qid]
        if question["type"] != "choice":
            return None
        full = len(question["criteria"])
        left, rounds = [*range(full)], []
        while len(left) > self._size:
            try:
                rounds.append(self._play(variant, qid, groups(left, self._size)))
            except _FAULTS as error:
                raise NarrowingError(f"round {len(rounds) + 1}: {type(error).__name__}: {error}") from error
            left = rounds[-1].winners
        rows, calls = sum(one.rows for one in rounds), sum(one.calls for one in rounds)
        cut = Cut(self.name, self._size, full, tuple(left), None, len(rounds), 0, rows, calls)
        return (narrowed(variant, qid, left) if rounds else variant), cut

    def _play(self, variant: Variant, qid: str, parts: Sequence[Sequence[int]]) -> _Round:
        """One round; a group of one has its winner without being asked."""
        asked = [at for at, part in enumerate(parts) if len(part) > 1]
        encoded = [self._engine.encode(narrowed(variant, qid, parts[at]), qid) for at in asked]
        together = self._engine.info().rows_together
        calls = [*by_shape(encoded).values()] if together else [[*range(len(encoded))]] if encoded else []
        winners = [part[0] for part in parts]
        for places in calls:
            rows = [encoded[place] for place in places]
            forward = self._engine.forward(rows)
            if self._watch is not None:
                self._watch(rows, forward)
            for place, logits in zip(places, forward.logits, strict=True):
                at = asked[place]
                winners[at] = parts[at][_best(encoded[place], logits)]
        return _Round(winners, len(encoded), len(calls))


def groups(options: Sequence[int], size: int) -> list[Sequence[int]]:
    """Runs of the options, as few as `size` allows and as equal as they can be.

    >>> groups(range(5), 2)
    [range(0, 1), range(1, 3), range(3, 5)]
    """
    count, total = -(-len(options) // size), len(options)
    return [options[i * total // count : (i + 1) * total // count] for i in range(count)]


def _best(row: EncodedQuestion, logits: NDArray[np.float32]) -> int:
    """Place of the first largest logit in the group's own order."""
    if not np.isfinite(logits).all():
        raise ValueError("the model returned logits that are not finite")
    return int(row.as_presented(logits).argmax())
