"""The interval of a figure or the one reason for its absence, of whatever it is a figure."""

import numpy as np
import pytest

from laya_sweep.metrics import Measure, replicate_weights, wilson
from laya_sweep.metrics.draws import Draws
from laya_sweep.metrics.limits import Limits, limits_of
from laya_sweep.metrics.metric import Metric
from laya_sweep.metrics.source_means import SourceMeans

DECISION = Metric("m")
PAIR = Metric("m", unit="pair")
SHARE = Metric("m", unit="pair", proportion=True)
COUNT = Metric("m", no_interval="a count")
EXTREME = Metric("m", no_interval="no draw beyond it", none_of_any=True)


@pytest.mark.parametrize(
    ("metric", "n", "clusters", "given", "reason"),
    [
        (DECISION, 1, 1, {}, "one decision"),
        (PAIR, 1, 1, {}, "one pair"),
        (PAIR, 5, 1, {}, "one cluster"),
        (COUNT, 1, 1, {}, "one decision"),
        (COUNT, 5, 3, {}, "a count"),
        (EXTREME, 1, 1, {}, "no draw beyond it"),
        (SHARE, 5, 3, {"trials": 0.0}, "no independent pairs"),
        (DECISION, 5, 3, {}, "no bootstrap replicates were asked for"),
        (SHARE, 5, 3, {}, "no bootstrap replicates were asked for"),
        (DECISION, 5, 3, {"draws": "all 3 states give the same value"}, "all 3 states give the same value"),
        (DECISION, 5, 3, {"draws": Draws(np.array([0.5, np.nan]))}, "1 of 2 replicates have no value"),
    ],
)
def test_the_first_reason_there_is(metric, n, clusters, given, reason):
    value = 0.0 if "trials" in given else 0.5
    assert limits_of(metric, Measure(value, n), clusters, **given) == (None, None, f"no interval: {reason}")


def test_without_a_value_its_own_reason():
    assert limits_of(EXTREME, Measure.missing(0, "no pairs"), 0) == (None, None, "no pairs")


def test_a_proportion_has_wilsons_interval_and_all_else_that_of_its_draws():
    assert limits_of(SHARE, Measure(0.5, 8), 4, trials=4.0) == Limits(*wilson(2.0, 4.0), None)
    found = limits_of(DECISION, Measure(50.0, 8), 4, draws=Draws(np.arange(101.0)), confidence=0.9)
    assert found == pytest.approx((5.0, 95.0, None))


def test_means_over_sources_are_those_of_repeated_rows():
    rng = np.random.default_rng(1)
    terms, code = rng.normal(0, 1, (60, 2)), np.arange(60) // 4
    some = code < 2
    sums = np.stack([np.bincount(code, weights=t, minlength=15) for t in (*terms.T, terms[:, 0] * some)], axis=1)
    counts = np.stack([np.bincount(code), np.bincount(code[some], minlength=15)], axis=1).astype(float)
    together = SourceMeans(sums, counts, np.array([0, 0, 1])).replicates(40, 7)
    alone = SourceMeans(sums[:, 1], counts[:, 0]).replicates(40, 7)
    for at in range(40):
        rows = np.repeat(np.arange(60), replicate_weights(15, 7, at)[code])
        assert together[at, :2] == pytest.approx(terms[rows].mean(axis=0), abs=1e-12)
        assert alone[at] == pytest.approx(together[at, 1], abs=1e-12)
        drawn = terms[rows[some[rows]], 0]
        assert together[at, 2] == pytest.approx(drawn.mean() if len(drawn) else np.nan, abs=1e-12, nan_ok=True)
    assert np.isnan(together[:, 2]).any()
