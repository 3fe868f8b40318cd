"""Limits a person wrote."""

import json
import math

import pytest

from laya_sweep.errors import UsageError
from laya_sweep.gates.limits import limits, limits_from_words, read_limits, tolerances

BAD = [math.inf, -math.inf, math.nan, True, False, "0.1", None, [0.1], {"a": 1}, 10**400]


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_a_limit_that_could_not_fail_or_not_pass_is_refused(value):
    with pytest.raises(UsageError, match=r"gate\.min ece: expected a finite number") as raised:
        limits({"ece": value, "choice_accuracy": 0.5}, "gate.min")
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("given", [[], "ece=1", 0, True, 0.5])
def test_what_is_no_map_is_refused(given):
    with pytest.raises(UsageError, match="expected a map of metric to number"):
        limits(given, "gate.min")


def test_every_fault_is_named_at_once():
    with pytest.raises(UsageError) as raised:
        limits({"a": "x", "b": 1, "": 2, 3: 4, "c": None}, "gate.max")
    assert len(raised.value.problems) == 4


def test_nothing_is_the_empty_map_and_whole_numbers_are_fine():
    assert limits(None, "x") == {} == limits({}, "x")
    assert limits({"latency_p50_ms": 30, "ece": -1}, "x") == {"latency_p50_ms": 30.0, "ece": -1.0}


def test_a_negative_tolerance_is_refused_in_strict_mode():
    assert tolerances({"ece": -0.1}, "compatible") == {"ece": -0.1}
    with pytest.raises(UsageError, match="tolerance ece: expected a number of at least 0"):
        tolerances({"ece": -0.1}, "strict")


def test_tolerances_come_from_a_file_too(tmp_path):
    path = tmp_path / "tolerances.json"
    path.write_text('{"choice_accuracy": 0.02, "selective_accuracy@50": 0}', "utf-8")
    assert read_limits(path, "tolerance") == {"choice_accuracy": 0.02, "selective_accuracy@50": 0.0}


@pytest.mark.parametrize("value", [[], None, "x", 1, {"ece": float("inf")}, {"ece": True}, {"ece": {"max": 1}}])
def test_a_file_of_something_else_is_refused(value, tmp_path):
    path = tmp_path / "tolerances.json"
    path.write_text(json.dumps(value), "utf-8")
    with pytest.raises(UsageError, match="tolerance file"):
        read_limits(path, "tolerance")


def test_words_of_a_command_line():
    assert limits_from_words(["a=1", "selective_accuracy@50=0.9", " b =1e-3"], "--min") == {
        "a": 1.0,
        "selective_accuracy@50": 0.9,
        "b": 0.001,
    }


@pytest.mark.parametrize("word", ["", "a", "=1", "a=", "a=x", "a=nan", "a=inf", "a=1e999", "a=1=2", "a=0x1", " =1"])
def test_a_word_of_another_form_is_refused(word):
    with pytest.raises(UsageError, match="--tolerance: expected METRIC=NUMBER"):
        limits_from_words(["b=1", word], "--tolerance")


def test_two_words_for_one_metric_are_refused():
    with pytest.raises(UsageError, match="--max ece: expected one limit, got two"):
        limits_from_words(["ece=1", "ece=0.1"], "--max")
