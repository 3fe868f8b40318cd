"""What stands behind each figure of an upstream report, read from its cases: how many answers, which confidences."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from laya_sweep.domain.slices import DIMENSIONS, OVERALL, SlicePlace
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.gates.scorecard import Count, FigureKey
from laya_sweep.metrics.lookup import nature_of
from laya_sweep.metrics.value import not_finite_reason

#: Of confidences alone, right or not.
_OF_CONFIDENCE: Final = frozenset({"mean_confidence"})


def counts_of_cases(cases: Iterable[Any], metrics: Iterable[str]) -> dict[FigureKey, Count]:
    """Counts of every place that the cases belong to.

    A metric of one score an answer counts the answers with a finite score. A confidence metric counts those with
    a finite confidence and a `correct` that is true or false; where it accepts a share of them, also how many
    its threshold accepts: a group of equal confidences is accepted whole.

    Args:
        cases: of the report; what is no case is passed over, as upstream does.
        metrics: names that the report or a policy may ask for.
    """
    wanted = [metric for metric in dict.fromkeys(metrics) if nature_of(metric).of_pairs]
    scored: Counter[FigureKey] = Counter()
    confidences: dict[SlicePlace, list[float]] = defaultdict(list)
    for case in cases:
        if not isinstance(case, Mapping):
            continue
        names = _scored_metrics(case)
        confidence = finite_number(case.get("confidence")) if isinstance(case.get("correct"), bool) else None
        for place in _places(case):
            scored.update(FigureKey(*place, name) for name in names)
            if confidence is not None:
                confidences[place].append(confidence)
    found = {key: Count(n) for key, n in scored.items()}
    for place, values in confidences.items():
        found |= {FigureKey(*place, metric): _count(values, metric) for metric in wanted}
    return found


def confidence_faults(cases: Iterable[Any], figures: Collection[FigureKey]) -> dict[FigureKey, str]:
    """Why figures over confidences mean nothing: some of these are NaN or infinite, which upstream ranks last.

    Args:
        cases: as `counts_of_cases`.
        figures: those that the report has.
    """
    metrics = dict.fromkeys(key.metric for key in figures)
    wanted = [metric for metric in metrics if nature_of(metric).of_pairs or metric in _OF_CONFIDENCE]
    asked: Counter[FigureKey] = Counter()
    faulty: Counter[FigureKey] = Counter()
    for case in cases:
        confidence = case.get("confidence") if isinstance(case, Mapping) else None
        if not isinstance(confidence, float | int) or isinstance(confidence, bool):
            continue
        judged = isinstance(case.get("correct"), bool)
        names = [metric for metric in wanted if judged or metric in _OF_CONFIDENCE]
        keys = [FigureKey(*place, metric) for place in _places(case) for metric in names]
        asked.update(keys)
        if finite_number(confidence) is None:
            faulty.update(keys)
    return {key: not_finite_reason(count, asked[key]) for key, count in faulty.items() if key in figures}


def accepted_answers(confidences: npt.ArrayLike, share: float) -> int:
    """How many answers the threshold accepts that keeps at least `share` of them, ties included; float[n], n > 0.

    >>> accepted_answers([0.9, 0.8, 0.8, 0.1], 0.5), accepted_answers([1.0] * 4, 0.5)
    (3, 4)
    """
    values = np.sort(np.asarray(confidences, dtype=np.float64))[::-1]
    threshold = values[max(1, math.ceil(share * len(values))) - 1]
    return int(np.count_nonzero(values >= threshold))


def _count(confidences: list[float], metric: str) -> Count:
    share = nature_of(metric).share
    return Count(len(confidences), None if share is None else accepted_answers(confidences, share))


def _scored_metrics(case: Mapping[str, Any]) -> list[str]:
    scores = case.get("scores")
    if not isinstance(scores, Mapping):
        return []
    return [name for name, score in scores.items() if not nature_of(name).of_pairs and finite_number(score) is not None]


def _places(case: Mapping[str, Any]) -> Iterator[SlicePlace]:
    """Where a case counts: overall, and once for each of its slice values."""
    yield OVERALL
    for dimension in DIMENSIONS:
        given = case.get("tags") if dimension == "tag" else [case.get(dimension)]
        values = given if isinstance(given, list | tuple) else []
        yield from {SlicePlace(dimension, str(value)) for value in values if value is not None}
