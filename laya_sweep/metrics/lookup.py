"""The nature of a metric by its name, as reports, policies and tolerances name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from laya_sweep.metrics.catalogue import catalogue
from laya_sweep.metrics.fact_catalogue import CHECK_METRICS, TRUNCATED_SHARE
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.narrowing import RECALLED, SURVIVED
from laya_sweep.metrics.nature import Nature
from laya_sweep.metrics.pair_catalogue import PAIR_METRICS

_TIMING: Final = Nature(better="lower", timing=True)
_UNKNOWN: Final = Nature()


def nature_of(metric: str) -> Nature:
    """What is declared of a metric, of a family that its name belongs to, or nothing for a name nobody knows.

    >>> nature_of("selective_accuracy@80").share, nature_of("ece").better, nature_of("latency_p50_ms").better
    (0.8, 'lower', 'lower')
    >>> nature_of("mean_confidence").better, nature_of("made_up").better
    ('neither', 'neither')
    """
    if metric.endswith("_ms"):
        return _TIMING
    stem, at, percent = metric.partition("@")
    if stem == "selective_accuracy" and at:
        return replace(_declared()["selective_accuracy@50"], share=_share(percent))
    if metric.startswith("score_within_"):
        return _declared()["score_within_1"]
    return _declared().get(metric, _UNKNOWN)


@cache
def _declared() -> Mapping[str, Nature]:
    decisions = catalogue(score_within=(1,), min_confidence=(0.0,), flags=(RECALLED, SURVIVED))
    metrics: list[Metric] = [*decisions, *PAIR_METRICS, *CHECK_METRICS, TRUNCATED_SHARE]
    return {metric.name: metric for metric in metrics}


def _share(percent: str) -> float | None:
    try:
        share = float(percent) / 100
    except ValueError:
        return None
    return share if 0.0 < share <= 1.0 else None
