"""Engines whose calls mix up their rows, met by the command as a user types it: exit 2, and nothing is stored."""

from __future__ import annotations

import json

import numpy as np
import pytest
from labelled_sets import labelled_set, lines_of

from laya_sweep.__main__ import main
from laya_sweep.engines.engine import Forward
from laya_sweep.engines.torch_engine import TorchEngine


def rotated(found):
    return Forward([*found.logits[1:], *found.logits[:1]], np.roll(found.act_probability, -1))


def swapped(found):
    return Forward([*found.logits[:-2], *found.logits[:-3:-1]], found.act_probability)


def shortened(found):
    return Forward(found.logits[:-1], found.act_probability[:-1])


def break_calls(monkeypatch, engine, fault, whom=lambda rows: True):
    """Calls of several rows give something else from now on."""
    sound = engine.forward

    def forward(self, rows):
        found = sound(self, rows)
        return fault(found) if len(rows) > 1 and whom(rows) else found

    monkeypatch.setattr(engine, "forward", forward)


def facts(folder):
    return [*folder.rglob("part-*.parquet")]


WORDS = ["checkpoint=[demo_english]", "executor=inline", "store.uri=STORE", "out_dir=OUT"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("fault", [rotated, swapped, shortened])
def test_a_run_of_one_question_a_case(here, monkeypatch, capfd, fault):
    break_calls(monkeypatch, TorchEngine, fault)
    assert main([*WORDS, "languages=[en,de]", "dataset.per_lang=20"]) == 2
    said = capfd.readouterr().err
    assert [line for line in said.splitlines() if "parity of checkpoint demo_english: expected" in line]
    assert "Traceback" not in said
    assert (facts(here), (here / "OUT" / "report.json").exists()) == ([], False)


@pytest.mark.parametrize("fault", [rotated, swapped, shortened])
def test_a_run_of_several_questions_a_case(here, monkeypatch, capfd, fault):
    (here / "set.jsonl").write_text(lines_of(labelled_set(24, rows=24)), "utf-8")
    break_calls(monkeypatch, TorchEngine, fault)
    assert main([*WORDS, "dataset=jsonl", "dataset.path=set.jsonl"]) == 2
    assert "parity of checkpoint demo_english: expected" in capfd.readouterr().err
    assert facts(here) == []


def test_what_was_stored_before_the_fault_showed_is_taken_back(here, monkeypatch, capfd):
    question = {"type": "choice", "instructions": "Which?", "criteria": ["alarm", "music", "weather"]}
    rows = [{"state": f"{word} {i:02}", "questions": {"q": question}} for i in range(32) for word in ("play", "wake")]
    rows = [json.dumps(row | {"expected": {"q": "alarm"}}) + "\n" for row in rows]
    (here / "set.jsonl").write_text("".join(rows), "utf-8")
    words = [*WORDS, "dataset=jsonl", "dataset.path=set.jsonl", "batch_size=4", "shard_cases=16"]
    calls, stored = [], []

    def late(rows):
        calls.append(len(rows))
        stored.append(len(facts(here)))
        return len(calls) > 10

    break_calls(monkeypatch, TorchEngine, rotated, late)
    assert main(words) == 2
    assert "parity of checkpoint demo_english: expected a row of a call of" in capfd.readouterr().err
    assert max(stored) >= 1
    assert facts(here) == []
