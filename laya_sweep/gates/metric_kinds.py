"""What a gate must know of a metric by its name: which way is better, where it cuts, what its count is."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Direction: TypeAlias = Literal["higher", "lower", "neither"]

#: Metrics of which more is better. A name ending in `@` or `_` is the stem of a family.
_HIGHER: Final = (
    "accuracy",
    "choice_accuracy",
    "noul_accuracy",
    "score_within_",
    "selective_accuracy@",
    "selective_precision",
    "acc_at_50_coverage",
    "auroc",
    "macro_f1",
    "macro_f1_slot",
    "shortlist_recall_at_k",
    "shortlist_accuracy_on_recalled",
    "tournament_survival_rate",
    "tournament_accuracy_on_survivors",
    "semantic_agreement_rate",
    "noul_label_swap",
    "wrong_to_right_rate",
)
_LOWER: Final = (
    "score_mae",
    "ece",
    "brier",
    "nll",
    "aurc",
    "excess_aurc",
    "augrc",
    "clipped_confidences",
    "truncated_share",
    "mean_probability_drift",
    "max_probability_drift",
    "mean_js_divergence",
    "mean_absolute_confidence_drift",
    "worst_confidence_increase_on_disagreement",
    "flip_rate",
    "accuracy_drop",
    "right_to_wrong_rate",
)


def direction(metric: str) -> Direction:
    """Which way is an improvement; "neither" for figures that only describe (or that nobody here knows).

    >>> direction("selective_accuracy@80"), direction("ece"), direction("latency_p50_ms"), direction("mean_confidence")
    ('higher', 'lower', 'lower', 'neither')
    """
    if is_timing(metric) or _is_one_of(metric, _LOWER):
        return "lower"
    return "higher" if _is_one_of(metric, _HIGHER) else "neither"


def is_timing(metric: str) -> bool:
    """Seconds are compared only where somebody names them: a re-run differs by noise."""
    return metric.endswith("_ms")


def is_coverage(metric: str) -> bool:
    """Whether a metric depends on where a coverage cut falls, so that definitions of the cut must agree."""
    return metric in ("aurc", "excess_aurc", "augrc") or metric.startswith("selective_accuracy@")


def is_confidence(metric: str) -> bool:
    """Whether a metric is computed from pairs of confidence and correctness, and not from one score an answer."""
    return is_coverage(metric) or metric in ("ece", "brier")


def coverage_share(metric: str) -> float | None:
    """The share that a selective accuracy accepts, None for all other metrics.

    >>> coverage_share("selective_accuracy@50"), coverage_share("aurc"), coverage_share("selective_accuracy@all")
    (0.5, None, None)
    """
    stem, _, percent = metric.partition("@")
    if stem != "selective_accuracy":
        return None
    try:
        share = float(percent) / 100
    except ValueError:
        return None
    return share if 0.0 < share <= 1.0 else None


def _is_one_of(metric: str, names: tuple[str, ...]) -> bool:
    return any(metric == name or (name[-1] in "@_" and metric.startswith(name)) for name in names)
