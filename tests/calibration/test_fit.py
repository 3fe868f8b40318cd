"""Fitted temperatures and bins, against the runtime's own fitter, known answers and degenerate rows."""

from __future__ import annotations

import numpy as np
import pytest

from laya_sweep.calibration.fit import Floors, LabelledRow, fit_map, fit_temperature, mean_nll
from laya_sweep.calibration.stored import _target_vector
from laya_sweep.domain.question import Target
from laya_sweep.domain.thresholds import BUCKETS
from laya_sweep.scoring.probability import softmax

SERVED = {bucket: 0.5 + i / 10 for i, bucket in enumerate(BUCKETS)}


def row(kind, logits, target, i=0):
    logits = np.asarray(logits, dtype=np.float32)
    vector = np.eye(len(logits))[target] if isinstance(target, int) else np.asarray(target, dtype=np.float64)
    gold = target if isinstance(target, int) else None
    return LabelledRow("en", str(i), "d" * 64, kind, len(logits), logits, tuple(range(len(logits))), vector, gold)


def sampled(kind, n, options, temperature, seed=0):
    """Rows whose gold answers are drawn from softmax(z / T): T is what a fit should find."""
    rng = np.random.default_rng(seed)
    counts = rng.choice(options, n)
    for i, k in enumerate(counts.tolist()):
        logits = rng.normal(0, 3, k).astype(np.float32)
        p = softmax(logits[None, :], np.array([temperature]))[0]
        yield row(kind, logits, int(rng.choice(k, p=p)), i)


def runtime_pairs(rows):
    return [(("choice", "score", "noul").index(r.question_type), r.logits, r.target, r.n_options) for r in rows]


@pytest.mark.parametrize("temperature", [0.7, 1.0, 2.6])
def test_it_finds_the_temperature_of_the_answers(temperature):
    fit = fit_temperature([*sampled("choice", 4000, [3, 8, 20], temperature)])
    assert fit.fitted == pytest.approx(temperature, rel=0.06)
    assert fit.applied == fit.fitted


def test_it_is_the_runtime_s_fit():
    from laya.calibrate import fit_one_temperature

    rows = [*sampled("choice", 400, [2, 5, 12], 1.7, seed=2), row("choice", [1.0, 2.0, 0.5], [0.25, 0.75, 0.0])]
    theirs = fit_one_temperature([(r.logits, r.target) for r in rows], min_n=10)
    assert fit_temperature(rows).applied == pytest.approx(theirs, rel=2e-3)
    assert mean_nll(rows, fit_temperature(rows).fitted) <= mean_nll(rows, theirs) + 1e-12


def test_no_temperature_near_it_is_better():
    rows = [*sampled("score", 300, [4], 1.3, seed=3)]
    best = fit_temperature(rows).fitted
    assert all(mean_nll(rows, best) < mean_nll(rows, best * factor) for factor in (0.98, 0.999, 1.001, 1.02))


@pytest.mark.parametrize(
    ("rows", "applied"),
    [
        ([row("noul", [0.0, 4.0], 1)] * 60, 0.5),  # all right: no temperature is cold enough
        ([row("noul", [4.0, 0.0], 1)] * 60, 5.0),  # all wrong: none is hot enough
        ([row("noul", [1.0, 1.0], 1)] * 60, 1.0),  # nothing to divide
        ([row("noul", [1e4, -1e4], 0)] * 3 + [row("noul", [1e4, -1e4], 1)], 5.0),
    ],
)
def test_degenerate_rows_end_at_a_bound_that_is_told(rows, applied):
    fit = fit_temperature(rows)
    assert fit.applied == applied
    assert fit.document()["clamped"] is (applied != 1.0)


def test_small_buckets_take_their_type_and_small_types_what_is_served():
    rows = [*sampled("choice", 300, [12], 2.0), *sampled("choice", 40, [4], 2.0, seed=1), *sampled("noul", 9, [2], 2.0)]
    fitted = fit_map(rows, SERVED, Floors(bucket=200, type=50, binning=200))
    temperatures = fitted.calibration.temperatures
    assert fitted.rows == {"choice:3-5": 40, "choice:11+": 300, "noul:2": 9}
    assert set(fitted.fits) == {"choice", "choice:11+"}
    assert fitted.fits["choice"].n == 340
    assert temperatures.at("choice:3-5") == (fitted.fits["choice"].applied, "choice")
    assert temperatures.at("choice:11+") == (fitted.fits["choice:11+"].applied, "choice:11+")
    for bucket in BUCKETS:
        if not bucket.startswith("choice"):
            assert temperatures.at(bucket) == (SERVED[bucket], bucket)
    assert fitted.calibration.binning == ()


def test_bins_are_the_runtime_s():
    from laya.calibrate import fit_binning_map

    rows = [*sampled("choice", 260, [12], 2.0), *sampled("noul", 210, [2], 1.2, seed=1), *sampled("score", 30, [3], 1)]
    fitted = fit_map(rows, SERVED, Floors(bucket=100, type=20, binning=200), bins=15).calibration
    document = fitted.document()
    theirs = fit_binning_map(runtime_pairs(rows), document["temperature"], document["temperature_by_options"])
    assert set(theirs) == set(document["binning_map"]) == {"choice:11+", "noul:2"}
    for bucket, entry in theirs.items():
        assert document["binning_map"][bucket]["values"] == pytest.approx(entry["values"], abs=1e-12)


@pytest.mark.parametrize(
    ("gold", "expected"),
    [(0.0, [1, 0, 0]), (1.25, [0, 0.75, 0.25]), (2.0, [0, 0, 1]), (2.1, None), (-0.5, None), (None, None)],
)
def test_a_score_between_levels_weighs_both(gold, expected):
    vector = _target_vector(Target(("0", "1", "2"), None, gold))
    assert (vector is None) if expected is None else (vector.tolist() == pytest.approx(expected))
