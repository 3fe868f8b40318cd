"""A language that fails leaves no figure over the others under the name of the whole, in no table and no gate."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from laya_sweep.__main__ import main

TOPICS = {"alarm": "alarms and timers", "music": "songs and players", "weather": "rain and sun"}
TOO_MANY = {f"k{i}": "word " * 60 + str(i) for i in range(300)}
POOLED = ("overall", "model", "qid", "tag")


def row(text, gold, language, criteria=TOPICS):
    question = {"type": "choice", "instructions": "Which topic?", "criteria": criteria}
    return {
        "state": text,
        "questions": {"topic": question},
        "expected": {"topic": gold},
        "language": language,
        "tags": ["short"],
    }


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a sweep of two languages, of which English has a question that does not fit."""
    folder = tmp_path_factory.mktemp("incomplete")
    rows = [row("wecke mich", "alarm", "de"), row("spiel ein lied", "music", "de")]
    rows += [row("wake me", "alarm", "en"), row("x", "k1", "en", TOO_MANY)]
    (folder / "set.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    words = ["dataset=jsonl", f"dataset.path={folder}/set.jsonl", "checkpoint=[demo_english]", "executor=inline"]
    words += ["transform=[baseline,option_order]", "min_confidence=[0.0]", "metrics.replicates=20", "regime=[served]"]
    assert main([*words, f"store.uri={folder}/store", f"out_dir={folder}/run"]) == 3
    return folder / "run"


def test_what_pools_languages_is_withheld_with_the_reason(run):
    rows = pq.read_table(run / "metrics.parquet").to_pylist()
    pooled = [one for one in rows if one["slice"] in POOLED]
    whole = [one for one in pooled if not one["metric"].endswith("_partial")]
    assert {one["slice"] for one in whole} == {*POOLED}
    assert {one["value"] for one in whole} == {None}
    reasons = {one["reason"] for one in whole}
    assert reasons == {"incomplete: 1 of 2 languages have no figures: en"}
    parts = {(one["transform"], one["slice"], one["metric"]): one for one in pooled if one["value"] is not None}
    german = {
        (one["transform"], one["metric"]): one["value"]
        for one in rows
        if (one["slice"], one["slice_value"]) == ("language", "de")
    }
    for metric in ("choice_accuracy", "ece", "coverage", "truncated_share"):
        assert parts["baseline", "overall", f"{metric}_partial"]["value"] == german["baseline", metric]
    for transform in ("baseline", "option_order"):
        agreement = parts[transform, "overall", "semantic_agreement_rate_partial"]
        assert agreement["value"] == german[transform, "semantic_agreement_rate"]


def test_no_curve_of_the_survivors_is_the_curve(run):
    curves = pq.read_table(run / "curves.parquet").to_pylist()
    assert {(one["slice"], one["slice_value"]) for one in curves} == {("language", "de")}


def test_a_gate_names_the_accuracy_that_is_withheld(run, capsys):
    capsys.readouterr()
    assert main(["gate", str(run), "--min-accuracy", "0.0"]) == 1
    assert "choice_accuracy has no value for min_accuracy 0: incomplete: 1 of 2 languages" in capsys.readouterr().out
