"""Scores of presented cases -> predictions in canonical order; every answer of a scorer is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from laya_sweep.metamorphic.case import Input, MetamorphicCase, MetamorphicVariant

#: A batch of inputs -> one probability vector each, in the order in which the shown question names its options.
Scorer: TypeAlias = Callable[[Sequence[Input]], Iterable[ArrayLike]]

#: How far the sum of a vector may be from 1: probabilities of four decimals over 20 options come this far.
SUM_TOLERANCE = 2e-3


@dataclass(frozen=True, slots=True)
class Prediction:
    """The answer to one way of showing a case.

    Attributes:
        variant: what was shown.
        probabilities: float64[k] in canonical order, as the scorer gave them.
        index, label: of the answer, canonical; an exact tie goes to the first canonical option.
        confidence: the answer's probability.
        correct: whether it is the gold option; None without one.
    """

    variant: MetamorphicVariant
    probabilities: NDArray[np.float64]
    index: int
    label: str
    confidence: float
    correct: bool | None

    def document(self) -> dict[str, Any]:
        """As JSON values, unrounded, by the names of the exported document."""
        return {
            "kind": self.variant.transform,
            "presented_options": list(self.variant.presented_keys),
            "canonical_indices": list(self.variant.canonical_indices),
            "canonical_to_transformed": self.variant.canonical_to_transformed,
            "transformed_to_canonical": self.variant.transformed_to_canonical,
            "probabilities": self.probabilities.tolist(),
            "pred_index": self.index,
            "pred_label": self.label,
            "confidence": self.confidence,
            "correct": self.correct,
        }


def predict(
    shown: Sequence[tuple[MetamorphicCase, MetamorphicVariant]], scorer: Scorer, batch_size: int
) -> list[Prediction]:
    """A prediction for each shown case, asked in batches of up to `batch_size`.

    Raises:
        ValueError: the scorer gave another number of vectors, or one that is no distribution over the options.
    """
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise ValueError(f"Expected `batch_size` to be a whole number of at least 1, but got {batch_size!r}")
    found = []
    for start in range(0, len(shown), batch_size):
        batch = shown[start : start + batch_size]
        vectors = list(scorer([variant.input for _, variant in batch]))
        if len(vectors) != len(batch):
            raise ValueError(f"Expected {len(batch)} probability vectors from the scorer, but got {len(vectors)}")
        found += [_prediction(*pair, vector) for pair, vector in zip(batch, vectors, strict=True)]
    return found


def _prediction(case: MetamorphicCase, variant: MetamorphicVariant, vector: ArrayLike) -> Prediction:
    places = list(variant.canonical_indices)
    given = np.asarray(vector, dtype=np.float64)
    _check(given, len(places), variant)
    canonical = np.empty_like(given)
    canonical[places] = given
    index = int(canonical.argmax())
    return Prediction(
        variant=variant,
        probabilities=canonical,
        index=index,
        label=case.canonical_keys[index],
        confidence=float(canonical[index]),
        correct=None if case.gold_index is None else index == case.gold_index,
    )


def _check(vector: NDArray[np.float64], options: int, variant: MetamorphicVariant) -> None:
    good = vector.shape == (options,) and bool(np.isfinite(vector).all())
    if good and vector.min() >= 0.0 and abs(float(vector.sum()) - 1.0) <= SUM_TOLERANCE:
        return
    shown = ", ".join(variant.presented_keys)
    raise ValueError(f"Expected {options} probabilities with the sum 1, for {shown:.200}, but got {vector!r:.300}")
