"""Which temperature divides the logits, and the bucket it is looked up by."""

import pytest
from laya.common import QTYPES, temp_bucket

from laya_sweep.domain.bucket import option_bucket
from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.domain.regime import BucketTemperature, Regime, UnusableTemperatureError

CHECKPOINT = {
    "choice:11+": BucketTemperature(raw=0.1006, served=0.5, source="choice:11+"),
    "choice:3-5": BucketTemperature(raw=1.2, served=1.2, source="choice"),
    "noul:2": BucketTemperature(raw=None, served=1.0, source="noul:2"),
}


@pytest.mark.parametrize("kind", sorted(QTYPES))
def test_buckets_are_the_runtimes_for_every_option_count(kind):
    for options in range(1, 61):
        assert option_bucket(kind, options) == temp_bucket(QTYPES[kind], options)


def test_question_types_stand_in_the_runtimes_order():
    assert {name: i for i, name in enumerate(QUESTION_TYPES)} == QTYPES


@pytest.mark.parametrize(
    ("regime", "bucket", "expected"),
    [
        (Regime("served", "served"), "choice:11+", (0.5, "served:choice:11+")),
        (Regime("served", "served"), "choice:3-5", (1.2, "served:choice")),
        (Regime("served", "served"), "noul:2", (1.0, "served:noul:2")),
        (Regime("raw", "raw"), "choice:11+", (0.1006, "raw:choice:11+")),
        (Regime("raw", "raw"), "choice:3-5", (1.2, "raw:choice")),
        (Regime("unit", "unit"), "noul:2", (1.0, "unit")),
        (Regime("warm", "fixed", 1.7), "noul:2", (1.7, "fixed")),
        (Regime("warm", "fixed", 1.7), "choice:11+", (1.7, "fixed")),
    ],
)
def test_the_temperature_and_where_it_came_from(regime, bucket, expected):
    assert regime.of(bucket, CHECKPOINT) == expected


def test_the_raw_regime_never_guesses():
    with pytest.raises(UnusableTemperatureError) as caught:
        Regime("raw", "raw").of("noul:2", CHECKPOINT)
    assert caught.value.bucket == "noul:2"


def test_a_fixed_regime_without_its_temperature_is_refused():
    with pytest.raises(ValueError, match="temperature"):
        Regime("fixed", "fixed").of("noul:2", CHECKPOINT)


def test_an_unknown_bucket_is_not_served_by_a_neighbour():
    with pytest.raises(KeyError):
        Regime("served", "served").of("score:2", CHECKPOINT)
