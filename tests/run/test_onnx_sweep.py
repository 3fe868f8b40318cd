"""One run over a checkpoint in torch, ONNX and INT8: the drift table, bytes that stay, rows of another checkpoint."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from labelled_sets import labelled_set, lines_of

from laya_sweep import evaluate, open_engine
from laya_sweep.__main__ import main
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows():
    """A generated set: questions of all types."""
    return [{key: value for key, value in row.items() if key != "model"} for row in labelled_set(7, rows=14)]


def swept(graphs, path, *words, runners=("torch", "fp32", "int8")):
    """Exit code of a sweep of a labelled file with the runners named, in this process."""
    own = ["dataset=jsonl", f"dataset.path={path}", "checkpoint=[]", "executor=inline", "regime=[served]"]
    for name in runners:
        own.append(f"+checkpoints.{name}.source=bundled:demo_english")
        if name != "torch":
            own += [f"+checkpoints.{name}.engine=onnx", f"+checkpoints.{name}.onnx={getattr(graphs, name)}"]
    return main([*own, *words])


@pytest.fixture(scope="module")
def run(graphs, rows, tmp_path_factory):
    """A run of all three, one row a call."""
    folder = tmp_path_factory.mktemp("drift")
    (folder / "set.jsonl").write_text(lines_of(rows), "utf-8")
    words = [f"store.uri={folder}/store", f"out_dir={folder}/OUT", "batch_size=1"]
    assert swept(graphs, folder / "set.jsonl", *words) == 0
    return folder


def report(folder):
    return json.loads((folder / "report.json").read_text("utf-8"))


def decisions(folder, name):
    found = [row for row in pq.read_table(folder / "decisions.parquet").to_pylist() if row["checkpoint"] == name]
    return {(row["case_id"], row["question"]): row for row in found}


def test_the_drift_table_is_that_of_the_decisions(run):
    document = report(run / "OUT")
    [table] = document["drift"]
    assert (table["reference"], [row["checkpoint"] for row in table["rows"]]) == ("torch", ["torch", "fp32", "int8"])
    assert [row["engine"] for row in table["rows"]] == ["torch", "onnx fp32", "onnx int8"]
    torch = decisions(run / "OUT", "torch")
    for row in table["rows"]:
        own = decisions(run / "OUT", row["checkpoint"])
        assert own.keys() == torch.keys()
        same = [own[key]["pred_index"] == torch[key]["pred_index"] for key in torch]
        worst = max(np.abs(np.array(own[key]["probabilities"]) - torch[key]["probabilities"]).max() for key in torch)
        assert row["n"] == len(torch)
        assert row["label_agreement"] == pytest.approx(np.mean(same))
        assert row["max_probability_difference"] == pytest.approx(worst, abs=1e-9)
        [figures] = [one["overall"]["metrics"] for one in document["results"] if one["checkpoint"] == row["checkpoint"]]
        assert row["metrics"] == {name: figures[name]["value"] for name in row["metrics"]}
    first, full, small = table["rows"]
    assert full["metrics"] == pytest.approx(first["metrics"], abs=1e-5)
    assert full["max_probability_difference"] < 1e-4 < small["max_probability_difference"]
    assert "## Drift from torch, served, baseline" in (run / "OUT" / "report.md").read_text("utf-8")


def test_evaluate_answers_with_the_graph_as_the_sweep_does(run, graphs):
    found = evaluate(run / "set.jsonl", open_engine("bundled:demo_english", onnx=graphs.int8))
    [swept] = [one for one in report(run / "OUT")["results"] if one["checkpoint"] == "int8"]
    for name in ("choice_accuracy", "noul_accuracy", "score_mae", "ece"):
        assert found.value(name) == swept["overall"]["metrics"][name]["value"]


def test_both_files_and_the_engine_stand_in_the_report_and_the_table(run, graphs):
    document = report(run / "OUT")["config"]["checkpoints"]
    assert {name: (one["engine"], one["onnx"]) for name, one in document.items()} == {
        "torch": ("torch", None),
        "fp32": ("onnx fp32", str(graphs.fp32)),
        "int8": ("onnx int8", str(graphs.int8)),
    }
    assert {one["source"] for one in document.values()} == {"bundled:demo_english"}
    table = pq.read_table(run / "OUT" / "checkpoints.parquet").to_pylist()
    assert {(row["checkpoint"], row["engine"], row["onnx_sha256"]) for row in table} == {
        ("torch", "torch", None),
        ("fp32", "onnx", document["fp32"]["digests"]["onnx"]),
        ("int8", "onnx", document["int8"]["digests"]["onnx"]),
    }


def test_the_terminal_shows_metrics_and_milliseconds_side_by_side(run, graphs, capsys):
    words = [f"store.uri={run}/store", f"out_dir={run}/again"]
    assert swept(graphs, run / "set.jsonl", *words) == 0
    said = capsys.readouterr()
    assert "0 forwards done" in said.err
    lines = said.out.splitlines()
    start = lines.index("drift from torch, served, baseline")
    header, *shown = lines[start + 1 : start + 5]
    assert {"choice_accuracy", "noul_accuracy", "score_mae", "ece", "p50"} <= {*header.split()}
    assert [line.split()[0] for line in shown] == ["torch", "fp32", "int8"]
    timing = json.loads((run / "OUT" / "timing.json").read_text("utf-8"))["checkpoints"]
    for line in shown:
        clock = timing[line.split()[0]]
        assert line.split()[-3:] == [
            f"{clock['latency_p50_ms']:.2f}",
            f"{clock['cost_per_decision_p50_ms']:.2f}",
            str(clock["largest_batch"]),
        ]


def test_facts_are_the_same_bytes_in_other_batches_and_shards(run, graphs):
    words = [f"store.uri={run}/other", f"out_dir={run}/other-out", "shard_cases=5"]
    assert swept(graphs, run / "set.jsonl", *words) == 0
    one, two = (run / name / "logits.parquet" for name in ("OUT", "other-out"))
    assert one.read_bytes() == two.read_bytes()
    batches = pq.read_table(run / "other-out" / "timings.parquet").to_pylist()
    assert max(row["batch_rows"] for row in batches if row["checkpoint"] == "fp32") > 1
    by_case = Counter(row["case_id"] for row in batches if row["checkpoint"] == "int8")
    assert max(by_case.values()) > 1
    assert all(row["batch_rows"] == by_case[row["case_id"]] for row in batches if row["checkpoint"] == "int8")


def test_a_named_reference_and_no_group(run, graphs):
    words = [f"store.uri={run}/store", f"out_dir={run}/named"]
    assert swept(graphs, run / "set.jsonl", *words, "drift=int8", runners=("fp32", "int8")) == 0
    [table] = report(run / "named")["drift"]
    assert [row["checkpoint"] for row in table["rows"]] == ["int8", "fp32"]
    assert swept(graphs, run / "set.jsonl", *words, runners=("int8",)) == 0
    assert "drift" not in report(run / "named")


@pytest.fixture
def foreign(rows, tmp_path):
    """The same rows, some of which name a checkpoint: another one twice, this one in three spellings."""
    named = ["typed-decisions", "bundled:demo_english", "FP32", None, "multilingual"]
    changed = [row | ({"model": name} if name else {}) for row, name in zip(rows, named, strict=False)]
    path = tmp_path / "foreign.jsonl"
    path.write_text(lines_of([*changed, *rows[len(named) :]]), "utf-8")
    return path


def test_a_row_of_another_checkpoint_is_an_error_of_its_own(run, graphs, foreign, tmp_path, capsys):
    words = [f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/OUT"]
    assert swept(graphs, foreign, *words, "on_error=skip", runners=("fp32", "torch")) == 0
    assert "fp32: 2 rows ask for another checkpoint" in capsys.readouterr().err
    results = {one["checkpoint"]: one for one in report(tmp_path / "OUT")["results"]}
    assert results["torch"]["errored"] == []
    errors = results["fp32"]["errored"]
    assert {error["index"] for error in errors} == {0, 4}
    assert all("OtherCheckpointError: the row asks for" in error["error"] for error in errors)
    facts = pq.read_table(tmp_path / "OUT" / "logits.parquet").to_pylist()
    refused = [row for row in facts if row["status"] == "error"]
    assert len(refused) == len(errors)
    assert all((row["checkpoint"], row["logits"]) == ("fp32", None) for row in refused)


def test_a_row_of_another_checkpoint_fails_its_language(graphs, foreign, tmp_path, capsys):
    """Also where the store already holds an answer of this graph to the same input, under a name that may give it."""
    words = [f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/OUT"]
    free = Path(tmp_path / "free.jsonl")
    free.write_text("".join(f"{json.dumps(row)}\n" for row in without_model(foreign)), "utf-8")
    assert swept(graphs, free, *words, runners=("fp32",)) == 0
    assert swept(graphs, foreign, *words, runners=("fp32",)) == 3
    said = capsys.readouterr().err
    assert "the row asks for typed-decisions, and the ONNX export serves bundled:demo_english alone" in said
    assert swept(graphs, foreign, *words, "on_error=skip", "gate.min_accuracy=0", runners=("fp32",)) == 1


def without_model(path):
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            row = json.loads(line)
            row.pop("model", None)
            yield row


def without_times(figures):
    return {name: value for name, value in figures.items() if not name.endswith("_ms")}


@pytest.fixture(scope="module")
def upstream(run, graphs, tmp_path_factory):
    """The report of `laya-evals run --onnx` over the same file, by the INT8 graph."""
    folder = tmp_path_factory.mktemp("upstream")
    shutil.copytree(CHECKPOINTS_FOLDER / "demo_english", folder / "demo_english")
    words = [
        "run",
        run / "set.jsonl",
        "--model",
        folder / "demo_english",
        "--onnx",
        graphs.int8,
        "--json",
        folder / "r.json",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "laya.evals_cli", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return report_at(folder / "r.json")


def test_int8_figures_are_those_of_laya_evals_run_onnx(run, upstream, tmp_path):
    """All questions of a row in one call, as the runtime asks them: answers and figures equal to its rounding."""
    words = ["export", run / "OUT", "--checkpoint", "int8", "--format", "laya-evals", "--min-confidence", "none"]
    assert main([*map(str, words), "--out", f"{tmp_path}/ours.json"]) == 0
    ours = report_at(tmp_path / "ours.json")
    assert max(len(json.loads(line)["questions"]) for line in lines(run / "set.jsonl")) > 1
    assert told(ours) == told(upstream)
    own = without_times(ours["overall"])
    own.pop("score_within_0.25")  # which the upstream command was not asked for
    assert own == pytest.approx(without_times(upstream["overall"]), abs=1e-12)


def told(document):
    """Question and answer of every case, whatever their order."""
    return sorted(json.dumps([case["qid"], case["answer"]], sort_keys=True) for case in document["cases"])


def lines(path):
    return [line for line in path.read_text("utf-8").splitlines() if line.strip() and not line.startswith("#")]


def report_at(path):
    return json.loads(path.read_text("utf-8"))
