"""How a second presentation of a question changes its answer: pairs of probability vectors, and their summary.

Both vectors of a pair are in the canonical order of the options, so that the same place is the same meaning. Agreement
is no correctness: answers that are wrong alike agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metrics.arrays import Flags, Floats, floats, integers

#: How far a probability vector may be from the sum 1, and a probability beyond [0, 1].
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Figures of n pairs; element i of each array belongs to pair i.

    Attributes:
        agreement: bool[n]; both presentations give the same option.
        mean_probability_drift: float64[n]; mean over the options of the absolute change of probability.
        max_probability_drift: float64[n]; the largest of those changes.
        js_divergence: float64[n]; Jensen-Shannon divergence with natural logarithms, in [0, ln 2].
        confidence_drift: float64[n]; change of the largest probability, variant minus baseline.
    """

    agreement: Flags
    mean_probability_drift: Floats
    max_probability_drift: Floats
    js_divergence: Floats
    confidence_drift: Floats

    def __len__(self) -> int:
        return len(self.agreement)

    def take(self, rows: NDArray[np.intp] | Flags | slice) -> PairFigures:
        """The pairs `rows`: indices, a slice or a boolean mask."""
        return PairFigures(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def concat(cls, parts: Iterable[PairFigures]) -> PairFigures:
        """All pairs of `parts`, one part after the other; none of them is no pairs."""
        parts = [_none(), *parts]
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


def compare_pairs(
    baseline: Sequence[ArrayLike] | ArrayLike,
    variant: Sequence[ArrayLike] | ArrayLike,
    baseline_answer: ArrayLike | None = None,
    variant_answer: ArrayLike | None = None,
    *,
    tolerance: float = SUM_TOLERANCE,
) -> PairFigures:
    """Compare each row of `baseline` with the same row of `variant`.

    Args:
        baseline, variant: n probability vectors in canonical order, as shape (n, k) or as vectors that may differ in
            length from pair to pair.
        baseline_answer, variant_answer: canonical index of each answer, shape (n,), where it was read off the logits,
            which no temperature can tie. None takes the largest probability, the first of equal ones.
        tolerance: how far a sum may be from 1; probabilities of 4 decimals are further off than the default allows.

    Raises:
        ValueError: the two sides differ in shape, or a vector is no probability distribution.

    >>> found = compare_pairs([[0.91, 0.06, 0.03]], [[0.88, 0.08, 0.04]])
    >>> bool(found.agreement[0]), round(float(found.mean_probability_drift[0]), 4)
    (True, 0.02)
    """
    before, after = _by_length(baseline), _by_length(variant)
    if before.keys() != after.keys() or any(before[k].places != after[k].places for k in before):
        raise ValueError("Expected both sides to hold as many vectors, and each pair as many options twice")
    for side in (before, after):
        for group in side.values():
            _check_distributions(group.vectors, tolerance)
    found = PairFigures.concat(_compare(before[k].vectors, after[k].vectors) for k in before)
    order = np.argsort(np.array([at for group in before.values() for at in group.places], dtype=np.intp))
    found = found.take(order)
    if baseline_answer is None and variant_answer is None:
        return found
    agreement = _answers(baseline_answer, before) == _answers(variant_answer, after)
    return PairFigures(agreement, *(getattr(found, field.name) for field in fields(found)[1:]))


def summarise_pairs(pairs: PairFigures) -> dict[str, float | int]:
    """The pair-weighted summary; no pairs are no perfect agreement but `n` 0 and nothing else.

    >>> summarise_pairs(compare_pairs([], []))
    {'n': 0}
    """
    if not len(pairs):
        return {"n": 0}
    return {"n": len(pairs)} | {name: float(_SUMMARY[name](pairs)) for name in _SUMMARY}


def worst_confidence_increase(pairs: PairFigures) -> float:
    """The largest gain of confidence among answers that changed; 0 where none changed or none gained."""
    return float(np.max(pairs.confidence_drift[~pairs.agreement], initial=0.0))


_SUMMARY = {
    "semantic_agreement_rate": lambda pairs: pairs.agreement.mean(),
    "mean_probability_drift": lambda pairs: pairs.mean_probability_drift.mean(),
    "max_probability_drift": lambda pairs: pairs.max_probability_drift.max(),
    "mean_js_divergence": lambda pairs: pairs.js_divergence.mean(),
    "mean_confidence_drift": lambda pairs: pairs.confidence_drift.mean(),
    "mean_absolute_confidence_drift": lambda pairs: np.abs(pairs.confidence_drift).mean(),
    "worst_confidence_increase_on_disagreement": worst_confidence_increase,
}

#: Names of the summary, in the order of the seed.
ROBUSTNESS_METRICS = tuple(_SUMMARY)


def _compare(p: Floats, q: Floats) -> PairFigures:
    """Pairs of one option count, shape (m, k)."""
    drift = np.abs(q - p)
    return PairFigures(
        agreement=p.argmax(axis=1) == q.argmax(axis=1),
        mean_probability_drift=drift.mean(axis=1),
        max_probability_drift=drift.max(axis=1),
        js_divergence=_js_divergence(p, q),
        confidence_drift=q.max(axis=1) - p.max(axis=1),
    )


def _js_divergence(p: Floats, q: Floats) -> Floats:
    """sum over both of x/2 ln(x / m) with m = (p + q) / 2; a probability of 0 adds nothing."""
    middle = (p + q) / 2
    total = np.zeros(len(p))
    for side in (p, q):
        ratio = np.divide(side, middle, out=np.ones_like(side), where=side > 0)
        total += (side * np.log(ratio)).sum(axis=1) / 2
    return np.asarray(np.clip(total, 0.0, np.log(2.0)), dtype=np.float64)


class _Group(NamedTuple):
    """The vectors of one length, float64 (m, k), and where they stand among all."""

    places: list[int]
    vectors: Floats


def _by_length(vectors: Sequence[ArrayLike] | ArrayLike) -> dict[int, _Group]:
    if isinstance(vectors, np.ndarray) and vectors.ndim == 2:
        return {vectors.shape[1]: _Group([*range(len(vectors))], vectors.astype(np.float64))} if len(vectors) else {}
    rows = [floats(vector, "probabilities") for vector in vectors]  # type: ignore[union-attr]
    places: dict[int, list[int]] = {}
    for at, row in enumerate(rows):
        places.setdefault(len(row), []).append(at)
    return {k: _Group(own, np.stack([rows[at] for at in own])) for k, own in places.items()}


def _check_distributions(vectors: Floats, tolerance: float) -> None:
    inside = ((vectors >= -SUM_TOLERANCE) & (vectors <= 1 + SUM_TOLERANCE)).all(axis=1)
    good = inside & (np.abs(vectors.sum(axis=1) - 1.0) <= tolerance)
    if not good.all():
        got = vectors[~good][0].tolist()
        raise ValueError(f"Expected probabilities in [0, 1] with the sum 1, but got {got}")


def _answers(given: ArrayLike | None, groups: dict[int, _Group]) -> NDArray[np.int64]:
    count = sum(len(group.places) for group in groups.values())
    if given is not None:
        answers = integers(given, "answer")
        if len(answers) != count:
            raise ValueError(f"Expected {count} answers, but got {len(answers)}")
        return answers
    answers = np.zeros(count, dtype=np.int64)
    for group in groups.values():
        answers[group.places] = group.vectors.argmax(axis=1)
    return answers


def _none() -> PairFigures:
    empty = np.zeros(0)
    return PairFigures(np.zeros(0, dtype=np.bool_), empty, empty, empty, empty)
