"""Predictions of the same cases shown in several ways -> what a transform moves, and how right each way is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from laya_sweep.domain.settings import BASELINE
from laya_sweep.metamorphic.case import LABEL_RENAME, OPTION_ORDER
from laya_sweep.metamorphic.prediction import SUM_TOLERANCE, Prediction
from laya_sweep.metrics.calibration import ece
from laya_sweep.metrics.robustness import PairFigures, compare_pairs, summarise_pairs

#: Groups that every report has, also where nothing is in them.
GROUPS = (OPTION_ORDER, LABEL_RENAME)


@dataclass(frozen=True, slots=True)
class VariantResults:
    """One case: the prediction as it stands, and one for each variant in their order."""

    baseline: Prediction
    variants: tuple[Prediction, ...]


def compare_predictions(baseline: Prediction, variants: Sequence[Prediction]) -> dict[str, Any]:
    """The report of one case; see `report_of`."""
    return report_of([VariantResults(baseline, tuple(variants))])


def report_of(results: Sequence[VariantResults]) -> dict[str, Any]:
    """What each transform moves, by group, and `overall` over all pairs alike; `quality` on labelled cases alone.

    An empty group says `n: 0`, one without labels `n_labelled: 0`, and neither says more.
    """
    names = dict.fromkeys([*GROUPS, *(variant.variant.transform for one in results for variant in one.variants)])
    pairs = {name: _pairs(results, name) for name in names}
    quality = {BASELINE: _quality([one.baseline for one in results])}
    shown = [variant for one in results for variant in one.variants]
    quality |= {name: _quality([one for one in shown if one.variant.transform == name]) for name in names}
    return {
        **{name: summarise_pairs(own) for name, own in pairs.items()},
        "overall": summarise_pairs(PairFigures.concat(pairs.values())),
        "quality": quality,
    }


def comparison_document(baseline: Prediction, variant: Prediction) -> dict[str, Any]:
    """One pair as JSON values."""
    pair = compare_pairs([baseline.probabilities], [variant.probabilities], tolerance=SUM_TOLERANCE)
    return {
        "semantic_agreement": bool(pair.agreement[0]),
        "mean_probability_drift": float(pair.mean_probability_drift[0]),
        "max_probability_drift": float(pair.max_probability_drift[0]),
        "js_divergence": float(pair.js_divergence[0]),
        "confidence_drift": float(pair.confidence_drift[0]),
    }


def _pairs(results: Sequence[VariantResults], name: str) -> PairFigures:
    found = [
        (one.baseline, variant) for one in results for variant in one.variants if variant.variant.transform == name
    ]
    before, after = ([pair[side].probabilities for pair in found] for side in (0, 1))
    return compare_pairs(before, after, tolerance=SUM_TOLERANCE)


def _quality(predictions: Sequence[Prediction]) -> dict[str, Any]:
    labelled = [prediction for prediction in predictions if prediction.correct is not None]
    if not labelled:
        return {"n_labelled": 0}
    right = [bool(prediction.correct) for prediction in labelled]
    return {
        "n_labelled": len(labelled),
        "accuracy": sum(right) / len(right),
        "ece": ece([prediction.confidence for prediction in labelled], right),
    }
