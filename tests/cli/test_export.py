"""`export`: the published document and the upstream report of one result, and every wrong word."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from stored_runs import choice_drafts, drafts, write_run

from laya_sweep.__main__ import main
from laya_sweep.results.timing import upstream_times


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A demo sweep of one checkpoint, three languages, in process."""
    folder = tmp_path_factory.mktemp("export")
    words = ["languages=[en,de,km]", "executor=inline", "checkpoint=[demo_multilingual]", "dataset.per_lang=12"]
    assert main([*words, f"store.uri={folder}/store", f"out_dir={folder}/run"]) == 0
    return folder / "run"


def exported(run, tmp_path, *words):
    path = tmp_path / "document.json"
    assert main(["export", str(run), *words, "--out", str(path)]) == 0
    return json.loads(path.read_text("utf-8"))


def close(value, expected):
    return value == pytest.approx(expected, abs=5.01e-5)


def test_every_figure_of_a_published_document_follows_from_its_cases(demo, tmp_path):
    document = exported(demo, tmp_path, "--format", "laya-eval", "--regime", "served")
    assert [*document] == ["config", "report", "cases", "summary", "measured"]
    for code, entry in document["report"].items():
        own = [case for case in document["cases"] if case["lang"] == code]
        right = np.array([case["correct"] for case in own])
        confidence = np.array([case["confidence"] for case in own])
        bins = np.ceil(np.clip(confidence, 1e-9, 1) * 15).astype(int)
        gaps = [abs((confidence - right)[bins == b].sum()) for b in range(1, 16)]
        assert (entry["n"], entry["accuracy"]) == (len(own), round(float(right.mean()), 4))
        assert close(entry["ece"], sum(gaps) / len(own))
        assert close(entry["mean_confidence"], confidence.mean())
        assert {case["temperature"] for case in own} == {entry["temperature"]}
    for case in document["cases"]:
        assert case["options"][case["gold_index"]] == case["gold_label"]
        assert case["options"][case["pred_index"]] == case["pred_label"]
        assert case["correct"] == int(case["gold_index"] == case["pred_index"])
        assert len(case["option_texts"]) == len(case["options"])
        assert case["probability"] == round(case["probability"], 6)
    macro = np.mean([entry["accuracy"] for entry in document["report"].values()])
    summary = document["summary"]
    assert (summary["languages"], summary["asked"], summary["complete"]) == (3, 3, True)
    assert close(summary["macro_accuracy"], macro)


def test_config_says_what_was_measured(demo, tmp_path):
    config = exported(demo, tmp_path, "--format", "laya-eval", "--regime", "raw")["config"]
    report = json.loads((demo / "report.json").read_text("utf-8"))["config"]
    own = report["checkpoints"]["demo_multilingual"]
    assert (config["requested_model_revision"], own["requested_revision"], config["model_revision"]) == (None,) * 3
    assert (config["max_len"], config["head_max_len"]) == (own["max_len"], own["head_max_len"])
    assert (config["dataset"], config["per_lang"], config["seed"]) == ("demo", 12, 13)
    assert (config["checkpoint"], config["regime"], config["transform"]) == ("demo_multilingual", "raw", "baseline")
    shipped = pq.read_table(demo / "checkpoints.parquet").to_pylist()
    in_force = {row["bucket"]: row["temperature_raw"] for row in shipped if row["temperature_source"] == row["bucket"]}
    assert config["temperatures"] == in_force
    assert config["environment"]["torch"] == report["library_versions"]["torch"]
    assert config["laya_version"] == report["library_versions"]["laya"]


def test_a_document_without_provenance_invents_no_time(demo, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(demo, copy)
    (copy / "provenance.json").unlink()
    config = exported(copy, tmp_path, "--format", "laya-eval", "--regime", "raw")["config"]
    assert not {"run_at_utc", "environment"} & config.keys()


@pytest.mark.parametrize("shape", ["laya-eval", "laya-evals"])
def test_revisions_are_told_as_asked_and_as_resolved_where_they_are_known(tmp_path, shape):
    run = write_run(tmp_path / "run", {"en": [*choice_drafts("en", 6)]}, min_confidence=(None,))
    words = ["--format", shape, "--regime", "served"]
    config = exported(run.folder, tmp_path, *words)["config"]
    assert config["model_revision"] == "f" * 40
    assert not {"requested_model_revision", "source_revision"} & config.keys(), "an older run does not tell"

    document = json.loads((run.folder / "report.json").read_text("utf-8"))
    document["config"]["checkpoints"]["mine"]["requested_revision"] = "v1"
    (run.folder / "report.json").write_text(json.dumps(document), "utf-8")
    (run.folder / "provenance.json").write_text('{"source_revision": "abc", "source_dirty": false}', "utf-8")
    config = exported(run.folder, tmp_path, *words)["config"]
    assert (config["requested_model_revision"], config["model_revision"]) == ("v1", "f" * 40)
    assert (config["source_revision"], config["source_dirty"]) == ("abc", False)


def test_without_out_the_document_is_on_stdout(demo, tmp_path, capsys):
    words = ["--format", "laya-eval", "--regime", "served"]
    expected = exported(demo, tmp_path, *words)
    capsys.readouterr()
    assert main(["export", str(demo), *words]) == 0
    assert json.loads(capsys.readouterr().out) == expected


def test_an_incomplete_result_has_no_macro(tmp_path):
    cases = {"en": [*choice_drafts("en", 12)]}
    run = write_run(tmp_path / "run", cases, asked=["en", "km"], failed={"km": "no rows"})
    document = exported(run.folder, tmp_path, "--format", "laya-eval", "--regime", "served")
    summary = document["summary"]
    assert (summary["languages"], summary["asked"], summary["complete"]) == (1, 2, False)
    assert "macro_accuracy" not in summary
    assert summary["macro_accuracy_partial"] == document["report"]["en"]["accuracy"]
    assert document["failed"] == {"km": "no rows"}


def test_an_upstream_report_carries_the_marks_of_one_threshold(demo, tmp_path):
    words = ["--format", "laya-evals", "--regime", "served", "--min-confidence"]
    document = exported(demo, tmp_path, *words, "0.90")
    marks = [case["answer"]["abstention"] for case in document["cases"]]
    metrics = pq.read_table(demo / "metrics.parquet").to_pylist()
    [rate] = [
        row["value"]
        for row in metrics
        if (row["regime"], row["slice"], row["metric"], row["min_confidence"])
        == ("served", "overall", "abstention_rate", 0.9)
    ]
    assert marks.count("abstained") == round(rate * len(marks))
    timing = document["config"]["timing"]
    assert (timing["min_confidence"], timing["min_confidence_sent"]) == (0.9, True)
    plain = exported(demo, tmp_path, *words, "none")
    assert "abstention" not in plain["cases"][0]["answer"]
    timing = plain["config"]["timing"]
    assert (timing["min_confidence"], timing["min_confidence_sent"]) == (None, False)
    assert plain["overall"] == document["overall"]


def test_timing_comes_from_the_rows_whatever_made_them(demo, tmp_path):
    document = exported(demo, tmp_path, "--format", "laya-evals", "--regime", "raw", "--min-confidence", "none")
    stored = json.loads((demo / "timing.json").read_text("utf-8"))["checkpoints"]["demo_multilingual"]
    told = {name: value for name, value in document["overall"].items() if name.endswith("_ms")}
    assert told == upstream_times(stored)
    calls = pq.read_table(demo / "timings.parquet")["batch_rows"].to_pylist()
    timing = document["config"]["timing"]
    assert timing["rows_grouped"] + timing["rows_alone"] == len(calls) == 36
    assert timing["max_chunk"] == max(calls) == stored["largest_batch"]
    assert timing["chunks"] == round(sum(1 / rows for rows in calls))
    assert timing["batch_sizes_used"] == {str(n): calls.count(n) // n for n in sorted(set(calls))}
    shared = timing.keys() & stored.keys() - {"min_confidence"}
    assert {name: timing[name] for name in shared} == {name: stored[name] for name in shared}
    assert {"chunks", "batch_size", "batch_tokens", "sort_by_length", "sort_by_length_sent"} <= shared


def test_a_run_without_recorded_calls_says_unknown_and_not_zero(tmp_path):
    run = write_run(tmp_path / "run", {"en": [*choice_drafts("en", 6)]})
    timing = exported(run.folder, tmp_path, "--format", "laya-evals", "--regime", "raw", "--min-confidence", "none")
    timing = timing["config"]["timing"]
    assert (timing["chunks"], timing["batch_size"], timing["rows_unrecorded"]) == ("unknown", "unknown", 6)


def test_the_dataset_digest_moves_with_the_rows_and_the_question_digest_with_the_questions(tmp_path):
    def identity(name, cases):
        run = write_run(tmp_path / name, {"en": cases})
        words = ["--format", "laya-evals", "--regime", "served", "--min-confidence", "none"]
        config = exported(run.folder, tmp_path, *words)["config"]
        return config["dataset_sha256"], config["questions_sha256"]

    short, again, longer = (
        identity(name, [*choice_drafts("en", count)]) for name, count in (("a", 5), ("b", 5), ("c", 6))
    )
    other = identity("d", [*choice_drafts("en", 5, options=4)])
    assert short == again
    assert (short[0] != longer[0], short[1] == longer[1]) == (True, True)
    assert (short[0] != other[0], short[1] != other[1]) == (True, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "--format"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--format", "laya-eval"], "2 match: demo_multilingual raw baseline; demo_multilingual served baseline"),
        (["--format", "laya-eval", "--regime", "unit"], "one of raw, served"),
        (["--format", "laya-eval", "--regime", "raw", "--min-confidence", "0.5"], "laya-eval, which has none"),
        (["--format", "laya-evals", "--regime", "raw"], "one of 0, 0.5, 0.7, 0.9, none"),
        (["--format", "laya-evals", "--regime", "served", "--min-confidence", "0.55"], "got '0.55'"),
        (["--format", "laya-evals", "--regime", "served", "--min-confidence", "nan"], "got 'nan'"),
        (["--format", "laya-evals", "--regime", "raw", "--min-confidence", "0.5"], "export the served regime"),
        (["--format", "laya-eval", "--regime", "raw", "--out", "RUN"], "--out"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(demo, capsys, words, said):
    assert main(["export", str(demo), *(str(demo) if word == "RUN" else word for word in words)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_questions_that_a_published_document_cannot_hold_are_refused(tmp_path, capsys):
    run = write_run(tmp_path / "run", {"en": [*drafts(np.random.default_rng(1), "en", 5)]})
    assert main(["export", str(run.folder), "--format", "laya-eval", "--regime", "raw"]) == 2
    assert "one labelled choice question" in capsys.readouterr().err


@pytest.mark.reference
def test_the_published_english_document_has_the_same_keys_and_inputs(english, shared, tmp_path):
    words = [*english, "languages=[en]", "executor=inline", "regime=[served]"]
    assert main([*words, f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/run"]) == 0
    ours = exported(tmp_path / "run", tmp_path, "--format", "laya-eval")
    theirs = json.loads((shared / "golden" / "massive_en_release.json").read_text("utf-8"))
    harness = {"source_revision", "source_dirty", "requested_model_revision"}  # of the publisher's checkout
    assert theirs["config"].keys() - ours["config"].keys() <= {"source_revision", "source_dirty"}
    assert ours["report"]["en"].keys() == theirs["report"]["en"].keys()
    assert ours["report"]["en"]["input_sha256"] == theirs["report"]["en"]["input_sha256"]
    assert theirs["summary"].keys() <= ours["summary"].keys()
    asked = ("lang", "index", "state", "instructions", "options", "option_texts", "gold_index", "gold_label")
    for own, published in zip(ours["cases"], theirs["cases"], strict=True):
        ours_alone = ["source_id", "unrounded", "gate_confidence"]
        assert [*own] == [*published, *(key for key in ours_alone if key in own)]
        assert [own[key] for key in asked] == [published[key] for key in asked]
    same = ("dataset_revision", "model_revision", "model", "dataset", "temperatures", "laya_version", "environment")
    for key in theirs["config"].keys() - harness - {"run_at_utc", *same}:
        assert ours["config"][key] == theirs["config"][key], key
