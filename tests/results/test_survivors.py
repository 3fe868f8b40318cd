"""Figures over the languages that ran never stand under the name of the whole."""

from laya_sweep.metrics import MetricRow
from laya_sweep.results.survivors import withheld


def row(dimension, value, metric, figure, threshold=None, reason=None):
    return MetricRow(dimension, value, threshold, metric, 1, figure, 4, 3, 0.1, 0.9, reason)


ROWS = [
    row("overall", "", "ece", 0.5),
    row("overall", "", "coverage", 0.25, threshold=0.9),
    row("tag", "new", "ece", 0.5),
    row("overall", "", "noul_accuracy", None, reason="no labelled noul answers"),
    row("language", "de", "ece", 0.5),
    row("macro:language", "", "ece", None, reason="incomplete"),
    row("macro:language", "", "ece_partial", 0.5),
]


def test_what_pools_languages_has_no_value_and_the_survivors_stand_under_a_name_of_their_own():
    found = withheld(ROWS, {"en"}, 2)
    by_name = {(one.slice_dimension, one.metric, one.min_confidence): one for one in found}
    assert len(by_name) == len(found) == len(ROWS) + 3
    for dimension, metric, threshold, value in (
        ("overall", "ece", None, 0.5),
        ("overall", "coverage", 0.9, 0.25),
        ("tag", "ece", None, 0.5),
    ):
        whole, part = by_name[dimension, metric, threshold], by_name[dimension, f"{metric}_partial", threshold]
        assert (whole.value, whole.low, whole.high, whole.n) == (None, None, None, 4)
        assert whole.reason == "incomplete: 1 of 2 languages have no figures: en"
        assert (part.value, part.low, part.high, part.reason) == (value, 0.1, 0.9, None)
    assert [one for one in found if one.slice_dimension in ("language", "macro:language")] == ROWS[-3:]
    assert ("overall", "noul_accuracy_partial", None) not in by_name


def test_a_whole_result_is_left_as_it_is():
    assert withheld(ROWS, (), 2) == ROWS


def test_many_languages_are_counted_and_not_listed():
    reason = withheld(ROWS, {f"l{i:02}" for i in range(12)}, 13)[0].reason
    assert reason == "incomplete: 12 of 13 languages have no figures: " + ", ".join(f"l{i:02}" for i in range(10)) + (
        " and 2 more"
    )
