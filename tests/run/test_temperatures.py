"""Temperatures of a checkpoint are resolved once and kept with the facts: a cached run needs no torch for them."""

import math

import pytest
from builders import NoHub, checkpoint_settings, write_checkpoint

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.checkpoints.temperatures import resolve_temperatures
from laya_sweep.run import temperatures
from laya_sweep.run.temperatures import CheckpointTemperatures
from laya_sweep.store.facts import FactStore


@pytest.fixture
def resolved(tmp_path, monkeypatch):
    """`resolved(config)` are the temperatures of a checkpoint with that config; `.calls` counts resolutions."""
    calls = []

    def counted(config):
        calls.append(config)
        return resolve_temperatures(config)

    monkeypatch.setattr(temperatures, "resolve_temperatures", counted)
    store = FactStore(tmp_path / "store")

    def of(config):
        checkpoint = locate(checkpoint_settings(write_checkpoint(tmp_path / "c", config)), NoHub())
        return CheckpointTemperatures([checkpoint], store).of(checkpoint.name)

    of.calls = calls
    return of


def test_they_are_resolved_once_a_config_and_come_back_the_same(resolved):
    config = {"temperature": [1.0, 2.0, 3.0], "temperature_by_options": {"choice:11+": 0.1006}}
    first = resolved(config)
    assert resolved({**config, "head_layers": 3}) == first == resolve_temperatures(config)
    assert len(resolved.calls) == 1


def test_an_edited_temperature_is_seen(resolved):
    before = {fact.bucket: fact.served for fact in resolved({"temperature": [1.0, 1.0, 1.0]})}
    after = {fact.bucket: fact.served for fact in resolved({"temperature": [2.0, 1.0, 1.0]})}
    assert {bucket for bucket in after if after[bucket] != before[bucket]} == {
        "choice:2",
        "choice:3-5",
        "choice:6-10",
        "choice:11+",
    }
    assert len(resolved.calls) == 2


def test_temperatures_can_be_switched_with_the_laya_that_resolves_them(resolved, monkeypatch):
    resolved({})
    monkeypatch.setattr(temperatures, "library_versions", lambda names: dict.fromkeys(names, "9.9"))
    resolved({})
    assert len(resolved.calls) == 2


@pytest.mark.parametrize("shipped", [math.nan, math.inf, -math.inf])
def test_a_temperature_that_is_no_number_is_served_as_one_and_has_no_raw_value(resolved, shipped):
    """Python's JSON reads NaN and Infinity, and the runtime serves 1.0 for them (with a warning)."""
    for _ in range(2):
        facts = {fact.bucket: fact for fact in resolved({"temperature_by_options": {"choice:2": shipped}})}
        assert (facts["choice:2"].raw, facts["choice:2"].served) == (None, 1.0)
