"""Raw and served temperatures as facts, against the rules and the loaded agents of the runtime."""

import json
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laya.common import QTYPES, TEMP_MAX, TEMP_MIN, clamp_temperature, temp_bucket

from laya_sweep.checkpoints.checkpoint import stage
from laya_sweep.checkpoints.temperatures import from_json, resolve_temperatures, to_json

BUCKETS = [f"{kind}:{size}" for kind in ("choice", "score", "noul") for size in ("2", "3-5", "6-10", "11+")]

numbers = st.floats(-10, 10) | st.sampled_from(
    [float("nan"), float("inf"), float("-inf"), 0, 1, True, False, None, "2"]
)


def by_bucket(config):
    return {fact.bucket: fact for fact in resolve_temperatures(config)}


def test_there_is_a_fact_for_each_type_and_bucket():
    facts = resolve_temperatures({})
    assert [fact.bucket for fact in facts] == BUCKETS
    assert all((fact.raw, fact.served, fact.source) == (1.0, 1.0, fact.question_type) for fact in facts)


@settings(deadline=None)
@given(
    st.lists(numbers, min_size=3, max_size=3),
    st.dictionaries(st.sampled_from(BUCKETS), numbers, max_size=6),
    st.integers(1, 60),
)
def test_served_is_what_the_runtime_would_divide_by(by_type, by_options, options):
    """The runtime clamps both tables at load, then looks the bucket up and falls back to the type."""
    facts = by_bucket({"temperature": by_type, "temperature_by_options": by_options})
    clamped = [clamp_temperature(value) for value in by_type]
    clamped_options = {key: clamp_temperature(value) for key, value in by_options.items()}
    for name, index in QTYPES.items():
        bucket = temp_bucket(index, options)
        fact = facts[bucket]
        assert fact.served == clamped_options.get(bucket, clamped[index])
        assert TEMP_MIN <= fact.served <= TEMP_MAX
        assert fact.source == (bucket if bucket in by_options else name)
        assert fact.question_type == name


@pytest.mark.parametrize(
    ("shipped", "raw"),
    [
        (0.1006, 0.1006),
        (7, 7.0),
        (1.0, 1.0),
        (0, None),
        (0.0, None),
        (1e-50, None),
        (1e39, None),
        (-1.0, None),
        (float("nan"), None),
        (float("inf"), None),
        (True, None),
        (None, None),
        ("1.5", None),
        ([1.0], None),
    ],
)
def test_raw_is_the_shipped_number_unclamped_or_nothing(shipped, raw):
    fact = by_bucket({"temperature_by_options": {"choice:11+": shipped}})["choice:11+"]
    assert fact.raw == raw
    assert fact.source == "choice:11+"


def test_a_missing_bucket_is_served_by_its_type():
    facts = by_bucket({"temperature": [0.2, 2.0, 9.0], "temperature_by_options": {"score:2": 1.5}})
    buckets = ("choice:3-5", "score:2", "score:11+", "noul:2")
    assert [(facts[bucket].raw, facts[bucket].served, facts[bucket].source) for bucket in buckets] == [
        (0.2, 0.5, "choice"),
        (1.5, 1.5, "score:2"),
        (2.0, 2.0, "score"),
        (9.0, 5.0, "noul"),
    ]


def test_facts_survive_json():
    facts = resolve_temperatures({"temperature_by_options": {"choice:11+": 0.1006, "noul:2": -1}})
    assert from_json(json.loads(json.dumps(to_json(facts), allow_nan=False))) == facts


@pytest.mark.reference
@pytest.mark.parametrize(("name", "warns"), [("english", True), ("multilingual", False)])
def test_a_loaded_agent_serves_the_same(shared, name, warns):
    import laya

    folder = shared / "checkpoints" / name
    config = json.loads((folder / "rl_agent_config.json").read_text("utf-8"))
    with stage(folder) as twin, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        agent = laya.load(twin, device="cpu")
    said = [str(warning.message) for warning in caught if warning.category is RuntimeWarning]
    assert any("outside [0.5, 5]" in text for text in said) is warns
    facts = by_bucket(config)
    for kind, index in QTYPES.items():
        for options in range(1, 61):
            bucket = temp_bucket(index, options)
            applied = agent.temperature_by_options.get(bucket, agent.temperature[index])
            shipped = agent.temperature_by_options_raw.get(bucket, agent.temperature_raw[index])
            assert (facts[bucket].served, facts[bucket].raw) == (applied, shipped), (kind, options)
    raw, served = facts["choice:11+"].raw, facts["choice:11+"].served
    assert (raw, served) == ((0.1006, 0.5) if name == "english" else (1.0, 1.0))
