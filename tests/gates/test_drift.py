"""The one rule of how far is too far."""

import math

import pytest

from laya_sweep.domain.tolerance import SLACK, finite_number, within
from laya_sweep.gates.mode import mode_of, slack_of
from laya_sweep.gates.scorecard import Scorecard

EQUAL = [(0.82 - 0.80, 0.02), (0.80 - 0.78, 0.02), (0.3 - 0.1, 0.2), (0.7 + 0.1 - 0.7, 0.1), (100.1 - 100, 0.1)]


@pytest.mark.parametrize(("drift", "limit"), EQUAL)
def test_a_drift_that_equals_its_limit_by_arithmetic_passes(drift, limit):
    assert within(drift, limit)


def test_a_real_excess_fails_and_exact_means_exact():
    assert not within(0.0200001, 0.02)
    assert not within(1e-11, 0.0)
    assert within(0.5e-12, 0.0)
    assert not within(0.80 - 0.78, 0.02, slack=0.0)
    assert within(0.02, 0.02, slack=0.0)


@pytest.mark.parametrize("drift", [math.nan, math.inf])
def test_what_is_no_number_never_passes(drift):
    assert not within(drift, 1e308)
    assert not within(0.0, math.nan)


def test_rounding_has_room_in_strict_mode_alone():
    assert (slack_of("strict"), slack_of("compatible")) == (SLACK, 0.0)


def test_strict_is_the_default_where_all_sides_are_ours():
    ours, other = Scorecard("a", ours=True), Scorecard("b")
    assert mode_of(None, ours, None) == mode_of(None, ours, ours) == "strict"
    assert mode_of(None, ours, other) == mode_of(None, other, ours) == mode_of(None, other, None) == "compatible"
    assert mode_of("compatible", ours, ours) == "compatible"
    assert mode_of("strict", other, other) == "strict"


@pytest.mark.parametrize("value", [True, False, None, "1", math.nan, math.inf, -math.inf, 10**400, [1], 1 + 0j])
def test_what_no_finite_number_is(value):
    assert finite_number(value) is None


def test_whole_numbers_are_numbers():
    assert [finite_number(value) for value in (0, -3, 0.5)] == [0.0, -3.0, 0.5]
