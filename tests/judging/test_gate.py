"""Judging through the command line: what users of such tools were told wrongly, and what is right here."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from typing import NamedTuple

import pytest

from laya_sweep import assert_no_regression
from laya_sweep.__main__ import main
from laya_sweep.judging.run_cards import run_scorecards
from laya_sweep.store.stored_run import StoredRun

DEMO = ["executor=inline", "checkpoint=[demo_multilingual]", "regime=[served]", "min_confidence=0.5"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store and one finished run, RUN, of two languages."""
    folder = tmp_path_factory.mktemp("judging")
    assert main([*DEMO, "languages=[de,en]", f"store.uri={folder}/store", f"out_dir={folder}/RUN"]) == 0
    return folder


class Done(NamedTuple):
    """What a command said and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def run(place, *words):
    """A command in a folder, in this process: that a process says and returns the same is held by tests/cli."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(place), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(words))
    return Done(code, out.getvalue(), err.getvalue())


def sweep(place, *words):
    return run(place, *DEMO, "languages=[de,en]", "store.uri=store", *words)


def test_our_own_output_is_a_baseline_and_every_delta_is_zero(place):
    shutil.copytree(place / "RUN", place / "COPY")
    done = run(place, "compare", "RUN", "--baseline", "COPY", "--all")
    assert done.returncode == 0, done.stderr
    deltas = [line for line in done.stdout.splitlines() if ", tolerance 0" in line]
    assert len(deltas) > 15
    assert all(": +0.0000, tolerance 0" in line for line in deltas)


def test_cached_results_meet_a_newly_added_gate(place):
    done = sweep(place, "out_dir=AGAIN", "gate.min.choice_accuracy=0.999")
    assert done.returncode == 1
    assert "0 forwards done" in done.stderr
    assert "FAIL: overall.choice_accuracy" in done.stdout
    verdict = json.loads((place / "AGAIN" / "verdict.json").read_text("utf-8"))
    assert (verdict["passed"], verdict["results"][0]["checks"][-1]["limit"]) == (False, 0.999)
    assert sweep(place, "out_dir=AGAIN").returncode == 0
    assert not (place / "AGAIN" / "verdict.json").exists()


@pytest.mark.parametrize("gate", ["gate.min.noul_accuracy=0.1", "gate.min.score_mae=0.1"])
def test_a_gate_on_a_metric_that_the_data_lack_fails(place, gate):
    done = sweep(place, "out_dir=LACKS", gate)
    assert done.returncode == 1
    assert "has no value" in done.stdout


@pytest.mark.parametrize(
    "text",
    ["{}", "null", "[]", '["choice_accuracy"]', '{"choice_accuracy": "0.9"}', '{"choice_accuracy": true}', "", "{",
     '{"ece": 0.1, "ece": 0.2}', "[" * 5000, "\ufeff{}"],
)  # fmt: skip
def test_a_baseline_that_is_none_is_exit_2_in_one_line(place, tmp_path, text):
    path = tmp_path / "baseline.json"
    path.write_text(text, "utf-8")
    done = run(place, "compare", "RUN", "--baseline", str(path))
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["baseline=nowhere"], "baseline nowhere"),
        (["baseline=store"], "a folder with report.json"),
        (["gate.tolerance.ece=0.1"], "gate.tolerance: expected a baseline to compare with"),
        (["baseline=RUN", "gate.tolerance.ece=inf"], "gate.tolerance ece"),
        (["gate.min.ece=true"], "gate.min ece"),
        (["gate.min.score_within_0.25=0.9"], "'gate.min={score_within_0.25: 0.9}'"),
        (["gate.policy=nowhere.json"], "nowhere.json"),
        (["gate.max_ece=nan"], "gate.max_ece"),
        (["on_error=ignore"], "on_error"),
    ],
)
def test_a_gate_that_cannot_mean_anything_is_exit_2_before_anything_runs(place, words, said):
    done = sweep(place, "out_dir=NEVER", *words)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert said in line
    assert not (place / "NEVER").exists()


def test_a_drift_equal_to_the_limit_passes_in_both_commands(place, tmp_path):
    card = next(iter(run_scorecards(StoredRun.open(place / "RUN")).values()))
    moved = {"choice_accuracy": card.overall["choice_accuracy"] + 0.02}
    (tmp_path / "map.json").write_text(json.dumps(moved), "utf-8")
    words = ["--baseline", str(tmp_path / "map.json"), "--mode", "compatible", "--tolerance"]
    for limit, code in ((moved["choice_accuracy"] - card.overall["choice_accuracy"], 0), (0.0199, 1)):
        assert run(place, "compare", "RUN", *words, f"choice_accuracy={limit!r}").returncode == code
        in_sweep = [
            f"baseline={tmp_path / 'map.json'}",
            "gate.mode=compatible",
            f"gate.tolerance.choice_accuracy={limit!r}",
        ]
        assert sweep(place, "out_dir=DRIFT", *in_sweep).returncode == code


def test_another_dataset_is_not_comparable_and_deltas_are_still_shown(place):
    assert main([*DEMO, "languages=[en]", f"store.uri={place}/store", f"out_dir={place}/OTHER"]) == 0
    done = run(place, "compare", "OTHER", "--baseline", "RUN", "--all")
    assert done.returncode == 1
    assert "FAIL: baseline is not comparable: dataset_sha256" in done.stdout
    assert "choice_accuracy 0.9" in done.stdout


def test_a_policy_is_judged_and_recorded_and_another_one_says_so(place):
    rules = [{"slice": {"language": "en"}, "metric": "choice_accuracy", "min_count": 10, "min": 0.5}]
    (place / "policy.json").write_text(json.dumps({"version": 1, "rules": rules}), "utf-8")
    assert sweep(place, "out_dir=POLICY", "gate.policy=policy.json").returncode == 0
    few = [{**rules[0], "min_count": 50}]
    (place / "few.json").write_text(json.dumps({"version": 1, "rules": few}), "utf-8")
    done = run(place, "gate", "POLICY", "--policy", "few.json")
    assert done.returncode == 1
    assert "n=20, below min_count 50" in done.stdout
    assert "policy" in next(line for line in done.stdout.splitlines() if "note:" in line)


def test_rows_that_errored_fail_a_gate_unless_a_share_is_allowed_by_name(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    many = {f"label_{i}": "a long description of this label " * 3 for i in range(200)}
    choice = {"type": "choice", "instructions": "Which?", "criteria": {"yes": "y", "no": "n"}}
    rows = [{"state": f"state {i}", "questions": {"q": choice}, "expected": {"q": "yes"}} for i in range(3)]
    poison = {"type": "choice", "instructions": "Which?", "criteria": many}
    rows += [{"state": f"bad {i}", "questions": {"q": poison}, "expected": {"q": "label_0"}} for i in range(5)]
    (place / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    words = [
        "executor=inline",
        "checkpoint=[demo_multilingual]",
        "dataset=jsonl",
        "dataset.path=set.jsonl",
        "store.uri=store",
    ]
    words.append("out_dir=ERR")
    assert main(words) == 3
    assert main([*words, "gate.min.choice_accuracy=0.0"]) == 1
    assert main([*words, "on_error=skip"]) == 0
    errored = json.loads((place / "ERR" / "report.json").read_text("utf-8"))["results"][0]["errored"]
    assert [(error["index"], error["question"]) for error in errored] == [(i, "q") for i in range(3, 8)]
    assert main([*words, "on_error=skip", "gate.min.choice_accuracy=0.0"]) == 1
    assert "5 of 8" in capsys.readouterr().out
    allowed = ["gate.min.choice_accuracy=0.0", "gate.max_errored_share=0.7"]
    assert main([*words, "on_error=skip", *allowed]) == 0


def test_selectors_choose_and_a_wrong_one_is_exit_2(place):
    assert (
        run(place, "gate", "RUN", "--regime", "served", "--min-confidence", "0.5", "--min-accuracy", "0.5").returncode
        == 0
    )
    wrong = run(place, "gate", "RUN", "--regime", "raw", "--min-accuracy", "0.5")
    assert (wrong.returncode, "demo_multilingual served" in wrong.stderr) == (2, True)
    assert run(place, "gate", "RUN").returncode == 2


def test_the_same_in_a_test_suite(place):
    cards = list(run_scorecards(StoredRun.open(place / "RUN")).values())
    assert assert_no_regression(cards[0], cards[0]).passed
