"""timing.json and the calls table over several runs: they tell of the calls that made the rows, whichever run did."""

from __future__ import annotations

import json

import pytest

from laya_sweep.__main__ import main

WORDS = ["executor=inline", "checkpoint=[demo_multilingual]", "regime=[served]", "languages=[de,en]", "shard_cases=8"]


@pytest.fixture
def sweep(tmp_path):
    """`sweep(name, *words)` runs into the folder `name`; its timing block."""

    def run(name, *words, store="store"):
        folder = tmp_path / name
        assert main([*WORDS, f"out_dir={folder}", f"store.uri={tmp_path / store}", *words]) == 0
        return json.loads((folder / "timing.json").read_text("utf-8"))["checkpoints"]["demo_multilingual"]

    return run


def test_a_widened_run_tells_what_each_of_its_runs_asked(sweep, tmp_path):
    first = sweep("A", "dataset.per_lang=6", "batch_size=2")
    assert (first["batch_size"], first["sort_by_length"], first["max_chunk"]) == (2, False, 2)
    assert (first["rows_grouped"] + first["rows_alone"], first["rows_unrecorded"]) == (12, 0)

    cached = sweep("B", "dataset.per_lang=6", "batch_size=7", "sort_by_length=true")
    assert cached == first, "nothing was computed, so the calls are those of the first run"

    wider = sweep("C", "dataset.per_lang=10", "batch_size=3", "sort_by_length=true")
    assert (wider["batch_size"], wider["sort_by_length"]) == ([2, 3], [False, True])
    assert wider["sort_by_length_sent"] == [False, True]
    assert wider["chunks"] > first["chunks"]
    assert wider["rows_grouped"] + wider["rows_alone"] == 20

    for path in (tmp_path / "store").rglob("calls-*.parquet"):
        path.unlink()  # as a version that recorded no calls left it
    old = sweep("D", "dataset.per_lang=10")
    assert (old["chunks"], old["batch_size"], old["rows_unrecorded"]) == ("unknown", "unknown", 20)
    assert old["latency_p50_ms"] == wider["latency_p50_ms"]


def test_sorting_by_length_moves_no_byte_of_the_facts_and_reports(sweep, tmp_path):
    plain = sweep("P", "batch_size=4")
    sorted_ = sweep("S", "batch_size=4", "sort_by_length=true", store="other")
    assert (plain["sort_by_length_sent"], sorted_["sort_by_length_sent"]) == (False, True)
    for name in ("logits.parquet", "decisions.parquet", "report.json"):
        assert (tmp_path / "P" / name).read_bytes() == (tmp_path / "S" / name).read_bytes(), name
    parts = [{path.name for path in (tmp_path / store).rglob("part-*.parquet")} for store in ("store", "other")]
    assert parts[0] == parts[1], "a part is named by its bytes"
