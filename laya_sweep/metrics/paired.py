"""Comparing two runs on the same cases: paired, because the cases are the same.

Two runs share what makes a case easy or hard. Joined case by case, that part cancels, and a difference shows
that two separate intervals would hide. Pairing by position instead of by id would compare different cases.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.arrays import Flags, Floats, flags, floats, integers, number_within, same_length
from laya_sweep.metrics.bootstrap import REPLICATES, SEED
from laya_sweep.metrics.draws import NO_REPLICATES, Draws
from laya_sweep.metrics.levels import LevelCounts
from laya_sweep.metrics.limits import limits_of
from laya_sweep.metrics.mcnemar import mcnemar
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.selective import selective_accuracy_of
from laya_sweep.metrics.source_means import SourceMeans, sums_by_source
from laya_sweep.metrics.value import Measure

_DIFFERENCE: Final = Metric("accuracy_difference", unit="case", better="higher")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """Run A against run B on the cases that both have. Differences are A - B; ids are in the order of their
    text.

    Attributes:
        n, n_clusters: matched cases, and distinct sources among them.
        only_a, only_b: ids that the other run lacks. They enter nothing else.
        coverage: share of matched cases at which the selective accuracies are compared.
        accuracy_a, accuracy_b, difference: on matched cases; None when nothing matched.
        low, high: bootstrap interval of the difference, by source; both or neither.
        a_only_right, b_only_right: discordant cases, right in one run alone.
        discordant: their ids.
        p_value: of McNemar's exact test; it takes cases for independent, so with clusters trust the interval.
        selective_a, selective_b, selective_difference: accuracy of each run's own most confident answers, at
            the same coverage; None when a confidence is not finite or nothing matched.
        reason: why there is no difference, or no interval.
    """

    n: int
    n_clusters: int
    only_a: tuple[Hashable, ...]
    only_b: tuple[Hashable, ...]
    coverage: float
    accuracy_a: float | None = None
    accuracy_b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    a_only_right: int = 0
    b_only_right: int = 0
    discordant: tuple[Hashable, ...] = ()
    p_value: float | None = None
    selective_a: float | None = None
    selective_b: float | None = None
    selective_difference: float | None = None
    reason: str | None = None


class _Run(NamedTuple):
    """One run: id -> row, and its columns."""

    places: dict[Hashable, int]
    correct: Flags
    confidence: Floats

    @classmethod
    def of(cls, ids: Sequence[Hashable], correct: ArrayLike, confidence: ArrayLike, name: str) -> _Run:
        right, column = flags(correct, f"{name}_correct"), floats(confidence, f"{name}_confidence")
        lengths: dict[str, Sized] = {
            f"{name}_ids": ids,
            f"{name}_correct": right,
            f"{name}_confidence": column,
        }
        same_length(**lengths)
        places: dict[Hashable, int] = {}
        for at, case in enumerate(ids):
            # Either row could be meant, and taking the better one would flatter the run.
            if places.setdefault(case, at) != at:
                raise ValueError(f"Expected each id once in run {name}, but got {case!r} more than once")
        return cls(places, right, column)

    def rows(self, ids: Sequence[Hashable]) -> NDArray[np.intp]:
        return np.array([self.places[case] for case in ids], dtype=np.intp)


def _by_text(ids: Iterable[Hashable]) -> tuple[Hashable, ...]:
    return tuple(sorted(ids, key=str))


def _selective(run: _Run, rows: NDArray[np.intp], coverage: float) -> float | None:
    return selective_accuracy_of(LevelCounts.update(run.confidence[rows], run.correct[rows]), coverage).value


def compare(
    a_ids: Sequence[Hashable],
    a_correct: ArrayLike,
    a_confidence: ArrayLike,
    b_ids: Sequence[Hashable],
    b_correct: ArrayLike,
    b_confidence: ArrayLike,
    source: ArrayLike | None = None,
    *,
    coverage: float = 0.5,
    replicates: int = REPLICATES,
    seed: int = SEED,
    confidence: float = 0.95,
) -> PairedComparison:
    """Compare two runs case by case.

    Args:
        a_ids, b_ids: case ids, each at most once a run; rows in any order.
        a_correct, b_correct: 0/1, one element an id.
        a_confidence, b_confidence: answer_confidence, one element an id.
        source: cluster code of each case of run A; None takes each case for its own cluster.
        coverage: in (0, 1], for the selective accuracies.
        replicates, seed, confidence: of the bootstrap interval.

    Raises:
        ValueError: an id occurs twice in a run, or columns differ in length.

    >>> result = compare(["x", "y"], [1, 0], [0.9, 0.8], ["y", "x", "z"], [0, 0, 1], [0.7, 0.6, 0.5])
    >>> result.difference, result.only_b, result.discordant
    (0.5, ('z',), ('x',))
    """
    a, b = _Run.of(a_ids, a_correct, a_confidence, "a"), _Run.of(b_ids, b_correct, b_confidence, "b")
    share = number_within(coverage, "coverage", 0.0, 1.0, open_low=True)
    cluster = None if source is None else integers(source, "source")
    if cluster is not None:
        same_length(a_ids=a_ids, source=cluster)
    shared = _by_text(a.places.keys() & b.places.keys())
    only_a, only_b = _by_text(a.places.keys() - b.places.keys()), _by_text(b.places.keys() - a.places.keys())
    if not shared:
        reason = "no id is in both runs"
        return PairedComparison(n=0, n_clusters=0, only_a=only_a, only_b=only_b, coverage=share, reason=reason)
    at_a, at_b = a.rows(shared), b.rows(shared)
    a_right, b_right = a.correct[at_a], b.correct[at_b]
    sources = np.arange(len(shared)) if cluster is None else cluster[at_a]
    gain = a_right.astype(np.float64) - b_right
    a_only, b_only = int(np.count_nonzero(gain > 0)), int(np.count_nonzero(gain < 0))
    difference = Measure((a_only - b_only) / len(shared), len(shared))
    known, code = np.unique(sources, return_inverse=True)
    means = SourceMeans(sums_by_source(code, gain, len(known)), sums_by_source(code, None, len(known)))
    draws = Draws(means.replicates(replicates, seed)) if len(known) > 1 else NO_REPLICATES
    limits = limits_of(_DIFFERENCE, difference, len(known), draws=draws, confidence=confidence)
    selective_a, selective_b = _selective(a, at_a, share), _selective(b, at_b, share)
    apart = None if selective_a is None or selective_b is None else selective_a - selective_b
    return PairedComparison(
        n=len(shared),
        n_clusters=len(known),
        only_a=only_a,
        only_b=only_b,
        coverage=share,
        accuracy_a=int(np.count_nonzero(a_right)) / len(shared),
        accuracy_b=int(np.count_nonzero(b_right)) / len(shared),
        difference=difference.value,
        low=limits.low,
        high=limits.high,
        a_only_right=a_only,
        b_only_right=b_only,
        discordant=tuple(shared[at] for at in np.flatnonzero(gain)),
        p_value=mcnemar(a_only, b_only),
        selective_a=selective_a,
        selective_b=selective_b,
        selective_difference=apart,
        reason=limits.reason,
    )
