"""Maps of thresholds through a whole sweep, against the marks of the runtime itself on the same rows."""

from __future__ import annotations

import json
import random
import shutil
import warnings

import pyarrow.parquet as pq
import pytest

from laya_sweep.__main__ import main
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.files.json_file import read_object

MAP = {"choice:2": 0.8, "choice:3-5": 0.7, "choice:11+": 0.3, "score:3-5": 0.45, "noul:2": 0.75, "default": 0.6}
WORDS = "{choice:2: 0.8, choice:3-5: 0.7, choice:11+: 0.3, score:3-5: 0.45, noul:2: 0.75, default: 0.6}"
OTHER = "{choice:6-10: 0.8}"
ROWS = 34


def rows():
    """34 rows of three questions each: choices of all sizes, scores, nouls."""
    rng = random.Random(4)
    topics = [
        "alarm",
        "music",
        "weather",
        "news",
        "cooking",
        "mail",
        "lists",
        "takeaway",
        "cars",
        "jokes",
        "quiz",
        "tv",
    ]
    for i in range(ROWS):
        labels = rng.sample(topics, (2, 4, 8, 12)[i % 4])
        choice = {"type": "choice", "instructions": "What is it about?", "criteria": {name: name for name in labels}}
        levels = [f"level {n}" for n in range((3, 5, 7)[i % 3])]
        questions = {
            "topic": choice,
            "urgency": {"type": "score", "instructions": "How urgent?", "criteria": levels},
            "asks": {"type": "noul", "instructions": "Does it ask for something?"},
        }
        expected = {"topic": rng.choice(labels), "urgency": rng.randrange(len(levels)), "asks": rng.random() < 0.5}
        state = f"{rng.choice(topics)} for {rng.choice(topics)} at {i}"
        yield {"state": state, "questions": questions, "expected": expected}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a labelled set, a store and a run under a map, a number and no threshold."""
    folder = tmp_path_factory.mktemp("maps")
    (folder / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    assert sweep(folder, "RUN", f"min_confidence=[null,0.5,{WORDS}]") == 0
    return folder


def sweep(folder, out, *words, store="store"):
    fixed = ["executor=inline", "dataset=jsonl", f"dataset.path={folder}/set.jsonl", "checkpoint=[demo_english]"]
    return main([*fixed, f"store.uri={folder}/{store}", f"out_dir={folder}/{out}", *words])


@pytest.fixture(scope="module")
def runtime(tmp_path_factory):
    """The runtime's own answers under the map, by row and question."""
    import laya

    folder = tmp_path_factory.mktemp("agent") / "demo_english"
    shutil.copytree(CHECKPOINTS_FOLDER / "demo_english", folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it ships a temperature that is clamped
        agent = laya.load(str(folder), device="cpu")
    return [
        agent.predict_batch([row["state"]], row["questions"], min_confidence=dict(MAP))[0]["answers"] for row in rows()
    ]


def exported(place, tmp_path, *words, run="RUN"):
    out = tmp_path / "report.json"
    named = ["--format", "laya-evals", "--regime", "served", "--out", str(out)]
    assert main(["export", str(place / run), *named, *words]) == 0
    return json.loads(out.read_text("utf-8"))


def metrics(place, run, regime="served"):
    """Overall figures at a threshold: (number, map) -> metric -> row."""
    found = {}
    for row in pq.read_table(place / run / "metrics.parquet").to_pylist():
        if (row["regime"], row["slice"]) == (regime, "overall"):
            found.setdefault((row["min_confidence"], row["min_confidence_map"]), {})[row["metric"]] = row
    return found


def marks(place, run):
    entries = read_object(place / run / "timing.json", "timing")["min_confidence"]
    return [(entry["regime"], entry["min_confidence"], entry["min_confidence_sent"]) for entry in entries]


def test_derived_marks_are_those_of_the_runtime(place, runtime, tmp_path):
    document = exported(place, tmp_path, "--min-confidence", WORDS)
    assert document["config"]["timing"]["min_confidence"] == MAP
    assert document["config"]["timing"]["min_confidence_sent"] is True
    theirs = [answer for answers in runtime for _, answer in sorted(answers.items())]
    ours = [case["answer"] for case in document["cases"]]
    assert len(ours) == len(theirs) == 3 * ROWS > 100
    assert [a["abstention_threshold"] for a in ours] == [a["abstention_threshold"] for a in theirs]
    assert len({a["abstention_threshold"] for a in ours}) == 6
    near = [abs(a["answer_confidence"] - a["abstention_threshold"]) <= 1e-3 for a in theirs]
    apart = [
        i
        for i, (own, their) in enumerate(zip(ours, theirs, strict=True))
        if any(own.get(name) != their.get(name) for name in ("abstention", "low_confidence"))
    ]
    assert all(near[i] for i in apart)
    assert sum(near) <= 3
    assert {a["abstention"] for a in ours} == {"passed", "abstained"}


def test_figures_are_those_of_the_runtimes_marks(place, runtime):
    found = metrics(place, "RUN")
    [key] = [key for key in found if key[1]]
    assert (key[0], json.loads(key[1])) == (None, MAP)
    answered = [answers[qid] for answers in runtime for qid in ("topic", "asks")]
    kept = [answer["abstention"] == "passed" for answer in answered]
    coverage, precision = found[key]["coverage"], found[key]["selective_precision"]
    assert (coverage["n"], precision["n"]) == (2 * ROWS, sum(kept))
    assert coverage["value"] == sum(kept) / len(kept)
    right = [
        answers["topic"]["choice"] == row["expected"]["topic"]
        if qid == "topic"
        else (answers["asks"]["noul"] >= 0.5) == row["expected"]["asks"]
        for row, answers in zip(rows(), runtime, strict=True)
        for qid in ("topic", "asks")
    ]
    assert precision["value"] == sum(r for r, k in zip(right, kept, strict=True) if k) / sum(kept)
    assert found[0.5, None]["coverage"]["value"] is not None
    assert "coverage" not in found[None, None]  # no threshold keeps nothing back, and has no such figure
    assert found[None, None]["choice_accuracy"]["value"] is not None


def test_the_run_says_what_was_asked_and_what_was_sent(place):
    report = read_object(place / "RUN" / "report.json", "report")
    assert report["config"]["min_confidence"] == [None, 0.5, MAP]
    assert {result["regime"]: result["served"] for result in report["results"]} == {"raw": False, "served": True}
    assert marks(place, "RUN") == [
        ("raw", 0.5, False),
        ("raw", MAP, False),
        ("served", 0.5, True),
        ("served", MAP, True),
    ]
    served = report["results"][1]["overall"]["min_confidence"]
    assert [entry["min_confidence"] for entry in served] == [0.5, MAP]
    text = (place / "RUN" / "report.md").read_text("utf-8")
    assert text.count(f"| {WORDS} |") == 2
    assert text.count("these are not its abstention marks") == 1


def test_another_map_later_costs_no_forward_and_is_shown_by_the_kept_sample(place, tmp_path, capsys):
    (tmp_path / "map.json").write_text('{"choice:6-10": 0.8}', "utf-8")
    assert sweep(place, "LATER", f"min_confidence={tmp_path}/map.json", "regime=[served]") == 0
    assert "0 forwards done" in capsys.readouterr().err
    assert marks(place, "LATER") == [("served", {"choice:6-10": 0.8}, True)]
    [key] = [key for key in metrics(place, "LATER") if key[1]]
    # Questions of all other sizes pass, whatever their confidence.
    own = [
        row
        for row in pq.read_table(place / "LATER" / "decisions.parquet").to_pylist()
        if row["question_type"] == "choice" and 6 <= row["n_options"] <= 10
    ]
    low = sum(row["gate_confidence"] < 0.8 for row in own)
    assert 0 < low < len(own)
    assert metrics(place, "LATER")[key]["abstention_rate"]["value"] == low / (2 * ROWS)
    assert exported(place, tmp_path, run="LATER")["config"]["timing"]["min_confidence_sent"] is True


def test_without_a_kept_sample_nothing_is_claimed_and_a_gate_on_it_fails(place, tmp_path, capsys):
    shutil.copytree(place / "store", place / "bare")
    shutil.rmtree(place / "bare" / "parity")
    words = [f"min_confidence={OTHER}", "regime=[served]"]
    assert sweep(place, "BARE", *words, "gate.min.choice_accuracy=0.0", store="bare") == 0
    assert marks(place, "BARE") == [("served", {"choice:6-10": 0.8}, False)]
    assert exported(place, tmp_path, run="BARE")["config"]["timing"]["min_confidence_sent"] is False
    assert sweep(place, "BARE", *words, "gate.min.coverage=0.0", store="bare") == 1
    assert "the store keeps no parity sample" in capsys.readouterr().out


@pytest.mark.parametrize(("regime", "code"), [("served", 0), ("raw", 1)])
def test_a_gate_takes_no_marks_that_are_not_the_runtimes(place, capsys, regime, code):
    words = ["gate", str(place / "RUN"), "--regime", regime, "--min-confidence", json.dumps(MAP)]
    assert main([*words, "--min", "coverage=0.0", "--min", "choice_accuracy=0.0"]) == code
    out = capsys.readouterr().out
    assert f"min_confidence={WORDS}" in out
    assert ("the runtime does not serve regime raw" in out) == (regime == "raw")
    assert main([*words, "--min", "choice_accuracy=0.0"]) == 0


def test_results_of_two_maps_are_not_comparable_and_of_one_map_are(place, capsys):
    sweep(place, "TWO", f"min_confidence={OTHER}", "regime=[served]")
    words = ["--regime", "served", "--min-confidence", WORDS, "--baseline"]
    assert main(["compare", str(place / "RUN"), *words, str(place / "TWO")]) == 1
    said = f"min_confidence (abstention threshold): baseline is {OTHER}, this run is {{choice:2: 0.8"
    assert said in capsys.readouterr().out
    shutil.copytree(place / "RUN", place / "SAME")
    assert main(["compare", str(place / "RUN"), *words, str(place / "SAME"), "--tolerance", "coverage=0", "--all"]) == 0
    out = capsys.readouterr().out
    assert "coverage" in out
    assert "FAIL" not in out


def test_a_selector_that_names_no_threshold_of_the_run_is_one_line(place, capsys):
    for words in (["--min-confidence", OTHER], ["--min-confidence", "{choice:3: 0.5}"], []):
        assert main(["export", str(place / "RUN"), "--format", "laya-evals", "--regime", "served", *words]) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert WORDS in line or "--min-confidence" in line
    words = ["--format", "laya-evals", "--regime", "raw", "--min-confidence", WORDS]
    assert main(["export", str(place / "RUN"), *words]) == 2
    assert "whose temperatures it does not apply" in capsys.readouterr().err


def test_a_curve_has_the_maps_beside_it_and_only_numbers_in_its_table(place, tmp_path, capsys):
    out = tmp_path / "curve.parquet"
    assert main(["curve", str(place / "RUN"), str(place / "LATER"), "--out", str(out)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert len({len(line) for line in lines}) == 1
    served = [line[3] for line in lines if line[2] == "served"]
    assert served == ["0.5", WORDS.replace(" ", ""), OTHER.replace(" ", "")]
    assert pq.read_table(out)["threshold"].to_pylist() == [0.5, 0.5]


def test_a_multirun_over_maps_and_a_dry_run(place, capsys):
    words = ["-m", f"min_confidence={OTHER},0.3", "regime=[served]", "dry_run=true"]
    fixed = ["dataset=jsonl", f"dataset.path={place}/set.jsonl", "checkpoint=[demo_english]"]
    assert main([*words, *fixed, f"store.uri={place}/store"]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("min_confidence")]
    assert said == [f"min_confidence: {OTHER}", "min_confidence: 0.3"]


def test_the_map_of_the_marks_is_a_value(place):
    """What the test relies on: the words are the map."""
    assert str(BucketThresholds.of(MAP)) == WORDS
