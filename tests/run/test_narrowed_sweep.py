"""Narrowed sweeps of the 77-option set with a bundled checkpoint: facts, resume, comparison, export, the runtime."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from laya.shortlist import embed_fn_from_agent, predict_shortlist, predict_tournament
from many_options import jsonl
from runtime_agents import demo_agent

from laya_sweep.__main__ import main
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.store.stored_run import StoredRun

ROWS = 14
SHORTLIST = ["narrowing=shortlist", "narrowing.k=10"]
KNOCKOUT = ["narrowing=knockout", "narrowing.group_size=16"]


def swept(out, *words):
    own = ["dataset=jsonl", "dataset.path=set.jsonl", "checkpoint=[demo_english]", "executor=inline", "regime=[served]"]
    return main([*own, "min_confidence=null", "store.uri=store", f"out_dir={out}", *words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder with a shortlist, a knockout, and a shortlist by another embedder; tests read them."""
    path, before = tmp_path_factory.mktemp("narrowed"), Path.cwd()
    os.chdir(path)
    try:
        Path("set.jsonl").write_text(jsonl(ROWS))
        assert swept("short", *SHORTLIST) == 0
        assert swept("knock", *KNOCKOUT) == 0
    finally:
        os.chdir(before)
    return path


@pytest.fixture(autouse=True)
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    return demo_agent(tmp_path_factory.mktemp("agent"))


def table(out, name):
    return pq.read_table(Path(out) / f"{name}.parquet").to_pylist()


def asked(out):
    """(state, questions, decision) of each case."""
    decisions = {row["case_id"]: row for row in table(out, "decisions")}
    return [
        (json.loads(case["state_json"]), json.loads(case["questions_json"]), decisions[case["case_id"]])
        for case in table(out, "cases")
    ]


def test_a_shortlist_is_what_the_runtime_answers(agent) -> None:
    embed = embed_fn_from_agent(agent, batch_size=1)
    for state, questions, decision in asked("short")[:6]:
        theirs = predict_shortlist(agent, state, questions, embed, 10)
        told, answer = theirs["shortlist"]["request"], theirs["answers"]["request"]
        assert [decision["options"][i] for i in decision["kept"]] == told["labels"]
        assert decision["kept_scores"] == pytest.approx(told["scores"], abs=1e-6)
        assert (decision["n_options"], decision["full_options"]) == (10, 77)
        assert decision["pred_label"] == answer["choice"]
        assert decision["answer_confidence"] == pytest.approx(answer["answer_confidence"], abs=2e-4)


def test_a_knockout_is_what_the_runtime_answers(agent) -> None:
    for state, questions, decision in asked("knock")[:6]:
        theirs = predict_tournament(agent, state, questions, 16)
        told, answer = theirs["tournament"]["request"], theirs["answers"]["request"]
        assert [decision["options"][i] for i in decision["kept"]] == told["labels"]
        assert decision["rounds"] == told["rounds"] == 1
        assert decision["pred_label"] == answer["choice"]
        assert decision["answer_confidence"] == pytest.approx(answer["answer_confidence"], abs=2e-4)


def test_costs_are_counted_apart() -> None:
    short, knock = (json.loads((Path(out) / "provenance.json").read_text()) for out in ("short", "knock"))
    assert short["forward_rows"] == knock["forward_rows"] == ROWS
    # The parity sample is chosen among more cases than these, so that all texts are known before the work begins.
    assert short["embedded_texts"] == 0
    assert (short["elimination_rows"], knock["embedded_texts"]) == (0, 0)
    assert knock["elimination_rows"] == ROWS * 5  # 77 options in groups of up to 16
    calls = [row["call_ms"] - row["forward_ms"] for row in table("knock", "timings")]
    assert min(calls) > 0  # the rounds are part of what an answer took


def test_a_second_run_infers_nothing(capsys) -> None:
    assert swept("again", *SHORTLIST) == 0
    assert f"{ROWS} cached, 0 to run" in capsys.readouterr().err
    same = [(Path(out) / "report.json").read_bytes() for out in ("short", "again")]
    assert same[0] == same[1]


def test_reports_have_a_schema_and_figures_of_their_own() -> None:
    for out, kind, metric in (
        ("short", "shortlist", "shortlist_recall_at_k"),
        ("knock", "knockout", "tournament_survival_rate"),
    ):
        report = json.loads((Path(out) / "report.json").read_text())
        assert report["schema"] == f"laya-sweep-{kind}-report/1"
        assert report["config"]["narrowing"]["name"] == kind
        [result] = report["results"]
        blocks = [result["overall"], *result["languages"].values()]
        blocks += [block for values in result["slices"].values() for block in values.values()]
        assert all(metric in block["metrics"] for block in blocks)
        assert metric in (Path(out) / "report.md").read_text()


def test_another_size_or_embedder_is_another_cell(capsys) -> None:
    for words in (["narrowing=shortlist", "narrowing.k=9"], ["narrowing=knockout", "narrowing.group_size=8"], []):
        assert swept("no", *words, "dry_run=true") == 0
        assert f"0 cached, {ROWS} to run" in capsys.readouterr().out
    words = ["narrowing=shortlist", "narrowing.k=10", "narrowing.embedder=many_options:letters"]
    assert swept("no", *words, "narrowing.embedder_id=v1", "dry_run=true") == 0
    assert f"0 cached, {ROWS} to run" in capsys.readouterr().out


def test_a_shortlist_is_never_compared_with_another_measurement(capsys) -> None:
    assert swept("judged", *SHORTLIST, "baseline=short", "gate.tolerance.choice_accuracy=0") == 0
    capsys.readouterr()
    for baseline, key in (("knock", "schema"), ("full.json", "schema"), ("nine.json", "options kept")):
        report = json.loads(Path("short/report.json").read_text())
        if baseline == "full.json":
            report["schema"] = "laya-sweep-report/1"
            del report["config"]["narrowing"]
        report["config"].get("narrowing", {})["k"] = 9
        Path("full.json" if baseline == "full.json" else "nine.json").write_text(json.dumps(report))
        assert swept("judged", *SHORTLIST, f"baseline={baseline}", "gate.tolerance.choice_accuracy=1") == 1
        assert "not comparable" in (said := capsys.readouterr().out)
        assert key in said


def test_export_has_upstreams_shape(tmp_path) -> None:
    for out, told, schema in (("short", "shortlist", "laya-shortlist"), ("knock", "tournament", "laya-tournament")):
        run = StoredRun.open(Path(out))
        document = laya_evals_document(run.select(), None)
        assert document["config"]["schema"] == f"{schema}-evals-report/1"
        counts = document["config"][told]["counts"]
        assert sum(counts.values()) == ROWS == len(document["cases"])
        for case in document["cases"]:
            assert set(case["answer"]["probabilities"]) == set(case[told]["labels"])
            assert case[told]["n"] == 77
        right = counts["correct"] / ROWS
        assert document["overall"]["choice_accuracy"] == pytest.approx(right)
        assert main(["export", out, "--format", "laya-eval", "--out", str(tmp_path / "x.json")]) == 0


def test_questions_of_an_embedder_that_fails_are_error_rows(capsys, monkeypatch) -> None:
    monkeypatch.setattr("many_options.letters", lambda texts: 1 / 0)
    words = ["narrowing=shortlist", "narrowing.embedder=many_options:letters", "narrowing.embedder_id=broken"]
    assert swept("broken", *words) == 3
    assert "NarrowingError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["narrowing=shortlist", "narrowing.k=0"], "narrowing.k"),
        (["narrowing=shortlist", "narrowing.embedder=a b:c"], "narrowing.embedder"),
        (["narrowing=shortlist", "narrowing.embedder=m:f"], "narrowing.embedder_id"),
        (["narrowing=shortlist", "narrowing.embedder=none_such:f", "narrowing.embedder_id=x"], "none_such"),
        (["narrowing=knockout", "narrowing.group_size=1"], "narrowing.group_size"),
        (["narrowing=both"], "narrowing"),
    ],
)
def test_faults_of_the_configuration(words, said, capsys) -> None:
    assert swept("no", *words) == 2
    assert said in capsys.readouterr().err
