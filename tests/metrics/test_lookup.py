"""What is declared of a metric, by its name."""

import pytest

from laya_sweep.metrics import COVERAGE_METRIC_DEFINITION
from laya_sweep.metrics.catalogue import catalogue
from laya_sweep.metrics.fact_catalogue import CHECK_METRICS, TRUNCATED_SHARE
from laya_sweep.metrics.lookup import nature_of
from laya_sweep.metrics.narrowing import RECALLED, SURVIVED
from laya_sweep.metrics.pair_catalogue import PAIR_METRICS

#: Figures of a report that describe a result without saying how good it is.
DESCRIPTIVE = {
    "abstention_rate",
    "coverage",
    "distinct_predictions",
    "first_option_baseline",
    "majority_baseline",
    "mean_confidence",
    "mean_confidence_drift",
    "noul_first_option_baseline",
    "noul_majority_baseline",
    "score_first_slot_permuted",
    "score_slot0_identical",
}
CATALOGUE = catalogue(
    score_within=(0.25, 1), coverages=(0.5, 0.8, 1.0), min_confidence=(0.5,), flags=(RECALLED, SURVIVED)
)
DECLARED = [*CATALOGUE, *PAIR_METRICS, *CHECK_METRICS, TRUNCATED_SHARE]


def test_every_metric_has_a_direction_or_is_known_to_have_none():
    neither = {metric.name for metric in DECLARED if nature_of(metric.name).better == "neither"}
    assert neither == DESCRIPTIVE, "a new metric: say in its declaration which way is better, or list it here"


@pytest.mark.parametrize(
    "name",
    [
        *("choice_accuracy", "score_within_0.25", "selective_accuracy@80", "macro_f1", "auroc", "noul_label_swap"),
        "shortlist_first_retrieved_accuracy",
    ],
)
def test_more_is_better(name):
    assert nature_of(name).better == "higher"


@pytest.mark.parametrize(
    "name", ["ece", "score_mae", "aurc", "nll", "latency_p95_ms", "mean_js_divergence", "truncated_share"]
)
def test_less_is_better(name):
    assert nature_of(name).better == "lower"


@pytest.mark.parametrize("name", ["made_up", "", "ece2", "accuracy_", "macro_f1_partial", "xselective_accuracy@50"])
def test_an_unknown_name_has_no_direction(name):
    assert nature_of(name).better == "neither"


def test_a_name_is_declared_once_and_found_by_it():
    names = [metric.name for metric in DECLARED if metric.min_confidence is None]
    assert len({*names}) == len(names)
    assert all(nature_of(metric.name).better == metric.better for metric in DECLARED)


def test_the_metrics_that_cut_are_those_whose_definition_changed():
    cut = {metric.name for metric in CATALOGUE if metric.definition == COVERAGE_METRIC_DEFINITION}
    assert cut == {metric.name for metric in CATALOGUE if nature_of(metric.name).cuts}
    assert not nature_of("ece").cuts
    assert not nature_of("auroc").cuts


def test_confidence_metrics_count_pairs_and_timings_end_in_ms():
    assert all(nature_of(name).of_pairs for name in ("ece", "brier", "aurc", "selective_accuracy@50"))
    assert not any(nature_of(name).of_pairs for name in ("choice_accuracy", "mean_confidence", "score_mae"))
    assert nature_of("cost_per_decision_p50_ms").timing
    assert not nature_of("ms").timing


@pytest.mark.parametrize("name", ["selective_accuracy@", "selective_accuracy@0", "selective_accuracy@101", "ece@50"])
def test_what_accepts_no_share(name):
    assert nature_of(name).share is None
    assert nature_of("selective_accuracy@12.5").share == 0.125
