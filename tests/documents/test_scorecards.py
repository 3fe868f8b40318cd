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
