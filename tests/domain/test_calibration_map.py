"""What a calibration map and overrides by language say, and every fault of one named at once."""

import pytest

from laya_sweep.domain.bucket import BUCKETS
from laya_sweep.domain.calibration_map import CalibrationMap, Temperatures, map_of, outside, overrides_of
from laya_sweep.errors import UsageError

NAN, INF = float("nan"), float("inf")
ONES = [1, 1.0, 1]
BINS = {"bins": 2, "values": [0, 0.1 + 0.2]}


def whole(**changes):
    return {"temperature": [0.1, 1.1, 9]} | changes


def faults(read, document):
    with pytest.raises(UsageError) as caught:
        read(document)
    return [str(problem) for problem in caught.value.problems]


def test_values_are_those_written_within_the_runtimes_range_and_in_the_order_of_the_buckets():
    named = dict(zip(reversed(BUCKETS), range(12), strict=True))
    applied = map_of(whole(temperature_by_options=named, binning_map={"noul:2": BINS, "choice:2": BINS}))
    assert applied.temperatures.by_type == (0.5, 1.1, 5.0)
    assert applied.temperatures.by_bucket == tuple((key, min(5.0, max(0.5, named[key]))) for key in BUCKETS)
    assert applied.binning == (("choice:2", (0.0, 0.1 + 0.2)), ("noul:2", (0.0, 0.1 + 0.2)))
    assert map_of(applied.document()) == applied


@pytest.mark.parametrize("nothing", [None, {}, [], 0, False, ""])
def test_what_the_runtime_reads_as_nothing_is_nothing(nothing):
    assert map_of(whole(temperature_by_options=nothing)).temperatures.by_bucket == ()


@pytest.mark.parametrize("version", [None, 1, 2.0, 10**400])
def test_keys_of_others_and_any_whole_version_pass(version):
    document = whole(temperature=ONES, version=version, binning_map=None, laya_sweep={"fits": 1}, config=3)
    assert map_of(document) == CalibrationMap(Temperatures((1.0, 1.0, 1.0)))


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (None, "calibration map: expected an object with temperature, got null"),
        ([1], "calibration map: expected an object"),
        ({}, "temperature: expected 3 finite numbers, of choice, score, noul, got none"),
        (whole(temperature=None), "temperature: expected 3"),
        (whole(temperature="123"), "temperature: expected 3"),
        (whole(temperature=[1, 1]), "temperature: expected 3 finite numbers, of choice, score, noul, got [1, 1]"),
        *(
            (whole(temperature=[1, wrong, 1]), "temperature: expected 3")
            for wrong in (True, "1", None, NAN, INF, 10**400)
        ),
        *((whole(version=wrong), "version: expected a whole") for wrong in (True, 1.5, 1e10 + 0.5, "1", NAN, INF)),
        (whole(temperature_by_options=[1]), "temperature_by_options: expected an object by bucket, got [1]"),
        (whole(temperature_by_options={"choice:3_5": 1}), "choice:3_5: expected a bucket (choice:3-5, "),
        (whole(temperature_by_options={3: 1}), "temperature_by_options: expected"),
        (whole(temperature_by_options={"choice:2": True}), "by_options.choice:2: expected a finite number, got True"),
        (whole(binning_map=[]), "binning_map: expected an object by bucket"),
        (whole(binning_map={"noul": BINS}), "binning_map.noul: expected a bucket (noul:2, "),
        (whole(binning_map={"noul:2": None}), "binning_map.noul:2: expected an object, got null"),
        (whole(binning_map={"noul:2": BINS | {"bins": 2.0}}), "noul:2.bins: expected a whole number of at least 1"),
        (whole(binning_map={"noul:2": {"bins": 0, "values": []}}), "noul:2.bins: expected a whole"),
        (whole(binning_map={"noul:2": BINS | {"bins": 3}}), "values: expected a number for each of 3 bins, got 2"),
        (whole(binning_map={"noul:2": {"bins": 2}}), "values: expected a list of numbers in [0, 1], got none"),
        *(
            (whole(binning_map={"noul:2": {"bins": 1, "values": [wrong]}}), "values: expected a number in [0, 1]")
            for wrong in (1.1, -0.1, NAN, True, "1", 10**400)
        ),
    ],
)
def test_a_map_that_means_something_else_than_it_says_is_refused(document, said):
    [fault] = faults(map_of, document)
    assert said in fault


def test_every_fault_of_a_map_is_named():
    document = {"version": "1", "temperature_by_options": {"choice:2": "hot", "x": 1}, "binning_map": {"noul:2": {}}}
    assert [fault.split(": expected")[0] for fault in faults(map_of, document)] == [
        "calibration map.temperature_by_options.choice:2",
        "calibration map.temperature_by_options.x",
        "calibration map.version",
        "calibration map.temperature",
        "calibration map.binning_map.noul:2.bins",
        "calibration map.binning_map.noul:2.values",
    ]


def test_an_override_without_types_takes_those_of_the_checkpoint():
    document = {
        "de-AT": whole(version="any", binning_map="any"),
        "zh": None,
        "fr": {"temperature": None, "temperature_by_options": {"choice:2": 9}, "laya_sweep": 1},
    }
    neutral = (1.0, 1.0, 1.0)
    assert overrides_of(document) == {
        "de": (Temperatures((0.5, 1.1, 5.0)), False),
        "zh": (Temperatures(neutral), True),
        "fr": (Temperatures(neutral, (("choice:2", 5.0),)), True),
    }


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (None, "lang_temperatures: expected an object of language to temperatures, got null"),
        ({}, "an object of language to temperatures"),
        ({"": None}, "expected a text"),
        ({False: None}, "quote words such as 'no'"),
        ({"de": [1, 1, 1]}, "lang_temperatures.de: expected an object, got [1, 1, 1]"),
        ({"de": {"temperature": []}}, "lang_temperatures.de.temperature: expected 3"),
        ({"de": {"temperature_by_options": {"choice": 1}}}, "de.temperature_by_options.choice: expected a bucket"),
        ({"zh-CN": None, "ZH": None}, "lang_temperatures.ZH: expected each language once, by its first part"),
    ],
)
def test_overrides_that_the_runtime_could_not_look_up_are_refused(document, said):
    [fault] = faults(overrides_of, document)
    assert said in fault


def test_temperatures_that_are_moved_are_named_as_they_were_written():
    assert outside(whole(temperature_by_options={"noul:2": 0.25})) == [
        "temperature[0]=0.1",
        "temperature[2]=9",
        "noul:2=0.25",
    ]
    assert outside({"de": None, "fr": {"temperature": [1, 6, 1]}}) == ["fr.temperature[1]=6"]
    assert outside(None) == []
