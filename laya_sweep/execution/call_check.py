"""Whether a row gets its own logits in a call of several rows: some rows of some calls are asked again.

A row alone has at its shape the bits that it has among others (see `engines.engine`), so a call that mixes up its rows
is seen by one of them. Where rows move each other, the call is made again in another order, and one row twice in it:
ranges over all of it stay as they were, so that each row gets again what it got. Asked are a row of the first call of
every shape that an engine is put to, and of a seeded sample of the others: one in `EVERY`, and at least one in every
shard that has a call of several rows. A row alone costs as its length does, so short calls are drawn more often.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.layout import Shape
from laya_sweep.engines.engine import EncodedQuestion, Engine, Forward
from laya_sweep.errors import ParityError, Problem

#: Of so many later calls of a shard one is asked of again.
EVERY = 32

_STEP = (
    "nothing of this run is kept of it; ask again with batch_size=1, and report it with the versions of its libraries"
)


class _Drawn(NamedTuple):
    """The call of a shard that is asked of, unless one is drawn before it."""

    place: float
    rows: Sequence[EncodedQuestion]
    forward: Forward


class CallCheck:
    """Watches the calls of one loaded engine; `rows` were asked again, in `seconds`."""

    def __init__(self, engine: Engine, name: str) -> None:
        """`name` is the checkpoint's, for messages."""
        self._engine, self._info, self._name = engine, engine.info(), name
        self._known: set[Shape | int] = set()
        self._random = random.Random(name)
        self._drawn: _Drawn | None = None
        self._calls, self._asked = 0, False
        self.rows, self.seconds = 0, 0.0

    def begin(self, seed: str) -> None:
        """A new shard: what is sampled of it depends on the seed and its calls alone."""
        self._random = random.Random(seed)
        self._calls, self._drawn, self._asked = 0, None, False

    def see(self, rows: Sequence[EncodedQuestion], forward: Forward) -> None:
        """Look at what a call gave.

        Raises:
            ParityError: it is not one whole result a row, or a row did not get its own.
        """
        self._require_whole(rows, forward)
        if len(rows) < 2:
            return
        shape = rows[0].shape if self._info.rows_together else len(rows)
        if shape not in self._known:
            self._known.add(shape)
            self._ask(rows, forward)
            return
        self._calls += 1
        place = self._random.expovariate(1.0) * rows[0].shape.length ** 2
        if self._drawn is None or place < self._drawn.place:
            self._drawn = _Drawn(place, rows, forward)
        if self._calls == EVERY:
            self._ask(self._drawn.rows, self._drawn.forward)
            self._calls, self._drawn = 0, None

    def settle(self) -> None:
        """The end of a shard: ask of the call that was drawn, if none was asked of yet; errors as `see`."""
        if self._drawn is not None and not self._asked:
            self._ask(self._drawn.rows, self._drawn.forward)
        self._drawn = None

    def _require_whole(self, rows: Sequence[EncodedQuestion], forward: Forward) -> None:
        wanted = [len(row.slots) for row in rows]
        got = [len(logits) for logits in forward.logits]
        if len(got) != len(wanted) or len(forward.act_probability) != len(wanted):
            raise self._fault(f"{len(wanted)} rows from a call of as many", f"{len(got)}")
        if got != wanted:
            raise self._fault("a logit for each option of each row of a call", "those of other rows")

    def _ask(self, rows: Sequence[EncodedQuestion], forward: Forward) -> None:
        """Ask one row alone that differs from the row before it: of equal rows none is missed."""
        started, self._asked = time.perf_counter(), True
        info = self._info
        told = [i for i in range(len(rows)) if not np.array_equal(forward.logits[i], forward.logits[i - 1])]
        places = [self._random.choice(told or range(len(rows)))]
        if not info.rows_together:
            places += self._random.sample(range(len(rows)), len(rows))
        asked = [rows[place] for place in places]
        again = self._engine.forward(asked)
        self._require_whole(asked, again)
        self.rows += len(asked)
        self.seconds += time.perf_counter() - started
        for i, place in enumerate(places):
            apart = _apart(again, i, forward, place)
            if not apart <= info.row_tolerance:
                what = "alone" if info.rows_together else "in another order of the call"
                wanted = f"a row of a call of {len(rows)} to get what it gets {what}, within {info.row_tolerance:g}"
                raise self._fault(wanted, f"logits {apart:.3g} apart (row {place + 1})")

    def _fault(self, expected: str, got: str) -> ParityError:
        return ParityError(Problem(f"parity of checkpoint {self._name}", expected, got, _STEP))


def _apart(one: Forward, i: int, other: Forward, at: int) -> float:
    """How far apart row i of a call and row `at` of another are, the probability to act included."""
    acts = one.act_probability[i : i + 1], other.act_probability[at : at + 1]
    return float(np.max([_difference(one.logits[i], other.logits[at]), _difference(*acts)]))


def _difference(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """The largest difference of two rows, as a share of the largest value where that is above 1; NaN equals NaN."""
    if np.array_equal(one, other, equal_nan=True):
        return 0.0
    return float(np.abs(one - other).max()) / max(1.0, float(np.abs(one).max()))
