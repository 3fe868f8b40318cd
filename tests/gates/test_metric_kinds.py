"""What a gate knows of a metric by its name."""

import pytest

from laya_sweep.gates.metric_kinds import coverage_share, direction, is_confidence, is_coverage, is_timing
from laya_sweep.metrics import COVERAGE_METRIC_DEFINITION
from laya_sweep.metrics.catalogue import catalogue

#: Figures of a report that describe a result without saying how good it is.
DESCRIPTIVE = {
    "abstention_rate",
    "coverage",
    "distinct_predictions",
    "first_option_baseline",
    "majority_baseline",
    "mean_confidence",
    "noul_first_option_baseline",
    "noul_majority_baseline",
}
CATALOGUE = catalogue(score_within=(0.25, 1), coverages=(0.5, 0.8, 1.0), min_confidence=(0.5,))


def test_every_metric_has_a_direction_or_is_known_to_have_none():
    neither = {metric.name for metric in CATALOGUE if direction(metric.name) == "neither"}
    assert neither == DESCRIPTIVE, "a new metric: say in gates/metric_kinds.py which way is better, or list it here"


@pytest.mark.parametrize("name", ["choice_accuracy", "score_within_0.25", "selective_accuracy@80", "macro_f1", "auroc"])
def test_more_is_better(name):
    assert direction(name) == "higher"


@pytest.mark.parametrize("name", ["ece", "score_mae", "aurc", "nll", "latency_p95_ms", "mean_js_divergence"])
def test_less_is_better(name):
    assert direction(name) == "lower"


@pytest.mark.parametrize("name", ["made_up", "", "ece2", "accuracy_", "macro_f1_partial", "xselective_accuracy@50"])
def test_an_unknown_name_has_no_direction(name):
    assert direction(name) == "neither"


def test_the_metrics_that_cut_are_those_whose_definition_changed():
    cut = {metric.name for metric in CATALOGUE if metric.definition == COVERAGE_METRIC_DEFINITION}
    assert cut == {metric.name for metric in CATALOGUE if is_coverage(metric.name)}
    assert not is_coverage("ece")
    assert not is_coverage("auroc")


def test_confidence_metrics_count_pairs_and_timings_end_in_ms():
    assert all(is_confidence(name) for name in ("ece", "brier", "aurc", "selective_accuracy@50"))
    assert not any(is_confidence(name) for name in ("choice_accuracy", "mean_confidence", "score_mae"))
    assert is_timing("cost_per_decision_p50_ms")
    assert not is_timing("ms")


@pytest.mark.parametrize("name", ["selective_accuracy@", "selective_accuracy@0", "selective_accuracy@101", "ece@50"])
def test_what_accepts_no_share(name):
    assert coverage_share(name) is None
    assert coverage_share("selective_accuracy@12.5") == 0.125
