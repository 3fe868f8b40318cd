"""Replicates against the plain way: repeat the rows as often as they were drawn, and measure again."""

from __future__ import annotations

import numpy as np
import pytest
from decision_tables import decisions

from laya_sweep.metrics import DecisionColumns, replicate_weights, summarise
from laya_sweep.metrics.catalogue import catalogue
from laya_sweep.metrics.populations import population_masks
from laya_sweep.metrics.resample import resample
from laya_sweep.metrics.running import RankGrid
from laya_sweep.metrics.signed_gaps import gap_excess
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.slicing import slice_rows
from laya_sweep.metrics.summary import SCHEME
from laya_sweep.metrics.threshold import cut_level

METRICS = catalogue(score_within=(0.5,), min_confidence=(0.0, 0.6), coverages=(0.25, 0.5, 0.8, 1.0))


def views_of(columns: DecisionColumns) -> list[SliceView]:
    masks = population_masks(columns)
    rows = slice_rows(columns.slices["language"])
    cuts = (cut_level(0.0), cut_level(0.6))
    return [SliceView(columns, masks, found, "strict", cuts) for found in (None, *rows.values())]


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("per_source", [1, 3])
def test_replicates_are_measures_of_repeated_rows(digits: int | None, per_source: int) -> None:
    n = 150
    source = (np.arange(n) // per_source * 5).astype(np.int32)
    columns = decisions(n, seed=4, digits=digits, source=source, unlabelled=0.0)
    views = views_of(columns)
    measures = [[metric.measure(view) for metric in METRICS] for view in views]
    draws = resample(views, METRICS, measures, SCHEME, replicates=8, seed=3)
    known, code = np.unique(source, return_inverse=True)
    for replicate in range(8):
        weights = replicate_weights(len(known), 3, replicate)
        again = views_of(columns.take(np.repeat(np.arange(n), weights[code])))
        for view, found in zip(again, draws, strict=True):
            for metric, column in zip(METRICS, found, strict=True):
                if metric.name == "ece" or metric.no_interval is not None:
                    continue
                assert column is not None
                value = metric.measure(view).value
                if value is None:
                    assert np.isnan(column.values[replicate])
                else:
                    assert column.values[replicate] == pytest.approx(value, abs=2e-6), metric.name


def test_ece_replicates_keep_the_signs_of_the_data() -> None:
    columns = decisions(90, seed=1, kinds=(0,), unlabelled=0.0, source=np.arange(90, dtype=np.int32))
    view = SliceView(columns, population_masks(columns))
    metric = catalogue(only=["ece"])
    draws = resample([view], metric, [[metric[0].measure(view)]], SCHEME, replicates=3000, seed=1)[0][0]
    assert draws is not None
    value = metric[0].measure(view).value
    assert draws.values.mean() == pytest.approx(value, abs=0.005)
    assert 0.02 < draws.excess < 0.12


def test_excess_of_a_calibrated_bin_is_that_of_a_half_normal() -> None:
    rng = np.random.default_rng(0)
    seen = np.abs(rng.normal(0.0, 20.0, 20_000)).mean()
    gaps = rng.normal(0, 1, (400, 1))
    assert gap_excess(gaps - gaps.mean()) == pytest.approx(seen, rel=0.1)
    assert gap_excess(gaps + 1.0) == pytest.approx(0.0, abs=1e-9)


def test_neither_threads_nor_chunks_move_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = decisions(120, seed=9)
    views = views_of(columns)
    measures = [[metric.measure(view) for metric in METRICS] for view in views]

    def draw(threads: int) -> list[np.ndarray]:
        found = resample(views, METRICS, measures, SCHEME, replicates=30, seed=5, threads=threads)
        return [column.values for view in found for column in view if column is not None]

    one = draw(1)
    monkeypatch.setattr("laya_sweep.metrics.bootstrap._CHUNK_BYTES", 400)
    monkeypatch.setattr("laya_sweep.metrics.resample._CELLS", 100)
    monkeypatch.setattr("laya_sweep.metrics.replicate_ranking._BLOCK", 100)
    monkeypatch.setattr("laya_sweep.metrics.replicate_classes._CLASSES", 4)
    for a, b in zip(one, draw(3), strict=True):
        assert a == pytest.approx(b, abs=1e-12, nan_ok=True)


def test_large_tables_count_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = decisions(100, seed=2)
    single = summarise(columns, replicates=50)
    monkeypatch.setattr("laya_sweep.metrics.replicate_ranking._EXACT_IN_FLOAT32", 1)
    monkeypatch.setattr("laya_sweep.metrics.replicate_classes._EXACT_IN_FLOAT32", 1)
    for a, b in zip(single, summarise(columns, replicates=50), strict=True):
        assert a.low == pytest.approx(b.low, abs=2e-6)
        assert a.high == pytest.approx(b.high, abs=2e-6)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 100])
def test_rank_grid(n: int) -> None:
    rng = np.random.default_rng(n)
    steps = rng.integers(0, 3, (2, n)).astype(np.float32)
    grid = RankGrid(n)
    sums = grid.running_sums(np.stack([grid.lay_out(row, 0) for row in steps]))
    plain = np.cumsum(steps, axis=1)
    places = grid.place(np.arange(n))
    assert (sums.reshape(2, -1)[:, places] == plain).all()
    wanted = np.ceil(plain[:, -1] / 2)
    expected = [np.searchsorted(row, value) for row, value in zip(plain, wanted, strict=True)]
    assert grid.first_at_least(sums, wanted).tolist() == expected
