"""Scenario, XNLI and text/label files from a file to figures, through a bundled checkpoint and the inline executor."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import language_rows, write_language
from runtime_agents import demo_agent

from laya_sweep.__main__ import main

WORDS = ("turn on the light", "set an alarm for six", "play some music")

#: Of every type, short and too long: a list keeps its end, everything else its beginning.
STATES = [
    WORDS[0],
    " ".join(WORDS) * 60,
    {"subject": WORDS[1], "body": WORDS[2] * 200},
    {"subject": WORDS[1], "urgent": True, "count": 3},
    [{"role": "user", "text": WORDS[i % 3]} for i in range(90)],
    [WORDS[2], WORDS[0]],
]


def swept(*words):
    """Exit code of a sweep with the small English checkpoint, in this process."""
    return main(["checkpoint=[demo_english]", "executor=inline", "regime=[served]", "out_dir=OUT", *words])


def table(name):
    return pq.read_table(Path("OUT") / f"{name}.parquet").to_pylist()


def metric(name):
    """(slice, value) -> row of one metric without a threshold."""
    found = (row for row in table("metrics") if row["metric"] == name and row["min_confidence"] is None)
    return {(row["slice"], row["slice_value"]): row for row in found}


def forwards():
    return json.loads(Path("OUT/provenance.json").read_text("utf-8"))["forward_rows"]


@pytest.fixture
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    return demo_agent(tmp_path_factory.mktemp("agent"))


def write_states(folder):
    path = folder / "states.jsonl"
    rows = [
        {"text": state, "label": WORDS[i % 3][:4], "place": "top" if i < 3 else "end"} for i, state in enumerate(STATES)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_typed_and_long_states_are_answered_as_the_runtime_does_and_the_cut_ones_counted(agent, here, capsys):
    assert swept("dataset=table", f"dataset.path={write_states(here)}", "dataset.tags=[place]") == 0
    said = capsys.readouterr()
    decisions = {row["row_index"]: row for row in table("decisions")}
    dropped = {row["case_id"]: row["state_tokens_dropped"] for row in table("logits")}
    cut = 0
    for case in table("cases"):
        questions = json.loads(case["questions_json"])
        assert json.loads(case["state_json"]) == STATES[case["row_index"]]
        answer = agent.predict(STATES[case["row_index"]], questions)
        cut += answer["usage"]["truncated"]
        assert dropped[case["case_id"]] == answer["usage"]["state_tokens_dropped"]
        ours = decisions[case["row_index"]]
        assert ours["probabilities"] == pytest.approx([*answer["answers"]["label"]["probabilities"].values()], abs=1e-3)
    assert cut == 3
    share = metric("truncated_share")
    assert {place: (row["value"], row["n"]) for place, row in share.items()} == {
        ("overall", ""): (0.5, 6),
        ("language", ""): (0.5, 6),
    }
    assert "demo_english -: 3 of 6 cases are cut to fit max_len=512" in said.err
    assert "- **-**: 3 of 6 states cut" in Path("OUT/report.md").read_text("utf-8")
    [result] = json.loads(Path("OUT/report.json").read_text("utf-8"))["results"]
    assert result["languages"][""]["metrics"]["truncated_share"]["value"] == 0.5
    assert {row["slice_value"] for row in table("metrics") if row["slice"] == "tag"} == {"place=top", "place=end"}


def test_a_limit_on_cut_states_is_a_gate_and_costs_no_forward(here, capsys):
    words = ["dataset=table", f"dataset.path={write_states(here)}"]
    assert swept(*words, "min_confidence=null") == 0
    assert swept(*words, "min_confidence=null", "dataset.tags=[place]", "gate.max.truncated_share=0.4") == 1
    assert forwards() == 0
    assert "truncated_share 0.5000 (n=6), max 0.4" in capsys.readouterr().out
    assert swept(*words, "min_confidence=null", "gate.max.truncated_share=0.5") == 0
    assert main(["export", "OUT", "--format", "laya-eval"]) == 0
    document = json.loads(capsys.readouterr().out.split("(strict)\n")[-1])
    assert (document["config"]["n_opts"], document["config"]["split"]) == (None, None)
    assert [case["state"] for case in document["cases"]] == STATES


def test_a_table_on_the_command_line(here, capsys):
    path = here / "t.csv"
    path.write_text('title,body,topic,lang\nno,001,a_1,de\nx,"nan, y",b,en\nz,w,b,en\n')
    words = [
        "dataset=table", "dataset.path=t.csv", "dataset.text={subject: title, body: body}", "dataset.label=topic",
        "dataset.language=lang", "dataset.labels={a_1: 'the first, always', b: null, c: the last}",
        "dataset.question=q", "dataset.n_opts=2", "dataset.instructions=Which topic?",
    ]  # fmt: skip
    assert swept(*words, "dry_run=true") == 0
    said = capsys.readouterr()
    assert "t.csv: 3 rows; labels: b 2, a_1 1; languages: en 2, de 1" in said.err
    assert "2 cells, 3 forwards: 0 cached, 3 to run" in said.out
    assert not Path("OUT").exists()
    assert swept(*words) == 0
    german = next(case for case in table("cases") if case["language"] == "de")
    assert json.loads(german["state_json"]) == {"subject": "no", "body": "001"}
    [(qid, asked)] = json.loads(german["questions_json"]).items()
    assert (qid, asked["instructions"], asked["criteria"]["a_1"]) == ("q", "Which topic?", "the first, always")
    assert metric("majority_baseline")["overall", ""]["value"] == pytest.approx(2 / 3)
    assert ("language", "de") in metric("first_option_baseline")
    assert metric("truncated_share")["overall", ""]["value"] == 0.0
    assert "cut" not in Path("OUT/report.md").read_text("utf-8")
    wider = [word for word in words if "n_opts" not in word]
    assert swept(*wider) == 0
    assert forwards() == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["languages=[fr]"], ["languages: expected languages of t.csv (de, en), got 'fr'"]),
        (["dataset.label=topics"], ["t.csv: topics: expected a column of this name (there are topic, "]),
        (["dataset.text=[]"], ["dataset.text: expected at least one column"]),
        (["dataset.text={a: 1}"], ["dataset.text: expected a map of field to column"]),
        (["dataset.tags=[1]"], ["dataset.tags: expected names of columns, as texts, got 1"]),
        (["dataset.labels=[a,2.5,a,no]"], ["texts, got 2.5", "once, not 2 times, got 'a'"]),
        (["dataset.labels=none.json"], ["dataset.labels none.json: expected a JSON file with a list of labels"]),
        (["dataset.labels=[a,c]"], ["line 3, topic: expected one of the labels a, c, got 'b'", "line 4, topic"]),
        (["dataset.format=xls"], ["dataset.format: expected one of csv, tsv, jsonl, parquet, got 'xls'"]),
        (["dataset.n_opts=1"], ["dataset.n_opts: expected a whole number of at least 2"]),
        (["dataset.split=test"], ["dataset.split: expected a known key"]),
        (["dataset.path=null"], ["dataset.path: expected a CSV, TSV, JSONL or Parquet file"]),
        (["window=128"], ["window: expected null, since states are read in one piece"]),
    ],
)
def test_a_slip_is_exit_2_in_a_line_each(here, capsys, words, said):
    (here / "t.csv").write_text("title,topic,lang\nx,a,de\ny,b,en\nz,b,en\n")
    own = ["dataset=table", "dataset.path=t.csv", "dataset.text=title", "dataset.label=topic", "dataset.language=lang"]
    assert swept(*own, *words) == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == len(said)
    for line, part in zip(errors, said, strict=True):
        assert line.startswith("error: ")
        assert part in line
    assert not Path("OUT").exists()


def write_pairs(folder, language, count):
    rows = [
        {"premise": f"{language} {WORDS[i // 3]}", "hypothesis": f"{language} {i}", "label": i % 3}
        for i in range(count)
    ]
    (folder / language).mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / language / "validation-00000-of-00001.parquet")


def test_an_xnli_sweep(here, capsys):
    for language in ("bg", "zh", "en"):
        write_pairs(here / "xnli", language, 6)
    words = ["dataset=xnli", "dataset.path=xnli", "dataset.split=validation"]
    assert swept(*words, "languages=[bg,zh]") == 0
    assert "demo_english served bg n=6 acc=" in capsys.readouterr().out
    assert {row["question"] for row in table("decisions")} == {"relation"}
    assert all(row["n_options"] == 3 for row in table("decisions"))
    accuracy = metric("choice_accuracy")
    assert (accuracy["overall", ""]["n"], accuracy["overall", ""]["n_clusters"]) == (12, 2)
    assert metric("first_option_baseline")["language", "zh"]["value"] == pytest.approx(1 / 3)
    assert swept(*words) == 0
    assert forwards() == 6
    capsys.readouterr()
    assert swept(*words, "languages=[de,bg]") == 2
    assert "expected languages of xnli (en, bg, zh), got 'de'" in capsys.readouterr().err
    (here / "xnli" / "zh" / "validation-00000-of-00001.parquet").write_bytes(b"PAR1")
    assert swept(*words) == 3
    assert "language zh failed: zh: 1 faults" in capsys.readouterr().err


def test_a_scenario_sweep_asks_another_question_of_the_same_rows(here):
    labels = ("alarm_set", "alarm_remove", "play_music", "iot_light_on")
    for language in ("en", "de"):
        write_language(here / "massive", language, language_rows(8, labels=labels))
    words = ["dataset.path=massive", "languages=[en,de]"]
    assert swept("dataset=massive_scenario", *words) == 0
    assert {row["question"] for row in table("decisions")} == {"scenario"}
    assert {row["gold_label"] for row in table("decisions")} == {"alarm", "play", "iot"}
    assert metric("majority_baseline")["language", "en"]["value"] == 0.5
    assert swept("dataset=massive_scenario", *words) == 0
    assert forwards() == 0
    assert swept("dataset=massive", *words) == 0
    assert forwards() == 16
    assert swept("dataset=massive_scenario", "dataset.path=massive", "languages=[bg]") == 2
