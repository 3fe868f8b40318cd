"""Scorecards from upstream reports and bare maps."""

import json
import math

import pytest
from gate_cards import IDENTITY, key

from laya_sweep import compare
from laya_sweep.documents.scorecards import read_scorecard, scorecard_of
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.errors import UsageError
from laya_sweep.gates.scorecard import UNKNOWN, Count
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.judging.functions import judge

PAIRED = ("ece", "selective_accuracy@50")


def case(confidence=0.9, correct=True, language="en", tags=(), **scores):
    return {
        "qid": "intent",
        "language": language,
        "model": "english",
        "tags": list(tags),
        "confidence": confidence,
        "correct": correct,
        "scores": {"choice_accuracy": 1.0, **scores},
    }


def report(*cases, **changes):
    figures = {"choice_accuracy": 0.8, "ece": 0.1, "selective_accuracy@50": 0.9}
    document = {
        "config": {**IDENTITY, "coverage_metric_definition": 2, "timing": {"min_confidence": 0.7}},
        "overall": figures,
        "slices": {"language": {"en": figures}},
        "cases": [*cases],
    }
    return {**document, **changes}


def test_a_report_says_what_it_measured():
    card = scorecard_of(report(case()), "baseline", name="b.json")
    assert card.name == "b.json"
    assert dict(card.identity) == IDENTITY
    assert card.coverage_metric_definition == 2
    assert card.min_confidence == 0.7
    assert (card.errored, card.asked, card.ours, card.recorded_policy) == (0, 1, False, None)


def test_identity_may_stand_at_the_top_and_config_wins():
    document = {"schema": "act/1", "dataset_sha256": "top", **report(config={"dataset_sha256": "inside"})}
    assert dict(scorecard_of(document).identity) == {"schema": "act/1", "dataset_sha256": "inside"}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"timing": {"min_confidence": None}}, None),
        ({"timing": {"min_confidence": 0.0}}, 0.0),
        ({"timing": {"min_confidence": {"choice:2": 0.5}}}, BucketThresholds.of({"choice:2": 0.5})),
        ({"timing": {"min_confidence": {"choice": 0.5}}}, {"choice": 0.5}),
        ({"timing": {}}, UNKNOWN),
        ({"timing": None}, UNKNOWN),
        ({}, UNKNOWN),
        (None, UNKNOWN),
    ],
)
def test_none_and_not_recorded_are_two_thresholds(config, expected):
    assert scorecard_of(report(config=config)).min_confidence == expected


def test_counts_are_of_answers_scored_for_the_metric():
    cases = [
        case(0.9, True),
        case(0.9, False, score_mae=0.5),
        case(0.5, None, language=None),
        case(math.nan, True, language="de"),
        case("0.5", True, language="de"),
        case(0.4, 1, tags=("vip", "vip")),
        case(True, True, choice_accuracy=None),
        case(0.7, True, choice_accuracy=math.inf),
        None,
        "text",
        {"scores": None, "tags": "vip"},
    ]
    counts = scorecard_of(report(*cases)).counts
    assert counts[key("choice_accuracy")] == Count(6)
    assert counts[key("score_mae")] == Count(1)
    assert counts[key("ece")] == Count(3)
    assert counts[key("selective_accuracy@50")] == Count(3, 2)
    assert counts[key("choice_accuracy", "language", "de")] == Count(2)
    assert key("ece", "language", "de") not in counts
    assert counts[key("choice_accuracy", "tag", "vip")] == Count(1)
    assert not any(found.value in ("None", "v") for found in counts)


def test_a_tie_group_at_the_cut_is_accepted_whole():
    cases = [case(confidence) for confidence in (0.9, 0.8, 0.8, 0.8, 0.1)]
    assert scorecard_of(report(*cases)).counts[key("selective_accuracy@50")] == Count(5, 4)


def test_a_slice_figure_that_is_no_number_has_no_value():
    broken = {"language": {"en": {"ece": None, "brier": True, "aurc": "0.1", "nll": math.nan, "choice_accuracy": 1}}}
    card = scorecard_of(report(slices=broken))
    assert card.slices == {"language": {"en": {"choice_accuracy": 1.0}}}


@pytest.mark.parametrize("slices", [None, [], "x", 3, {"language": None}, {"language": {"en": []}}])
def test_slices_of_another_shape_are_no_slices(slices):
    assert scorecard_of(report(slices=slices)).slices == {}


@pytest.mark.parametrize(
    ("errored", "count"), [(None, 0), ([], 0), ([{"index": 1}] * 3, 3), ("yes", 1), (0, 0), (5, 1), ({"a": 1}, 1)]
)
def test_errored_cases_are_counted(errored, count):
    config = {"errored": errored}
    assert scorecard_of(report(case(), config=config)).errored == count


BAD_FIGURES = ["0.8", None, True, [0.8], {"value": 0.8}, 10**400]
BAD_DOCUMENTS = [None, [], [1], "text", 3, True]


@pytest.mark.parametrize("value", BAD_FIGURES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "shape", [lambda figures: figures, lambda figures: report(overall=figures)], ids=["bare", "report"]
)
def test_a_figure_that_is_no_number_is_a_usage_error(value, shape):
    with pytest.raises(UsageError, match="choice_accuracy: expected a number") as raised:
        scorecard_of(shape({"choice_accuracy": value, "ece": 0.1}))
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("document", BAD_DOCUMENTS, ids=repr)
def test_what_is_no_object_is_a_usage_error(document):
    with pytest.raises(UsageError, match="baseline: expected an object"):
        scorecard_of(document)
    with pytest.raises(UsageError, match="baseline overall: expected an object"):
        scorecard_of({"overall": document})


@pytest.mark.parametrize("document", [{}, {"config": {}}, {"overall": {}}, {"slices": {}, "cases": []}])
def test_nothing_measured_is_an_empty_candidate_and_no_baseline(document):
    assert scorecard_of(document).overall == {}
    assert compare(document, {"ece": 0.1}).exit_code == 1
    with pytest.raises(UsageError, match="figures to compare with"):
        compare({"ece": 0.1}, document)


def test_a_bare_map_is_its_overall_figures():
    card = scorecard_of({"choice_accuracy": 1, "ece": float("nan")})
    assert card.overall["choice_accuracy"] == 1.0
    assert math.isnan(card.overall["ece"])
    assert (card.identity, card.min_confidence) == ({}, UNKNOWN)


def test_a_file_names_itself(tmp_path):
    path = tmp_path / "base.json"
    path.write_text(json.dumps(report(case())), "utf-8")
    assert read_scorecard(path).name == str(path)
    path.write_text("[1]", "utf-8")
    with pytest.raises(UsageError, match=f"candidate {path}: expected an object"):
        read_scorecard(path, "candidate")


def test_paths_values_and_scorecards_are_judged_alike(tmp_path):
    path = tmp_path / "base.json"
    path.write_text(json.dumps(report(case())), "utf-8")
    for baseline in (path, str(path), report(case()), read_scorecard(path)):
        assert compare(report(case()), baseline, mode="strict").passed


def half_known(**changes):
    """A report of 8 answers, 4 of them without a finite confidence."""
    cases = [case(math.nan if at % 2 else 0.9, correct=at < 4, language="de" if at < 6 else "en") for at in range(8)]
    return report(*cases, slices={"language": {"de": {"ece": 0.1}, "en": {"choice_accuracy": 0.8}}}, **changes)


def test_strict_mode_withholds_what_a_nan_confidence_touches():
    card = scorecard_of(half_known())
    assert card.doubtful == {
        key("ece"): "4 of 8 confidences are not finite",
        key("selective_accuracy@50"): "4 of 8 confidences are not finite",
        key("ece", "language", "de"): "3 of 6 confidences are not finite",
    }
    limits = Thresholds.of(minimum={"choice_accuracy": 0.8}, maximum={"ece": 0.9})
    assert judge(card, thresholds=limits).passed
    accuracy, calibration = judge(card, thresholds=limits, mode="strict").checks
    assert (accuracy.passed, calibration.passed) == (True, False)
    assert "ece has no value for max 0.9: 4 of 8 confidences are not finite" in calibration.message


def test_strict_mode_fails_on_a_doubtful_figure_of_the_baseline_and_compatible_mode_compares_it():
    whole = scorecard_of(report(*(case() for _ in range(8))))
    strict = compare(whole, half_known(), mode="strict")
    failed = {check.figure.metric: check.message for check in strict.checks if not check.passed}
    assert {*failed} == {"ece", "selective_accuracy@50"}
    assert "baseline has no value: 4 of 8 confidences are not finite" in failed["ece"]
    assert compare(whole, half_known(), mode="compatible").passed


def test_a_mean_confidence_is_doubtful_by_answers_that_are_neither_right_nor_wrong_too():
    document = report(case(math.nan, correct=None), case(), overall={"mean_confidence": 0.9, "ece": 0.1})
    assert [*scorecard_of(document).doubtful] == [key("mean_confidence")]
    assert not scorecard_of(report(case(None), case())).doubtful
