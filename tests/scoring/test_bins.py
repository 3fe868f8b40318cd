"""A binning map at work, beside the runtime: which bin is read, which confidences it replaces, where it is off."""

from __future__ import annotations

import numpy as np
import pytest
from builders import fact_row, facts_table
from laya.calibrate import apply_binning_map

from laya_sweep.domain.calibration_map import CalibrationMap, Temperatures
from laya_sweep.domain.question import Target
from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.scoring.decision import RowPlace, ScoredCell, decide
from laya_sweep.scoring.rounding import bin_value
from laya_sweep.store.schemas import DECISIONS

ONES = Temperatures((1.0, 1.0, 1.0))
BINS = tuple(0.0123456 + 0.09 * at for at in range(10))
REPLACED = {"answer_confidence", "gate_confidence"}


def decided(regime, language, rounding):
    """One decision of two options whose max p is 0.73."""
    target = Target(("label_0", "label_1"), 0, None)
    temperatures = {"choice:2": BucketTemperature(1.0, 1.0, "choice")}
    cell = ScoredCell("mine", temperatures, {"case": RowPlace("s", 0)}, {("case", "intent"): target})
    facts = facts_table([fact_row("case", [np.float32(1.0), np.float32(0.0)], language=language)])
    [row] = decide(facts, cell, regime, DECISIONS, rounding).to_pylist()
    return row


@pytest.mark.parametrize("count", [1, 2, 3, 7, 10, 15, 49, 64])
def test_every_bin_is_the_one_that_the_runtime_reads(count):
    values = tuple(at / count for at in range(count))
    edges = np.arange(count + 1, dtype=np.float32) / np.float32(count)
    near = [np.nextafter(edges, np.float32(side), dtype=np.float32) for side in (0, 1)]
    tops = np.clip(np.concatenate([edges, *near, np.linspace(0, 1, 1001, dtype=np.float32)]), 0, 1)
    entry = {"choice:2": {"bins": count, "values": list(values)}}
    read = [bin_value(values, float(top)) for top in tops]
    assert read == [apply_binning_map(float(top), "choice:2", entry) for top in tops]
    assert set(read) == set(values)


@pytest.mark.parametrize("rounding", ["exact", "runtime"])
def test_a_map_replaces_what_stands_for_max_p_and_nothing_else(rounding):
    plain = decided(Regime("map", "map", calibration=CalibrationMap(ONES)), "en", rounding)
    mapped = decided(Regime("map", "map", calibration=CalibrationMap(ONES, (("choice:2", BINS),))), "en", rounding)
    assert {name for name in plain if plain[name] != mapped[name]} == REPLACED
    reported = round(BINS[7], 4)
    assert mapped["gate_confidence"] == reported
    assert mapped["answer_confidence"] == (BINS[7] if rounding == "exact" else reported)
    assert plain["answer_confidence"] == pytest.approx(0.7311, abs=5e-5)


@pytest.mark.parametrize(("language", "off"), [("de", True), ("de-CH", True), ("en", False), ("", False)])
def test_an_override_by_language_switches_bins_off_there_alone(language, off):
    calibration = CalibrationMap(ONES, (("choice:2", BINS),))
    both = Regime("map", "map", calibration=calibration, languages={"de": (ONES, False)})
    assert both.bins("choice:2", language) == (None if off else BINS)
    assert Regime("map", "map", languages={"de": (ONES, False)}).bins("choice:2", language) is None
    confidence = decided(both, language, "exact")["answer_confidence"]
    assert confidence == (pytest.approx(0.7311, abs=5e-5) if off else BINS[7])
