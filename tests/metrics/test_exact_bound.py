"""The exact lower bound against scipy, and at its ends."""

from __future__ import annotations

import pytest
from scipy.stats import beta, binom

from laya_sweep.metrics.exact_bound import exact_lower_bound, fewest_trials


@pytest.mark.parametrize("n", [1, 2, 7, 30, 299, 5000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9975])
def test_it_is_clopper_and_pearson_s(n, confidence):
    for successes in {1, n // 3 + 1, n // 2 + 1, n - n // 20, n}:
        if 1 <= successes <= n:
            expected = beta.ppf(1 - confidence, successes, n - successes + 1)
            assert exact_lower_bound(successes, n, confidence) == pytest.approx(expected, abs=1e-10)


def test_nothing_seen_promises_nothing():
    assert exact_lower_bound(0, 0) == exact_lower_bound(0, 50) == 0.0


@pytest.mark.parametrize(("n", "p"), [(40, 0.9), (150, 0.8)])
def test_its_coverage_is_never_below_its_level(n, p):
    missed = sum(binom.pmf(k, n, p) for k in range(n + 1) if exact_lower_bound(k, n, 0.95) > p)
    assert 0.0 < missed <= 0.05


def test_the_fewest_trials_are_the_fewest():
    for target, level in ((0.9, 0.95), (0.5, 0.9975), (0.99, 0.99)):
        n = fewest_trials(target, level)
        assert exact_lower_bound(n, n, level) >= target > exact_lower_bound(n - 1, n - 1, level)


@pytest.mark.parametrize("wrong", [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0), (1, 2, 0.0)])
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(ValueError, match="Expected"):
        exact_lower_bound(*wrong)
