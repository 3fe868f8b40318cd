"""The lowest min_confidence of each bucket whose answers are right often enough, by a bound that allows for the search.

Candidates are cuts at up to `CUTS` equal steps of the bucket's coverage, chosen by the confidences alone, without a
look at what is right; those that keep too few rows to ever reach the target are left out beforehand. Each of the m
that remain is asked for a one-sided Clopper-Pearson bound at level 1 - (1 - confidence) / m (Bonferroni's inequality),
so with the given confidence every bound of a bucket holds, whichever is then chosen. Answers of one source are not
independent: a cut counts its effective number of rows. The confidence is that of each bucket, not of all at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.bucket import BUCKETS, option_bucket
from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.domain.thresholds import DEFAULT
from laya_sweep.metrics.cluster import running_effective_n
from laya_sweep.metrics.columns import LEVELS, DecisionColumns
from laya_sweep.metrics.exact_bound import exact_lower_bound, fewest_trials
from laya_sweep.metrics.interval import Interval, wilson
from laya_sweep.metrics.threshold import cut_level

#: Candidate thresholds of a bucket.
CUTS: Final = 20

#: What a bucket gets that no threshold serves: nothing short of a reported certainty is accepted.
CERTAINTY: Final = 1.0

_ROUNDING: Final = 1e-9


class Kept(NamedTuple):
    """What a threshold keeps of n answers, and how many of those are right."""

    n: int
    accepted: int
    right: int
    interval: Interval | None

    @property
    def coverage(self) -> float:
        """accepted / n."""
        return self.accepted / self.n

    @property
    def precision(self) -> float | None:
        """right / accepted; None where nothing is kept."""
        return self.right / self.accepted if self.accepted else None

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        low, high = self.interval or (None, None)
        own = {"n": self.n, "accepted": self.accepted, "right": self.right}
        return {**own, "coverage": self.coverage, "precision": self.precision, "low": low, "high": high}


class Advice(NamedTuple):
    """One bucket: the threshold, or None where none reaches the target.

    `kept` and `bound` are of the threshold, without one of the candidate with the best bound; None where there is none.
    """

    bucket: str
    n: int
    candidates: int
    threshold: float | None
    kept: Kept | None
    bound: float | None
    needed: int


def advise(columns: DecisionColumns, target: float, confidence: float = 0.95) -> list[Advice]:
    """Advice for each bucket that has labelled choice or noul answers.

    Args:
        columns: of the calibration rows.
        target: the accuracy to reach, in (0, 1).
        confidence: that a bucket's bound holds.
    """
    return [_advice(bucket, own, target, confidence) for bucket, own in _by_bucket(columns).items()]


def kept_by(columns: DecisionColumns, thresholds: Mapping[str, float]) -> dict[str, Kept]:
    """What the thresholds keep of each bucket that has labelled answers, with a Wilson interval of the precision."""
    return {
        bucket: _kept(own, cut_level(thresholds[bucket]))
        for bucket, own in _by_bucket(columns).items()
        if bucket in thresholds
    }


def map_of_advice(advices: Sequence[Advice]) -> dict[str, float]:
    """The runtime's own map. Where nothing is known, and where no threshold is enough, certainty is asked for."""
    named = {entry.bucket: CERTAINTY if entry.threshold is None else entry.threshold for entry in advices}
    return {**{bucket: named[bucket] for bucket in BUCKETS if bucket in named}, DEFAULT: CERTAINTY}


def _advice(bucket: str, columns: DecisionColumns, target: float, confidence: float) -> Advice:
    candidates, level = _candidates(columns, target, confidence)
    needed = fewest_trials(target, level)
    best: tuple[float, int] | None = None
    chosen: tuple[float, int] | None = None
    for cut in candidates:
        bound = _bound(columns, cut, level)
        best = max(best or (bound, cut), (bound, cut))
        chosen = (bound, cut) if bound >= target else chosen
    shown = chosen or best
    return Advice(
        bucket,
        len(columns),
        len(candidates),
        chosen[1] / LEVELS if chosen else None,
        _kept(columns, shown[1]) if shown else None,
        shown[0] if shown else None,
        needed,
    )


def _candidates(columns: DecisionColumns, target: float, confidence: float) -> tuple[list[int], float]:
    """Cuts by falling level, and the level of each one's bound."""
    ordered = np.sort(columns.level)[::-1]
    ends = np.unique(np.ceil(len(ordered) * np.arange(1, CUTS + 1) / CUTS).astype(np.intp)) - 1
    cuts = sorted({int(ordered[end]) for end in ends}, reverse=True)
    least = fewest_trials(target, 1.0 - (1.0 - confidence) / len(cuts))
    kept = [cut for cut in cuts if np.count_nonzero(ordered >= cut) >= least]
    return kept, 1.0 - (1.0 - confidence) / max(1, len(kept))


def _bound(columns: DecisionColumns, cut: int, level: float) -> float:
    n, share = _effective(columns, cut)
    trials = int(n + _ROUNDING)
    return exact_lower_bound(int(share * trials + _ROUNDING), trials, level) if trials else 0.0


def _effective(columns: DecisionColumns, cut: int) -> tuple[float, float]:
    """The effective number of the rows that a cut keeps, and the share of right ones."""
    inside = np.flatnonzero(columns.level >= cut)
    right = columns.correct[inside] == 1
    [effective] = running_effective_n(columns.source[inside], right, np.array([len(inside) - 1]))
    return float(effective), float(right.mean())


def _kept(columns: DecisionColumns, cut: int) -> Kept:
    inside = columns.level >= cut
    accepted, right = int(np.count_nonzero(inside)), int(np.count_nonzero(columns.correct[inside] == 1))
    if not accepted:
        return Kept(len(columns), 0, 0, None)
    n, share = _effective(columns, cut)
    return Kept(len(columns), accepted, right, wilson(share * n, n))


def _by_bucket(columns: DecisionColumns) -> dict[str, DecisionColumns]:
    """The labelled choice and noul answers with a confidence, by bucket in the runtime's order."""
    usable = (columns.correct >= 0) & (columns.level >= 0)
    buckets: NDArray[np.str_] = np.array(
        [
            option_bucket(QUESTION_TYPES[kind], options)
            for kind, options in zip(columns.question_type.tolist(), columns.n_options.tolist(), strict=True)
        ],
        dtype=np.str_,
    )
    found = {bucket: np.flatnonzero(usable & (buckets == bucket)) for bucket in BUCKETS}
    return {bucket: columns.take(rows) for bucket, rows in found.items() if len(rows)}
