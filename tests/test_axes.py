"""Every value of an axis with every value of every other one, through the command: an answer or a line, no traceback.

Rows of a covering table are runs: each pair of values stands in at least one. A run ends in 0 or, where a gate fails,
in 1; a pair that cannot be is a line and 2, and docs/sweep.md says why.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import shutil
from pathlib import Path

import pytest
from covertable import make

import laya_sweep
from laya_sweep.__main__ import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
DEMO = Path(laya_sweep.__file__).parent / "demo" / "checkpoints"

CHOICE = {"type": "choice", "instructions": "Which topic?"}
ROWS = [
    {
        "state": state,
        "language": language,
        "tags": ["short"] if len(state) < 20 else [],
        "questions": {
            "topic": {**CHOICE, "criteria": {"alarm": "set an alarm", "music": "play music", "weather": "the weather"}},
            "urgent": {"type": "score", "instructions": "How urgent is it?", "criteria": ["not", "somewhat", "very"]},
            "loud": {"type": "noul", "instructions": "Is it about sound?", "criteria": {"true": "yes", "false": "no"}},
        },
        "expected": {"topic": topic, "urgent": urgent, "loud": topic == "music"},
    }
    for state, language, topic, urgent in [
        ("wake me up at seven", "en", "alarm", 2),
        ("play some jazz", "en", "music", 0),
        ("will it rain tomorrow in the north", "en", "weather", 1),
        ("spiel etwas Jazz", "de", "music", 0),
        ("weck mich um sieben", "de", "alarm", 2),
        ("regnet es morgen", "de", "weather", 1),
    ]
]

#: Axis -> name of a value -> the words that choose it. FOLDER stands for the folder of the test's own files.
AXES = {
    "dataset": {
        "demo": ["dataset=demo", "languages=[de,en]", "dataset.per_lang=3"],
        "jsonl": ["dataset=jsonl", "dataset.path=FOLDER/rows.jsonl"],
        "table": ["dataset=table", "dataset.path=FOLDER/rows.csv"],
        "presentation": ["dataset=presentation", "languages=[en]"],
    },
    "transform": {
        "baseline": [],
        "reverse": ["transform=[baseline,reverse]"],
        "orders": ["transform=[baseline,option_order]"],
        "renamed": ["transform=[baseline,label_rename]"],
        "words": ["transform=[baseline,noul_labels]"],
    },
    "narrowing": {
        "none": [],
        "shortlist": ["narrowing=shortlist", "narrowing.k=2"],
        "knockout": ["narrowing=knockout", "narrowing.group_size=2"],
    },
    "checkpoint": {
        "one": ["checkpoint=[demo_multilingual]"],
        "two": ["checkpoint=[demo_english,demo_multilingual]"],
        "router": [
            "checkpoint=[auto]",
            "+checkpoints.auto.routes.english.source=FOLDER/english",
            "+checkpoints.auto.routes.multilingual.source=FOLDER/multilingual",
        ],
        "onnx": [
            "checkpoint=[]",
            "+checkpoints.graph.source=FOLDER/english",
            "+checkpoints.graph.engine=onnx",
            "+checkpoints.graph.onnx=FOLDER/graph.onnx",
        ],
    },
    "drift": {"none": [], "second": ["drift=demo_multilingual"]},
    "regime": {
        "served": ["regime=[served]"],
        "raw": ["regime=[raw]"],
        "unit and fixed": ["regime=[unit,fixed]"],
        "map": ["regime=[map]", "regime.map.path=FOLDER/map.json"],
    },
    "threshold": {
        "none": ["min_confidence=null"],
        "two": ["min_confidence=[0.0,0.5]"],
        "map": ["min_confidence={choice:3-5:0.5,default:0.4}"],
    },
    "gate": {
        "none": [],
        "limit": ["gate.min_accuracy=0.2"],
        "policy": ["gate.policy=FOLDER/policy.json"],
        "itself": ["baseline=FOLDER/base/report.json"],
        "bare map": ["baseline=FOLDER/figures.json", "gate.mode=compatible"],
    },
    "rounding": {"exact": [], "runtime": ["metrics.rounding=runtime"]},
    "errors": {"fail": [], "skip": ["on_error=skip"]},
    "calls": {"tokens": [], "sorted": ["batch_size=2", "sort_by_length=true"]},
}

#: Pairs of values that a run refuses, and a word of the line that says so; docs/sweep.md has the reasons.
REFUSED = {
    **{
        (("narrowing", way), ("transform", shown)): "transform"
        for way in ("shortlist", "knockout")
        for shown in ("reverse", "orders", "renamed", "words")
    },
    **{
        (("dataset", "presentation"), ("transform", shown)): "transform"
        for shown in ("reverse", "orders", "renamed", "words")
    },
    **{(("dataset", "presentation"), ("narrowing", way)): "narrowing" for way in ("shortlist", "knockout")},
    **{(("checkpoint", name), ("drift", "second")): "drift" for name in ("router", "onnx")},
    (("checkpoint", "onnx"), ("narrowing", "shortlist")): "narrowing.embedder",
}


def covering():
    """Rows of one value of each axis, in which each pair that is not refused stands together."""
    refused = [
        {
            "operator": "not",
            "condition": {
                "operator": "and",
                "conditions": [{"operator": "eq", "left": axis, "value": value} for axis, value in pair],
            },
        }
        for pair in REFUSED
    ]
    return make({axis: [*values] for axis, values in AXES.items()}, constraints=refused)


def told(words, folder):
    """Exit code and what was said, of a run on a folder's files; a traceback is the test's own failure."""
    common = ["executor=inline", f"store.uri={folder}/store", "metrics.replicates=20"]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*common, *(word.replace("FOLDER", str(folder)) for word in words)])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, graphs):
    """What the values of the axes name: checkpoints, a graph, rows, a map, a policy, baselines."""
    path = tmp_path_factory.mktemp("axes")
    for name in ("english", "multilingual"):
        shutil.copytree(DEMO / f"demo_{name}", path / name)
    shutil.copy(graphs.fp32, path / "graph.onnx")
    (path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), "utf-8")
    cells = "".join(f"{row['state']},{row['expected']['topic']}\n" for row in ROWS)
    (path / "rows.csv").write_text(f"text,label\n{cells}", "utf-8")
    bins = {"choice:3-5": {"bins": 2, "values": [0.3, 0.8]}}
    (path / "map.json").write_text(json.dumps({"temperature": [1.5, 1.2, 0.9], "binning_map": bins}), "utf-8")
    rule = {"slice": {"language": "en"}, "metric": "choice_accuracy", "min_count": 1, "min": 0.1}
    (path / "policy.json").write_text(json.dumps({"version": 1, "rules": [rule]}), "utf-8")
    (path / "figures.json").write_text(json.dumps({"choice_accuracy": 0.5}), "utf-8")
    base = [*AXES["checkpoint"]["one"], *AXES["dataset"]["jsonl"], *AXES["regime"]["served"], "min_confidence=null"]
    assert told([*base, "out_dir=FOLDER/base"], path)[0] == 0
    return path


def test_the_table_covers_every_pair_that_is_not_refused():
    stand = {pair for row in covering() for pair in itertools.permutations(row.items(), 2)}
    axes = [[(axis, value) for value in values] for axis, values in AXES.items()]
    pairs = {pair for one, other in itertools.permutations(axes, 2) for pair in itertools.product(one, other)}
    refused = {*REFUSED, *(pair[::-1] for pair in REFUSED)}
    assert stand == pairs - refused


@pytest.mark.parametrize("row", covering(), ids=lambda row: " ".join(row[axis] for axis in AXES))
def test_a_run_of_any_values_ends_with_an_answer(folder, tmp_path, row):
    words = [word for axis, value in row.items() for word in AXES[axis][value]]
    code, out, err = told([*words, f"out_dir={tmp_path}/run"], folder)
    gated = row["gate"] != "none" or row["dataset"] == "presentation"
    assert code == 0 or (code == 1 and gated), err
    assert (tmp_path / "run" / "report.json").is_file()
    assert ("FAIL" in out) == (code == 1)


@pytest.mark.parametrize(("pair", "said"), REFUSED.items(), ids=lambda value: str(value))
def test_a_pair_that_is_refused_is_a_line_that_the_docs_have(folder, tmp_path, pair, said):
    chosen = {"checkpoint": "two", "dataset": "jsonl", "regime": "served"} | dict(pair)
    words = [word for axis, value in chosen.items() for word in AXES[axis][value]]
    code, _, err = told([*words, f"out_dir={tmp_path}/run"], folder)
    lines = [line for line in err.splitlines() if line.startswith("error:")]
    assert (code, len(lines)) == (2, 1), err
    assert lines[0].startswith(f"error: {said}: ")
    assert f"| `{said}` |" in (ROOT / "docs" / "sweep.md").read_text("utf-8")
    assert not (tmp_path / "run").exists()
