"""Right scores outside their scale: noted by `validate` and by a sweep, refused where strict mode is asked for."""

import json

import pytest

from laya_sweep.__main__ import main
from laya_sweep.domain.case import Draft, freeze
from laya_sweep.errors import DatasetError
from laya_sweep.suites.score_scale import off_scale, refuse_off_scale

SCORE = {"type": "score", "instructions": "How urgent?", "criteria": ["low", "middle", "high"]}
NOUL = {"type": "noul", "instructions": "Is it?"}
SAID = "2 of 6 right scores are outside their scale, the first 5 in"


def rows(*scores):
    return [
        {"state": f"text {at}", "questions": {"s": SCORE, "n": NOUL}, "expected": {"s": score, "n": True}}
        for at, score in enumerate(scores)
    ]


def places(given):
    drafts = [Draft(str(i), i, "en", row["state"], row["questions"], row["expected"]) for i, row in enumerate(given)]
    return [(f"row {case.row_index}", case) for case in freeze(drafts)]


def test_levels_and_what_lies_between_them_are_on_the_scale():
    assert off_scale(places(rows(0, 1, 2, 0.5, 2.0))) == []


def test_what_no_level_reaches_is_counted_by_question():
    [found] = off_scale(places(rows(0, 5, 1, -0.25, 2, 1.5)))
    assert (found.question, found.labelled, found.outside, found.place, found.score, found.top) == (
        *("s", 6, 2, "row 1", 5.0, 2),
    )
    with pytest.raises(DatasetError) as caught:
        refuse_off_scale([found])
    assert [problem.what for problem in caught.value.problems] == ["question s"]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "set.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows(0, 5, 1, -0.25, 2, 1.5)), "utf-8")
    return file


def test_validate_says_so_and_refuses_it_when_strict(path, capsys):
    assert main(["validate", str(path)]) == 0
    assert f"note: question s: {SAID} line 2, whose levels are 0 .. 2" in capsys.readouterr().out
    assert main(["validate", str(path), "--strict"]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert SAID in shown.err
    assert main(["validate", "--strict", "--template"]) == 2


def test_a_sweep_says_so_and_refuses_it_when_strict_mode_is_asked_for(path, tmp_path, capsys):
    words = ["dataset=jsonl", f"dataset.path={path}", "checkpoint=[demo_english]", "executor=inline", "dry_run=true"]
    words += [f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/run"]
    assert main(words) == 0
    assert f"{SAID} row 1 of -" in capsys.readouterr().err
    assert main([*words, "gate.mode=strict"]) == 2
    assert SAID in capsys.readouterr().err
