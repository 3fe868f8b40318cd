"""Every metric of the facts themselves: what logits and token counts tell without a decision.

Whoever reads the facts computes them (`results`); here stands what they are.
"""

from __future__ import annotations

from typing import Final

from laya_sweep.metrics.metric import Metric

#: Share of the answered cases of which a part of the state was not read, for any of their questions or variants.
TRUNCATED_SHARE: Final = Metric(
    "truncated_share",
    unit="case",
    better="lower",
    proportion=True,
    no_interval="a count of what was asked, not an estimate",
    none_of_any=True,
)

#: The presentation checks, each the mean of its readings over states and configurations.
CHECK_METRICS: Final = (
    Metric("score_slot0_identical", unit="reading"),
    Metric("score_first_slot_permuted", unit="reading"),
    Metric("noul_label_swap", unit="reading", better="higher"),
)


def check_metric(check: str) -> Metric:
    """The metric of a check by its name; one that is not declared here has no better way."""
    return next((metric for metric in CHECK_METRICS if metric.name == check), Metric(check, unit="reading"))
