"""Map regimes through a whole sweep, against the answers of the runtime itself under the same files."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import warnings
from collections import Counter

import laya
import pyarrow.parquet as pq
import pytest

from laya_sweep.__main__ import main
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.documents.evals_figures import runtime_decisions
from laya_sweep.store.stored_run import StoredRun

TOPICS = ["alarm", "music", "weather", "news", "cooking", "mail", "lists", "takeaway", "cars", "jokes", "quiz", "tv"]

MAP = {
    "version": 1,
    "temperature": [1.3, 0.9, 2.2],
    "temperature_by_options": {"choice:11+": 0.2, "choice:2": 1.7, "score:3-5": 3.0},
    "binning_map": {
        "choice:2": {"bins": 4, "values": [0.1, 0.2, 0.61234, 0.93337]},
        "choice:11+": {"bins": 7, "values": [0.05, 0.3, 0.35, 0.5, 0.55, 0.66666, 1]},
        "noul:2": {"bins": 15, "values": [round(0.031 + i / 16, 5) for i in range(15)]},
    },
    "of_others": {"ignored": True},
}
LANGUAGES = {
    "de": {"temperature": [2.5, 2.0, 0.1], "temperature_by_options": {"choice:3-5": 1.1}},
    "zh-CN": None,
    "fr": {"temperature_by_options": {"choice:11+": 4.0}},
}
CODES = ("en", "de", "zh-TW", "fr")


def rows():
    """36 rows of three questions in four languages: 108 decisions of all types and sizes."""
    rng = random.Random(4)
    for i in range(36):
        labels = rng.sample(TOPICS, (2, 4, 8, 12)[i % 4])
        questions = {
            "topic": {"type": "choice", "instructions": "What is it?", "criteria": {name: name for name in labels}},
            "urgency": {"type": "score", "instructions": "How urgent?", "criteria": [f"level {n}" for n in range(3)]},
            "asks": {"type": "noul", "instructions": "Does it ask for something?"},
        }
        expected = {"topic": rng.choice(labels), "urgency": i % 3, "asks": rng.random() < 0.5}
        state = f"{rng.choice(TOPICS)} for {rng.choice(TOPICS)} at {i}"
        yield {"state": state, "questions": questions, "expected": expected, "language": CODES[i // 4 % 4]}


def sweep(folder, out, *words):
    fixed = ["executor=inline", "dataset=jsonl", f"dataset.path={folder}/set.jsonl", "min_confidence=[0.5]"]
    places = [f"store.uri={folder}/store", f"out_dir={folder}/{out}"]
    checkpoint = [] if any(word.startswith("checkpoint") for word in words) else ["checkpoint=[demo_english]"]
    return main([*fixed, *checkpoint, *places, *words])


def runtime_answers(source, folder, **options):
    """The runtime's own answers to the rows, each asked in its language."""
    shutil.copytree(source, folder, copy_function=shutil.copyfile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is clamped is said
        agent = laya.load(str(folder), device="cpu", **options)
    return [agent.predict_batch([row["state"]], row["questions"], lang=row["language"])[0]["answers"] for row in rows()]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")
    (folder / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    (folder / "map.json").write_text(json.dumps(MAP), "utf-8")
    (folder / "languages.json").write_text(json.dumps(LANGUAGES), "utf-8")
    return folder


@pytest.fixture(scope="module")
def run(place):
    """Served, the map alone, the languages alone, and both."""
    words = ["regime=[served,map]", f"regime.map.path={place}/map.json", "metrics.rounding=exact"]
    words += ["+regime.languages.kind=map", f"+regime.languages.lang_temperatures={place}/languages.json"]
    words += ["+regime.both.kind=map", f"+regime.both.path={place}/map.json"]
    words += [f"+regime.both.lang_temperatures={place}/languages.json"]
    assert sweep(place, "RUN", *words) == 0
    return StoredRun.open(place / "RUN")


OPTIONS = {
    "map": lambda folder: {"calibration": str(folder / "map.json")},
    "languages": lambda _: {"lang_temperatures": LANGUAGES},
    "both": lambda folder: {"calibration": str(folder / "map.json"), "lang_temperatures": LANGUAGES},
}


def compare(run, regime, answers):
    """Every decision of a regime against the runtime's answer, in both roundings."""
    result = run.select(regime=regime)
    told = {(row["row_index"], row["question"]): row for row in runtime_decisions(result).to_pylist()}
    exact = {(row["row_index"], row["question"]): row for row in result.decisions.to_pylist()}
    assert len(told) == len(exact) == 108
    off = []
    for i, own in enumerate(answers):
        for qid, answer in own.items():
            row, decision = told[i, qid], exact[i, qid]
            if answer["type"] == "noul":
                assert row["probabilities"][1] == pytest.approx(answer["noul"], abs=2e-4)
            else:
                values = [*answer["probabilities"].values()]
                assert row["probabilities"] == pytest.approx(values, abs=2e-4)
            # A batch of another shape moves a last bit, so a fourth decimal; a bin is hit or missed.
            off.append(abs(decision["gate_confidence"] - answer["answer_confidence"]))
            assert row["answer_confidence"] == row["gate_confidence"] == decision["gate_confidence"]
            assert decision["p_pred"] == pytest.approx(max(decision["probabilities"]), abs=1e-12)
            assert round(decision["answer_confidence"], 3) == pytest.approx(decision["gate_confidence"], abs=6e-4)
    assert max(off) <= 2e-4
    assert sum(value == 0 for value in off) >= 100


@pytest.mark.parametrize("regime", [*OPTIONS])
def test_derived_answers_are_the_runtime_s_under_the_same_files(place, run, tmp_path, regime):
    options = OPTIONS[regime](place)
    compare(run, regime, runtime_answers(CHECKPOINTS_FOLDER / "demo_english", tmp_path / "agent", **options))


@pytest.mark.reference
def test_derived_answers_of_a_reference_checkpoint_are_the_runtime_s(place, shared, tmp_path):
    source = shared / "checkpoints" / "multilingual"
    words = ["checkpoint=[]", f"+checkpoints.m.source={source}", "regime=map", f"regime.map.path={place}/map.json"]
    words += [f"regime.map.lang_temperatures={place}/languages.json"]
    assert sweep(place, "REFERENCE", *words) == 0
    compare(
        StoredRun.open(place / "REFERENCE"), "map", runtime_answers(source, tmp_path / "a", **OPTIONS["both"](place))
    )


def test_a_decision_says_which_entry_divided_it_and_what_a_bin_made_of_it(run):
    rows = run.select(regime="both").decisions.to_pylist()
    found = {(row["language"], row["question"], row["n_options"]): row for row in rows}
    assert {row["temperature_source"] for row in rows} >= {
        *("map:choice:11+", "map:choice", "map:score:3-5", "map:noul"),
        *("language:de:choice:3-5", "language:de:noul", "language:zh:choice", "language:fr:choice:11+"),
    }
    assert found["en", "topic", 12]["temperature"] == 0.5  # 0.2, confined as the runtime does
    assert found["de", "asks", 2]["temperature"] == 0.5
    english, german = found["en", "topic", 2], found["de", "topic", 2]
    assert english["answer_confidence"] in (0.1, 0.2, 0.61234, 0.93337)
    assert english["gate_confidence"] == round(english["answer_confidence"], 4)
    assert english["p_pred"] == max(english["probabilities"]) != english["answer_confidence"]
    assert german["answer_confidence"] == german["p_pred"]


def test_accuracy_is_that_of_every_regime_and_confidence_metrics_follow_the_map(run):
    rows = pq.read_table(run.folder / "metrics.parquet").to_pylist()
    overall = {(row["regime"], row["metric"]): row["value"] for row in rows if row["slice"] == "overall"}
    assert len({overall[regime, "choice_accuracy"] for regime in ("served", "map", "languages", "both")}) == 1
    decisions = run.select(regime="map").decisions.to_pylist()
    labelled = [row["answer_confidence"] for row in decisions]
    assert overall["map", "mean_confidence"] == pytest.approx(sum(labelled) / len(labelled), abs=1e-12)


def test_the_report_holds_the_files_digests_and_the_map_as_applied(place, run):
    recorded = run.config["regimes"]["both"]
    assert recorded["path"] == str(place / "map.json")
    assert len(recorded["sha256"]) == len(recorded["lang_sha256"]) == 64
    assert recorded["map"]["temperature_by_options"]["choice:11+"] == 0.5
    assert recorded["map"]["binning_map"] == MAP["binning_map"]
    assert recorded["lang_temperatures"] == LANGUAGES
    served = run.config["regimes"]["served"]
    assert served == {"kind": "served", "temperature": None}


@pytest.mark.parametrize("regime", ["served", *OPTIONS])
def test_marks_under_a_map_are_the_runtime_s_as_it_loads_the_map(run, regime):
    assert run.select(regime=regime).marks_fault(0.5) is None


@pytest.mark.parametrize("regime", [*OPTIONS])
def test_the_sample_is_answered_as_the_runtime_does_that_loaded_the_files(place, run, tmp_path, regime):
    """What the runtime says without a model, against what it says with one."""
    answers = runtime_answers(CHECKPOINTS_FOLDER / "demo_english", tmp_path / "agent", **OPTIONS[regime](place))
    told = Counter(answer["answer_confidence"] for own in answers for answer in own.values())
    samples = [json.loads(path.read_text("utf-8")) for path in (place / "store" / "parity").glob("*.json")]
    kept = [Counter(entry["answer"]["answer_confidence"] for entry in sample) for sample in samples]
    assert max(sum((told & own).values()) / own.total() for own in kept if own.total() > 24) >= 0.95


def test_other_thresholds_ask_the_runtime_for_nothing(place, run):
    words = ["regime=[served,map]", f"regime.map.path={place}/map.json", "min_confidence=[0.31,0.8]"]
    words += ["executor=inline", "dataset=jsonl", f"dataset.path={place}/set.jsonl", "checkpoint=[demo_english]"]
    words += [f"store.uri={place}/store", f"out_dir={place}/OTHER"]
    script = (
        f"import sys\nfrom laya_sweep.__main__ import main\nassert main({words!r}) == 0\n"
        "assert not {'torch', 'ray', 'transformers'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    other = StoredRun.open(place / "OTHER").select(regime="map")
    assert [other.marks_fault(threshold) for threshold in (0.31, 0.8)] == [None, None]


def test_marks_and_confidences_that_are_not_the_runtime_s_are_found(place, run, monkeypatch, capsys):
    words = ["regime=[served,map]", f"regime.map.path={place}/map.json", f"store.uri={place}/copy"]
    shutil.copytree(place / "store", place / "copy")
    for path in (place / "copy" / "parity").glob("*.json"):
        sample = [entry | {"gate_confidence": 1 - entry["gate_confidence"]} for entry in json.loads(path.read_text())]
        path.write_text(json.dumps(sample), "utf-8")
    assert sweep(place, "FLIPPED", *words) == 0
    assert "are not the runtime's" in StoredRun.open(place / "FLIPPED").select(regime="map").marks_fault(0.5)
    shutil.rmtree(place / "copy" / "parity")
    monkeypatch.setattr("laya_sweep.domain.regime.Regime.bins", lambda *_: None)
    capsys.readouterr()
    assert sweep(place, "UNBINNED", *words) == 2
    assert "parity of checkpoint demo_english under regime map: expected confidences within" in capsys.readouterr().err


def test_a_map_regime_that_is_added_later_starts_neither_torch_nor_ray(place, run):
    words = ["dataset=jsonl", f"dataset.path={place}/set.jsonl", "checkpoint=[demo_english]", "regime=[served,map]"]
    words += [f"regime.map.path={place}/map.json", f"store.uri={place}/store", f"out_dir={place}/LATER"]
    script = (
        f"import sys\nfrom laya_sweep.__main__ import main\nassert main({words!r}) == 0\n"
        "assert not {'torch', 'ray', 'transformers'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 to run" in done.stderr
    later = StoredRun.open(place / "LATER").select(regime="map").decisions
    assert later.equals(run.select(regime="map").decisions)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("[1]", "expected an object with temperature, got [1]"),
        ("{}", "regime.map.path.temperature: expected 3"),
        ('{"temperature": [1, 1]}', "3 finite numbers"),
        ('{"temperature": [1, true, 1]}', "finite number"),
        ('{"temperature": [1, NaN, 1]}', "NaN"),
        ('{"temperature": [1, 1, 1], "version": 1.5}', "whole number"),
        ('{"temperature": [1, 1, 1], "temperature_by_options": {"choice:3_5": 1}}', "choice:3_5"),
        ('{"temperature": [1, 1, 1], "binning_map": {"noul:2": {"bins": 2, "values": [0.1]}}}', "each of 2 bins"),
        ('{"temperature": [1, 1, 1], "binning_map": {"noul:2": {"bins": 1, "values": [1.1]}}}', "[0, 1]"),
        ('{"temperature": [1, 1, 1], "binning_map": {"noul:2": {"bins": true, "values": [1]}}}', "noul:2.bins"),
        ("{", "JSON"),
    ],
)
def test_a_bad_map_is_a_line_and_exit_2(tmp_path, capsys, document, said):
    (tmp_path / "map.json").write_text(document, "utf-8")
    assert main(["regime=map", f"regime.map.path={tmp_path}/map.json", f"out_dir={tmp_path}/RUN"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "regime.map.path" in line
    assert said in line
    assert not (tmp_path / "RUN").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["regime=map"], "regime.map.path"),
        (["regime=map", "regime.map.path=nowhere.json"], "nowhere.json"),
        (["regime=map", "regime.map.lang_temperatures={de: {temperature: [1, 1]}}"], "de.temperature"),
        (["regime=map", "regime.map.lang_temperatures={de: 2}"], "de: expected an object"),
        (["regime=map", "regime.map.lang_temperatures={zh-CN: null, zh-TW: null}"], "once"),
        (["regime=map", "regime.map.lang_temperatures={de: null}", "regime.map.fitted_rows=yes"], "fitted_rows"),
    ],
)
def test_a_bad_regime_is_a_line_and_exit_2(tmp_path, capsys, words, said):
    assert main([*words, f"out_dir={tmp_path}/RUN"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_temperature_out_of_range_is_moved_and_said(run, place, capsys):
    assert sweep(place, "SAID", "regime=map", f"regime.map.path={place}/map.json") == 0
    said = capsys.readouterr().err
    assert "choice:11+=0.2" in said
    assert "does not say on which rows" in said


def test_an_exported_report_has_the_mapped_confidences_and_the_marks_that_are_asked_for(place, run, tmp_path, capsys):
    words = ["export", str(run.folder), "--format", "laya-evals", "--regime", "both", "--out", f"{tmp_path}/out.json"]
    assert main([*words, "--min-confidence", "none"]) == 0
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    told = {(row["language"], row["question"], row["answer_confidence"]) for row in decisions_of(run)}
    for case in document["cases"]:
        assert case["answer"]["answer_confidence"] == case["confidence"]
        assert (case["language"], case["qid"], case["confidence"]) in told
    assert any(case["confidence"] == 0.6123 for case in document["cases"])
    capsys.readouterr()
    assert main([*words, "--min-confidence", "0.5"]) == 0
    marked = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert marked["config"]["timing"]["min_confidence_sent"] is True
    for case in marked["cases"]:
        assert case["answer"]["abstention"] == ("abstained" if case["confidence"] < 0.5 else "passed")


def decisions_of(run):
    return runtime_decisions(run.select(regime="both")).to_pylist()
