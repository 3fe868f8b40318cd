"""Coverage, abstention and precision under a map of thresholds by bucket, against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from decision_tables import choices, decisions

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.thresholds import BUCKETS, BucketThresholds
from laya_sweep.metrics import CHOICE, NOUL, SCORE, summarise
from laya_sweep.metrics.threshold import BucketCuts, cut_of

KINDS = {CHOICE: "choice", SCORE: "score", NOUL: "noul"}
NAMES = ("coverage", "abstention_rate", "selective_precision")
MAP = BucketThresholds.of({"choice:2": 0.9, "choice:3-5": 0.55, "choice:6-10": 0.7, "noul:2": 0.8, "default": 0.6})


def rows_of(columns, threshold, **given):
    found = summarise(columns, min_confidence=[threshold], **({"replicates": 0} | given))
    return {(row.slice_dimension, row.slice_value, row.metric): row for row in found if row.min_confidence == threshold}


def kept_of(columns, threshold):
    """By definition: one answer after the other, in float64."""
    return np.array(
        [
            level / 10_000 >= threshold.at(option_bucket(KINDS[kind], options))
            for kind, options, level in zip(
                columns.question_type.tolist(), columns.n_options.tolist(), columns.level.tolist(), strict=True
            )
        ]
    )


def test_each_decision_meets_the_cut_of_its_bucket():
    kinds, options = np.meshgrid([CHOICE, SCORE, NOUL], np.arange(1, 60), indexing="ij")
    cuts = cut_of(BucketThresholds.of({bucket: i / 100 for i, bucket in enumerate(BUCKETS)}))
    assert isinstance(cuts, BucketCuts)
    found = cuts.of_rows(kinds.ravel(), options.ravel())
    expected = [
        BUCKETS.index(option_bucket(KINDS[k], n)) * 100 for k, n in zip(kinds.ravel(), options.ravel(), strict=True)
    ]
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_figures_follow_from_the_definition_overall_and_by_language(seed):
    columns = decisions(400, seed=seed, digits=2)
    kept, answered = kept_of(columns, MAP), columns.correct >= 0
    language = np.array(columns.slices["language"].values)[columns.slices["language"].codes]
    found = rows_of(columns, MAP)
    for place, inside in (
        (("overall", ""), answered),
        *((("language", c), answered & (language == c)) for c in ["de", "en", "fr"]),
    ):
        own = kept[inside]
        right = columns.correct[inside][own] == 1
        assert found[*place, "coverage"].value == own.mean()
        assert found[*place, "abstention_rate"].value == pytest.approx(1 - own.mean(), abs=1e-15)
        assert found[*place, "selective_precision"].value == right.mean()
        assert (found[*place, "coverage"].n, found[*place, "selective_precision"].n) == (len(own), own.sum())


@pytest.mark.parametrize("number", [0.0, 0.61, 0.7, 1.0])
@pytest.mark.parametrize("clustered", [True, False])
def test_a_map_of_one_number_has_the_figures_intervals_and_clusters_of_the_number(number, clustered):
    own = {} if clustered else {"source": np.arange(300, dtype=np.int32)}
    columns = decisions(300, seed=3, digits=2, **own)
    same = BucketThresholds.of({"default": number})
    found = summarise(columns, min_confidence=[number, same], replicates=200, expected={"language": ["de", "en", "fr"]})
    by_number = [row for row in found if row.min_confidence == number]
    by_map = [row for row in found if row.min_confidence == same]
    assert len(by_number) == len(by_map) == 3 * 5
    for one, other in zip(by_number, by_map, strict=True):
        fields = ("slice_dimension", "slice_value", "metric", "value", "n", "n_clusters", "reason")
        assert [getattr(one, name) for name in fields] == [getattr(other, name) for name in fields]
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-12)


def test_the_order_of_rows_is_nothing():
    columns = decisions(300, seed=9, digits=2)
    shuffled = columns.take(np.random.default_rng(1).permutation(300))
    one, other = rows_of(columns, MAP), rows_of(shuffled, MAP)
    assert {place: row.value for place, row in one.items()} == {place: row.value for place, row in other.items()}


def test_degenerate_grids():
    everything = rows_of(decisions(50, seed=2), BucketThresholds.of({"score:2": 1.0}))
    assert everything["overall", "", "coverage"].value == 1.0
    nothing = rows_of(choices([0.5, 0.99], [1, 0]), BucketThresholds.of({"default": 1.0}))
    assert [nothing["overall", "", name].value for name in NAMES] == [0.0, 1.0, None]
    assert nothing["overall", "", "selective_precision"].reason == "no answer reaches the threshold"
    at_it = rows_of(
        choices([0.7, 0.6999], [1, 1], n_options=np.array([5, 5], np.int32)), BucketThresholds.of({"choice:3-5": 0.7})
    )
    assert at_it["overall", "", "coverage"].value == 0.5
    spoilt = rows_of(choices([0.7, np.nan], [1, 1]), MAP)
    assert "not finite" in spoilt["overall", "", "coverage"].reason
    empty = rows_of(choices([], []), MAP)
    assert [empty["overall", "", name].value for name in NAMES] == [None] * 3


def test_numbers_and_maps_stand_side_by_side_in_order():
    other = BucketThresholds.of({"default": 0.2})
    found = summarise(decisions(40), min_confidence=[other, None, 0.9, MAP, 0.0, 0.9], replicates=0)
    thresholds = [row.min_confidence for row in found if row.metric == "coverage" and row.slice_dimension == "overall"]
    assert thresholds == [0.0, 0.9, MAP, other]
