"""Scorecards for tests: two results of ours over the same measurement, with what a test changes."""

from __future__ import annotations

from dataclasses import replace

from laya_sweep.domain.slices import OVERALL
from laya_sweep.gates.scorecard import Count, FigureKey, Scorecard
from laya_sweep.metrics import Interval

IDENTITY = {"schema": "laya-evals-report/1", "dataset_sha256": "d" * 64, "questions_sha256": "q" * 64}
OVERALL_FIGURES = {"choice_accuracy": 0.8, "ece": 0.1, "mean_confidence": 0.9, "selective_accuracy@50": 0.9}
ZH = {"choice_accuracy": 0.7, "ece": 0.2, "mean_confidence": 0.8, "selective_accuracy@50": 0.75}


def key(metric, dimension="overall", value=""):
    return FigureKey(dimension, value, metric)


def ours(name="run", overall=OVERALL_FIGURES, zh=ZH, **changes):
    """A result of ours: 100 answers, 50 of them in Chinese."""
    counts = {key(metric): Count(100) for metric in overall}
    counts |= {key(metric, "language", "zh"): Count(50) for metric in zh}
    counts[key("selective_accuracy@50")] = Count(100, 61)
    counts[key("selective_accuracy@50", "language", "zh")] = Count(50, 26)
    card = Scorecard(
        name,
        overall=overall,
        slices={"language": {"zh": zh}},
        counts=counts,
        intervals={key("choice_accuracy", "language", "zh"): Interval(0.5623, 0.8090)},
        identity=IDENTITY,
        coverage_metric_definition=2,
        min_confidence=None,
        asked=100,
        ours=True,
    )
    return replace(card, **changes)


def with_overall(card, **figures):
    return replace(card, overall={**card.overall, **figures})


def only(verdict, metric, place=OVERALL):
    """The one baseline, threshold or policy check of a figure."""
    [found] = [check for check in verdict.checks if check.figure == FigureKey(*place, metric)]
    return found
