"""`calibrate` and `advise` on runs of the bundled checkpoint: what they write is what the runtime and a sweep take."""

from __future__ import annotations

import json
import shutil
import warnings

import pyarrow.parquet as pq
import pytest
from laya.confidence import check_min_confidence

from laya_sweep.__main__ import main
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.store.stored_run import StoredRun


def sweep(folder, split, out, *words):
    fixed = ["executor=inline", f"store.uri={folder}/store", f"out_dir={folder}/{out}", "languages=[de,en]"]
    fixed += ["checkpoint=[]", f"+checkpoints.mine.source={folder}/checkpoint", f"dataset.split={split}"]
    return main([*fixed, "dataset.per_lang=null", *words])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Runs over both splits of the bundled corpus, and what `calibrate` makes of the first."""
    folder = tmp_path_factory.mktemp("calibrate")
    shutil.copytree(CHECKPOINTS_FOLDER / "demo_english", folder / "checkpoint", copy_function=shutil.copyfile)
    assert sweep(folder, "test", "FIT", "regime=[served,unit]", "min_confidence=null") == 0
    assert sweep(folder, "train", "HELD", "regime=[served]", "min_confidence=null") == 0
    words = ["calibrate", f"{folder}/FIT", "--heldout", f"{folder}/HELD", "--split", "test", "--bins", "4"]
    floors = ["--min-bucket", "20", "--min-type", "15", "--min-binning", "20"]
    assert main([*words, *floors, "--out", f"{folder}/map.json", "--lang-out", f"{folder}/lang.json"]) == 0
    return folder


def own(place, name="map.json"):
    return json.loads((place / name).read_text("utf-8"))


def test_the_runtime_loads_the_map_and_the_languages_without_a_word(place):
    import laya

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the checkpoint ships a temperature that is clamped
        agent = laya.load(str(place / "checkpoint"), device="cpu", lang_temperatures=own(place, "lang.json"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.load_calibration(str(place / "map.json"))
    document = own(place)
    assert agent.temperature == document["temperature"]
    assert agent.temperature_by_options == document["temperature_by_options"]
    assert agent.binning_map == document["binning_map"]
    assert len(agent.binning_map["choice:6-10"]["values"]) == 4
    assert agent.lang_temperatures.keys() == {"de", "en"}
    assert agent.lang_temperatures["de"]["temperature"] == own(place, "lang.json")["de"]["temperature"]
    assert agent.lang_temperatures["de"]["temperature"][0] > agent.lang_temperatures["en"]["temperature"][0]


def test_the_held_out_figures_are_those_of_a_sweep_under_the_map(place):
    assert sweep(place, "train", "MAP", "regime=[served,map]", f"regime.map.path={place}/map.json") == 0
    found = {
        (row["regime"], row["slice_value"], row["metric"]): (row["value"], row["low"], row["high"])
        for row in pq.read_table(place / "MAP" / "metrics.parquet").to_pylist()
        if row["slice"] in ("overall", "language") and row["min_confidence"] is None
    }
    compared = 0
    for entry in own(place)["laya_sweep"]["held_out"]:
        for side, regime in (("before", "served"), ("after", "map")):
            figure = [entry[side][name] for name in ("value", "low", "high")]
            assert figure == pytest.approx(found[regime, entry["language"] or "", entry["metric"]], abs=1e-12)
            compared += 1
    assert compared == 30  # accuracy, confidence, ece, brier, nll of both languages and the whole


def test_the_map_tells_its_rows_and_a_sweep_over_them_is_refused(place, capsys):
    fitted_on = own(place)["laya_sweep"]["fitted_on"]
    assert {language: len(entry["rows"]) for language, entry in fitted_on.items()} == {"de": 20, "en": 20}
    words = ["regime=[map]", f"regime.map.path={place}/map.json"]
    assert sweep(place, "test", "REFUSED", *words) == 2
    [line] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    assert "40 rows" in line
    assert "fitted_rows=allow" in line
    assert not (place / "REFUSED").exists()
    assert sweep(place, "test", "OTHER_SAMPLING", *words, "dataset.seed=5", "dataset.n_opts=5") == 2
    assert sweep(place, "test", "LANG", "regime=[map]", f"regime.map.lang_temperatures={place}/lang.json") == 2
    assert sweep(place, "test", "ALLOWED", *words, "++regime.map.fitted_rows=allow") == 0
    assert StoredRun.open(place / "ALLOWED").config["regimes"]["map"]["fitted_rows"] == "allow"


def test_one_run_is_split_by_source_and_the_seed_decides(place, tmp_path, capsys):
    words = ["calibrate", f"{place}/FIT", "--min-type", "5"]
    for name, seed in (("one", "13"), ("again", "13"), ("other", "14")):
        assert main([*words, "--seed", seed, "--out", f"{tmp_path}/{name}.json"]) == 0
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "again.json").read_bytes()
    fitted = {name: own(tmp_path, f"{name}.json")["laya_sweep"] for name in ("one", "other")}
    assert fitted["one"]["fitted_on"] != fitted["other"]["fitted_on"]
    held = fitted["one"]["held_out"][0]["n"]
    rows = {language: set(entry["rows"]) for language, entry in fitted["one"]["fitted_on"].items()}
    assert sum(map(len, rows.values())) + held == 40
    assert rows["de"] == rows["en"]  # one utterance is on one side in every language
    assert "takes its type's" in capsys.readouterr().out


def table(folder, name, rows):
    lines = [f"{source},text number {text} please,{'abc'[text % 3]}" for source, text in rows]
    (folder / f"{name}.csv").write_text("\n".join(["id,text,label", *lines]), "utf-8")


def table_sweep(place, folder, name, *words):
    fixed = ["executor=inline", f"store.uri={folder}/store", f"out_dir={folder}/{name}", "min_confidence=null"]
    fixed += ["checkpoint=[]", f"+checkpoints.mine.source={place}/checkpoint", "dataset=table", "dataset.id=id"]
    return main([*fixed, f"dataset.path={folder}/{name}.csv", *words])


def test_equal_inputs_of_several_sources_are_on_one_side(place, tmp_path):
    table(tmp_path, "dup", [(f"r{i:03}", i % 20) for i in range(160)])
    assert table_sweep(place, tmp_path, "dup") == 0
    assert main(["calibrate", f"{tmp_path}/dup", "--min-type", "20", "--out", f"{tmp_path}/map.json"]) == 0
    fitted = own(tmp_path)["laya_sweep"]
    rows = fitted["fitted_on"][""]["rows"]
    assert {f"r{i:03}" for i in range(160) if f"r{i % 20:03}" in rows} == set(rows)
    assert fitted["held_out"][0]["n"] == 160 - len(rows) > 0
    advice = ["advise", f"{tmp_path}/dup", "--regime", "served", "--target-accuracy", "0.9", "--json"]
    assert main([*advice, f"{tmp_path}/advice.json", "--out", f"{tmp_path}/mc.json"]) == 1
    [bucket] = own(tmp_path, "advice.json")["buckets"].values()
    assert bucket["calibration"]["n"] == len(rows)


def test_all_rows_of_a_source_are_refused_under_its_map(place, tmp_path, capsys):
    table(tmp_path, "two", [(f"s{i // 2}", i) for i in range(100)])
    table(tmp_path, "copy", [(f"z{i}", i) for i in range(0, 100, 2)])
    assert table_sweep(place, tmp_path, "two") == 0
    assert main(["calibrate", f"{tmp_path}/two", "--min-type", "20", "--out", f"{tmp_path}/map.json"]) == 0
    fitted = sum(map(len, own(tmp_path)["laya_sweep"]["fitted_on"][""]["rows"].values()))
    capsys.readouterr()
    assert table_sweep(place, tmp_path, "copy", "regime=[map]", f"regime.map.path={tmp_path}/map.json") == 2
    assert f"got {fitted // 2} rows" in capsys.readouterr().err


def test_advice_is_a_min_confidence_and_a_sweep_keeps_what_it_said(place, tmp_path, capsys):
    words = ["advise", f"{place}/FIT", "--heldout", f"{place}/HELD", "--regime", "served", "--target-accuracy", "0.2"]
    assert main([*words, "--out", f"{tmp_path}/mc.json", "--json", f"{tmp_path}/all.json"]) == 0
    said = capsys.readouterr().out
    document, thresholds = own(tmp_path, "all.json"), own(tmp_path, "mc.json")
    assert check_min_confidence(thresholds) == thresholds
    [(bucket, entry)] = document["buckets"].items()
    assert bucket == "choice:6-10"
    assert entry["bound"] >= 0.2
    assert f"min_confidence={entry['threshold']:.4f}" in said
    assert sweep(place, "train", "GATED", "regime=[served]", f"min_confidence={tmp_path}/mc.json") == 0
    found = {
        row["metric"]: row["value"]
        for row in pq.read_table(place / "GATED" / "metrics.parquet").to_pylist()
        if row["slice"] == "overall" and row["min_confidence_map"] is not None
    }
    assert found["coverage"] == entry["held_out"]["coverage"]
    assert found["selective_precision"] == pytest.approx(entry["held_out"]["precision"], abs=1e-12)


def test_a_target_that_nothing_reaches_is_said_and_exit_1(place, tmp_path, capsys):
    words = ["advise", f"{place}/FIT", "--regime", "unit", "--target-accuracy", "0.99", "--out", f"{tmp_path}/mc.json"]
    assert main(words) == 1
    assert "no threshold reaches 0.99" in capsys.readouterr().out
    assert own(tmp_path, "mc.json") == {"choice:6-10": 1.0, "default": 1.0}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["calibrate", "FIT", "--split", "validation"], "the split validation"),
        (["calibrate", "FIT", "--heldout", "FIT"], "40 rows"),
        (["calibrate", "FIT", "--heldout-share", "1"], "--heldout-share"),
        (["calibrate", "FIT", "--min-bucket", "0"], "--min-bucket"),
        (["calibrate", "FIT", "--bins", "0"], "--bins"),
        (["calibrate", "FIT"], "50 labelled answers"),
        (["calibrate", "FIT", "--checkpoint", "yours"], "mine"),
        (["calibrate", "nowhere"], "a folder with report.json"),
        (["advise", "FIT", "--target-accuracy", "0.9"], "--regime"),
        (["advise", "FIT", "--target-accuracy", "1", "--regime", "unit"], "always right"),
        (["advise", "FIT", "--target-accuracy", "0.9", "--confidence", "nan", "--regime", "unit"], "--confidence"),
        (["advise", "FIT", "--target-accuracy", "0.9", "--heldout", "HELD", "--regime", "unit"], "served"),
    ],
)
def test_a_mistake_is_one_line_exit_2_and_writes_nothing(place, tmp_path, capsys, words, said):
    given = [str(place / word) if word in ("FIT", "HELD") else word for word in words]
    assert main([*given, "--out", f"{tmp_path}/out.json"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line
    assert not [*tmp_path.iterdir()]


def test_a_published_document_names_the_temperatures_of_the_map(place, tmp_path):
    words = ["regime=[map]", f"regime.map.path={place}/map.json", f"regime.map.lang_temperatures={place}/lang.json"]
    assert sweep(place, "train", "EXPORTED", *words) == 0
    assert main(["export", f"{place}/EXPORTED", "--format", "laya-eval", "--out", f"{tmp_path}/out.json"]) == 0
    temperatures = own(tmp_path, "out.json")["config"]["temperatures"]
    assert temperatures == {
        f"language:{code}:{entry}": value
        for code, document in own(place, "lang.json").items()
        for entry, value in document["temperature_by_options"].items() | {("choice", document["temperature"][0])}
        if entry in ("choice:6-10", "choice")
        and (entry == "choice:6-10" or "choice:6-10" not in document["temperature_by_options"])
    }
