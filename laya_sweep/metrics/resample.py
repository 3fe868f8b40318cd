"""Metrics of bootstrap replicates, from weights, without recomputing a metric per replicate."""

from __future__ import annotations

from collections.abc import Sequence

from laya_sweep.metrics.bootstrap import Draws
from laya_sweep.metrics.catalogue import Metric
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.value import Measure


def resample(
    views: Sequence[SliceView],
    metrics: Sequence[Metric],
    measures: Sequence[Sequence[Measure]],
    replicates: int,
    seed: int,
) -> list[list[Draws | None]]:
    """The replicates of each metric of each slice."""
    return [[None] * len(metrics) for _ in views]
