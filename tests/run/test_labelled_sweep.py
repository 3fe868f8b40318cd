"""Labelled sets from a file to figures, through a bundled checkpoint and the inline executor."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from labelled_sets import labelled_set, lines_of
from laya.evals import Dataset, ScoreWithin, default_evaluators, evaluate
from runtime_agents import demo_agent

from laya_sweep.__main__ import main
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.domain.fingerprint import file_fingerprint, questions_fingerprint
from laya_sweep.store.stored_run import StoredRun
from laya_sweep.suites.labelled import read_labelled

#: Upstream rounds to 4 decimals and pads its batches otherwise.
CLOSE = 2e-4
N = "mean_confidence"  # whose n is that of all labelled answers
COMPARED = ("choice_accuracy", "noul_accuracy", "score_mae", "score_within_0.25", "mean_confidence", "ece", "brier")


def swept(path, *words):
    """Exit code of a sweep of a labelled file with the small English checkpoint, in this process."""
    own = ["dataset=jsonl", f"dataset.path={path}", "checkpoint=[demo_english]", "executor=inline", "out_dir=OUT"]
    return main([*own, *words])


def table(name):
    return pq.read_table(Path("OUT") / f"{name}.parquet").to_pylist()


def metrics_of(regime="served"):
    """(slice, value, metric) -> row, of the metrics without a threshold."""
    return {
        (row["slice"], row["slice_value"], row["metric"]): row
        for row in table("metrics")
        if row["regime"] == regime and row["min_confidence"] is None
    }


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """A generated set: 24 rows of one to four questions, all types and forms, three languages and none."""
    path = tmp_path_factory.mktemp("set") / "mixed.jsonl"
    path.write_text(lines_of(labelled_set(24, rows=24)), "utf-8")
    return path


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    return demo_agent(tmp_path_factory.mktemp("agent"))


class Runner:
    """A runner for laya.evals that answers with one checkpoint whatever a row asks for, as a named one does."""

    model = "demo_english"

    def __init__(self, agent):
        self._agent = agent

    def predict(self, state, questions, model=None):
        return self._agent.predict(state, questions)


def upstream(agent, path):
    dataset = Dataset.from_jsonl(str(path))
    for example in dataset.examples:
        example.model = None
    return evaluate(Runner(agent), dataset, [*default_evaluators(), ScoreWithin(0.25)])


def assert_equal_figures(ours, theirs, dimension, value=""):
    for metric in COMPARED:
        row = ours[dimension, value, metric]
        if metric in theirs:
            assert row["value"] == pytest.approx(theirs[metric], abs=CLOSE), (dimension, value, metric)
        else:
            assert row["value"] is None, (dimension, value, metric)
            assert row["reason"].startswith("no labelled "), row


def assert_equal_reports(agent, path):
    """Overall and every slice by language, question and tag, against laya.evals on the same file."""
    ours, theirs = metrics_of(), upstream(agent, path)
    assert_equal_figures(ours, theirs.overall, "overall")
    for dimension in ("language", "qid", "tag"):
        wanted = theirs.slices.get(dimension, {})
        named = [(value, row["n"]) for (place, value, metric), row in ours.items() if (place, metric) == (dimension, N)]
        assert {value for value, n in named if n} - {""} == set(wanted)
        for value, figures in wanted.items():
            assert_equal_figures(ours, figures, dimension, value)
    assert theirs.config["questions_sha256"] == config()["questions_sha256"]


def values_of(decision, dimension):
    """The slices of a dimension that a decision belongs to."""
    column = {"model": "checkpoint", "qid": "question", "language": "language"}
    return decision["tags"] if dimension == "tag" else [decision[column[dimension]]]


def config():
    return json.loads(Path("OUT/report.json").read_text("utf-8"))["config"]


@pytest.mark.reference
@pytest.mark.parametrize("name", ["fixture", "swedish_support"])
def test_reference_sets_equal_upstream(shared, agent, monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    path = shared / "golden" / f"{name}.jsonl"
    assert swept(path) == 0
    assert_equal_reports(agent, path)


def test_a_mixed_set_equals_upstream(agent, monkeypatch, tmp_path, mixed):
    monkeypatch.chdir(tmp_path)
    assert swept(mixed, "regime=[served]") == 0
    assert_equal_reports(agent, mixed)


def test_what_stands_in_the_tables_and_documents(monkeypatch, tmp_path, mixed, capsys):
    monkeypatch.chdir(tmp_path)
    assert swept(mixed, "metrics.score_within=[0.5,1]") == 0
    said = capsys.readouterr()
    read = read_labelled(mixed)
    by_row = {case["row_index"]: case for case in table("cases")}
    assert len(by_row) == len(read.examples)
    for index, example in enumerate(read.examples):
        case = by_row[index]
        assert (case["tags"], case["model"], case["language"]) == (
            [*example.tags],
            example.model,
            example.language or "",
        )
        assert json.loads(case["questions_json"]) == example.questions
    decisions = table("decisions")
    assert len(decisions) == 2 * sum(len(one.questions) for one in read.examples)
    for row in decisions:
        assert row["tags"] == by_row[row["row_index"]]["tags"]
    assert (config()["dataset_sha256"], config()["questions_sha256"]) == (
        file_fingerprint(mixed),
        questions_fingerprint(read.examples),
    )
    assert config()["metrics"] == {"rounding": "exact", "score_within": [0.5, 1.0]}
    assert "rows name a model" in said.err
    assert said.out.count("demo_english served - n=") == 1
    assert " qid=q0 n=" in said.out
    assert " score_within_0.5=" in said.out
    page = Path("OUT/report.md").read_text("utf-8")
    assert "noul_accuracy" in page
    assert "| score_within_1 |" in page
    assert "\n| tag | n | choice_accuracy |" in page


def test_figures_of_every_slice_are_those_of_its_decisions(monkeypatch, tmp_path, mixed):
    monkeypatch.chdir(tmp_path)
    assert swept(mixed, "regime=[served]") == 0
    decisions, ours = table("decisions"), metrics_of()
    slices = json.loads(Path("OUT/report.json").read_text("utf-8"))["results"][0]["slices"]
    for dimension in ("model", "qid", "tag", "language"):
        values = {value for place, value, _ in ours if place == dimension}
        assert len(values) == {"model": 1, "qid": 4, "tag": 5, "language": 5}[dimension]
        for value in values:
            own = [row for row in decisions if value in values_of(row, dimension)]
            noul = [row["correct"] for row in own if row["question_type"] == "noul" and row["correct"] is not None]
            errors = [abs(row["score_error"]) for row in own if row["score_error"] is not None]
            found = ours[dimension, value, "noul_accuracy"], ours[dimension, value, "score_mae"]
            assert [row["n"] for row in found] == [len(noul), len(errors)]
            assert found[0]["value"] == (pytest.approx(np.mean(noul)) if noul else None)
            assert found[1]["value"] == (pytest.approx(np.mean(errors)) if errors else None)
            if dimension != "language":
                assert slices[dimension][value]["metrics"]["score_mae"]["value"] == found[1]["value"]
    assert not [key for key in ours if key[0].startswith("macro:") and key[0] != "macro:language"]


def test_a_part_first_and_the_whole_then_computes_each_row_once(monkeypatch, tmp_path, mixed):
    monkeypatch.chdir(tmp_path)

    def forwards():
        return json.loads(Path("OUT/provenance.json").read_text("utf-8"))["forward_rows"]

    assert swept(mixed, "languages=['001','no']", "dataset.per_lang=2") == 0
    first = forwards()
    assert {case["language"] for case in table("cases")} == {"001", "no"}
    assert config()["dataset_sha256"] != file_fingerprint(mixed)
    assert swept(mixed) == 0
    assert first + forwards() == sum(len(one.questions) for one in read_labelled(mixed).examples)
    facts = pq.read_table("OUT/logits.parquet")
    assert swept(mixed, "regime=[unit]", "metrics.score_within=[]", "batch_size=1", "shard_cases=3") == 0
    assert forwards() == 0
    assert pq.read_table("OUT/logits.parquet").equals(facts)


def test_the_runtime_s_figures_are_derived_and_the_export_says_the_same(monkeypatch, tmp_path, mixed, capsys):
    """No forward, the same facts; the metrics table is what the export gives of either run; strict names it."""
    monkeypatch.chdir(tmp_path)
    words = ["regime=[served,raw]", "min_confidence=0.5"]
    assert swept(mixed, *words, "out_dir=EXACT") == 0
    assert swept(mixed, *words, "metrics.rounding=runtime") == 0
    assert json.loads(Path("OUT/provenance.json").read_text("utf-8"))["forward_rows"] == 0
    assert config()["metrics"]["rounding"] == "runtime"
    assert Path("OUT/logits.parquet").read_bytes() == Path("EXACT/logits.parquet").read_bytes()
    for row in table("decisions"):
        numbers = [*row["probabilities"], row["answer_confidence"], row["score_value"] or 0.0, row["p_gold"] or 0.0]
        assert numbers == [round(value, 4) for value in numbers]
        assert row["answer_confidence"] == row["gate_confidence"]
    runs = {name: StoredRun.open(Path(name)) for name in ("OUT", "EXACT")}
    for regime, threshold in (("served", 0.5), ("raw", None)):
        documents = [laya_evals_document(run.select(regime=regime), threshold) for run in runs.values()]
        assert documents[0] == documents[1]
        ours = metrics_of(regime)
        for dimension, groups in {"overall": {"": documents[0]["overall"]}, **documents[0]["slices"]}.items():
            for value, figures in groups.items():
                for metric in [name for name in figures if not name.endswith("_ms")]:
                    assert ours[dimension, value, metric]["value"] == pytest.approx(figures[metric], abs=1e-12)
    capsys.readouterr()
    assert main(["compare", "OUT", "--baseline", "EXACT", "--regime", "served"]) == 1
    assert (
        "not comparable: rounding (metrics.rounding): baseline is exact, this run is runtime" in capsys.readouterr().out
    )
    shutil.copytree("OUT", "SAME")
    assert main(["compare", "OUT", "--baseline", "SAME"]) == 0


def test_batches_leave_no_trace_in_the_facts(monkeypatch, tmp_path, mixed):
    monkeypatch.chdir(tmp_path)
    assert swept(mixed, "store.uri=one") == 0
    whole = Path("OUT/logits.parquet").read_bytes()
    assert swept(mixed, "store.uri=two", "batch_size=1", "shard_cases=5") == 0
    assert Path("OUT/logits.parquet").read_bytes() == whole


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["languages=[xx]"], "expected languages of "),
        (["dataset.path=missing.jsonl"], "missing.jsonl: expected a JSONL file that can be read"),
        (["dataset.n_opts=5"], "dataset.n_opts: expected a known key"),
        (["metrics.score_within=[-1]"], "metrics.score_within: expected a finite number of at least 0, got -1"),
        (["metrics.score_within=[.inf]"], "metrics.score_within: expected a finite number"),
        (
            ["checkpoint=auto", "checkpoints.auto.routes.en=x", "checkpoints.auto.routes.english=y"],
            "are both 'english'",
        ),
    ],
)
def test_a_slip_is_exit_2_in_a_line(monkeypatch, tmp_path, mixed, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    assert swept(mixed, *words) == 2
    assert said in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_a_file_with_faults_starts_nothing_and_names_them_all(command, tmp_path):
    (tmp_path / "bad.jsonl").write_text('{"state": 1}\n{"state": "a", "questions": {}, "expected": {"q": 1}}\n')
    done = command("dataset=jsonl", "dataset.path=bad.jsonl", "executor=inline", "dry_run=true")
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.partition(": expected")[0] for line in done.stderr.splitlines()] == [
        "error: bad.jsonl: line 1, questions",
        "error: bad.jsonl: line 1, expected",
        "error: bad.jsonl: line 2, questions",
        "error: bad.jsonl: line 2, expected.q",
    ]
