"""Transforms through a sweep of a labelled set with every question type: tables, resume, gates, report, export."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

from laya_sweep.__main__ import main
from laya_sweep.metrics import ROBUSTNESS_METRICS
from laya_sweep.store.schemas import PAIRS, VARIANTS

TOPICS = {"alarm": "set an alarm", "music": "play music", "weather": "ask about the weather", "food": "order food"}
QUESTIONS = {
    "topic": {"type": "choice", "instructions": "What does the user want?", "criteria": TOPICS},
    "bare": {"type": "choice", "instructions": "Which?", "criteria": ["alarm", "music"]},
    "urgency": {"type": "score", "instructions": "How urgent?", "criteria": ["Not urgent", "Soon", "Now"]},
    "wish": {"type": "noul", "instructions": "Does the user want music?"},
}
TEXTS = ["Wake me at six", "Play some jazz", "Will it rain?", "Pizza, please", "An alarm for noon", "Ein Lied, bitte"]
ALL = ("baseline", "label_rename", "noul_labels", "option_order", "reverse")
SHOWN = {"baseline": 4, "label_rename": 1, "noul_labels": 1, "option_order": 1, "reverse": 4}


def rows():
    for at, text in enumerate(TEXTS):
        expected = {"topic": [*TOPICS][at % 4], "urgency": at % 3, "wish": at == 1}
        yield {
            "state": {"utterance": text},
            "questions": QUESTIONS,
            "expected": {} if at == 3 else expected,
            "tags": ["short"] if at % 2 else [],
            "language": "de" if at == 5 else "en",
        }


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """`sweep(out, *words)` of the set with the small English checkpoint; `table(out, name)` of what it left."""
    folder = tmp_path_factory.mktemp("transforms")
    (folder / "set.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    own = ["dataset=jsonl", f"dataset.path={folder}/set.jsonl", "checkpoint=[demo_english]", "executor=inline"]
    own += [f"transform=[{','.join(ALL)}]", "min_confidence=null", "metrics.replicates=30"]

    def sweep(out, *words):
        return main([*own, f"store.uri={folder}/store", f"out_dir={folder / out}", *words])

    def table(out, name):
        return pq.read_table(folder / out / f"{name}.parquet")

    assert sweep("one") == 0
    return SimpleNamespace(folder=folder, sweep=sweep, table=table)


def document(world, out, name="report.json"):
    return json.loads((world.folder / out / name).read_text("utf-8"))


def figures(world, out):
    """(transform, regime, slice, value, metric) -> row."""
    return {
        (row["transform"], row["regime"], row["slice"], row["slice_value"], row["metric"]): row
        for row in world.table(out, "metrics").to_pylist()
    }


def test_what_does_not_apply_costs_no_forward_and_is_named(world, capsys):
    logits = world.table("one", "logits").to_pylist()
    assert {name: sum(row["transform"] == name for row in logits) for name in ALL} == {
        name: count * len(TEXTS) for name, count in SHOWN.items()
    }
    results = {(r["transform"], r["regime"]): r["not_applicable"] for r in document(world, "one")["results"]}
    assert results["baseline", "served"] == results["reverse", "raw"] == []
    assert {(entry["question"], entry["reason"], entry["cases"]) for entry in results["option_order", "served"]} == {
        ("bare", "an option without a description", 6),
        ("urgency", "a score question, not a choice", 6),
        ("wish", "a noul question, not a choice", 6),
    }
    capsys.readouterr()
    assert world.sweep("dry", "dry_run=true") == 0
    shown = capsys.readouterr().out
    assert "noul_labels does not apply to question topic of 6 case(s): a choice question, not a noul" in shown
    assert "0 to run" in shown


def test_variants_lead_back_and_logits_are_canonical(world):
    table = world.table("one", "variants")
    assert table.schema.equals(VARIANTS)
    shown = {(r["transform"], r["case_id"], r["question"]): r for r in table.to_pylist()}
    facts = {(r["transform"], r["case_id"], r["question"]): r for r in world.table("one", "logits").to_pylist()}
    assert {*shown} == {*facts}
    for key, row in shown.items():
        canonical = shown["baseline", *key[1:]]
        assert row["canonical_indices"] == facts[key]["presented_order"]
        for slot, index in enumerate(row["canonical_indices"]):
            assert row["canonical_to_transformed"][index] == row["presented_keys"][slot]
            assert row["transformed_to_canonical"][slot] == canonical["canonical_to_transformed"][index]
    topic = [row for row in shown.values() if (row["transform"], row["question"]) == ("label_rename", "topic")]
    assert [row["presented_keys"] for row in topic] == [["A", "B", "C", "D"]] * 6
    wish = [row for row in shown.values() if (row["transform"], row["question"]) == ("reverse", "wish")]
    assert [row["presented_keys"] for row in wish] == [["true", "false"]] * 6


def test_every_pair_follows_from_the_logits_and_a_temperature(world):
    """Plain loops over the logits table: nothing of the pairs is hidden in a step between."""
    facts = {(r["transform"], r["case_id"], r["question"]): r for r in world.table("one", "logits").to_pylist()}
    heat = {
        (r["transform"], r["case_id"], r["question"], r["regime"]): r
        for r in world.table("one", "decisions").to_pylist()
    }
    table = world.table("one", "pairs")
    assert table.schema.equals(PAIRS)
    pairs = table.to_pylist()
    assert len(pairs) == 2 * len(TEXTS) * sum(count for name, count in SHOWN.items() if name != "baseline")
    for pair in pairs:
        key, sides = (pair["case_id"], pair["question"]), []
        for transform in ("baseline", pair["transform"]):
            z = facts[transform, *key]["logits"]
            scaled = [value / heat[transform, *key, pair["regime"]]["temperature"] for value in z]
            weights = [math.exp(value - max(scaled)) for value in scaled]
            sides.append([weight / sum(weights) for weight in weights])
        p, q = sides
        changes = [abs(b - a) for a, b in zip(p, q, strict=True)]
        middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        js = sum(x / 2 * math.log(x / m) for side in sides for x, m in zip(side, middle, strict=True) if x)
        assert pair["agreement"] == (p.index(max(p)) == q.index(max(q)))
        assert pair["mean_probability_drift"] == pytest.approx(sum(changes) / len(changes), abs=1e-12)
        assert pair["max_probability_drift"] == pytest.approx(max(changes), abs=1e-12)
        assert pair["js_divergence"] == pytest.approx(js, abs=1e-12)
        assert pair["confidence_drift"] == pytest.approx(max(q) - max(p), abs=1e-12)
        labelled = (
            pair["question"] in ("topic", "wish") and heat["baseline", *key, pair["regime"]]["correct"] is not None
        )
        assert (pair["baseline_correct"] is None) == (not labelled)


def test_figures_are_of_their_pairs_and_the_baseline_has_all_of_them(world):
    found, pairs = figures(world, "one"), world.table("one", "pairs").to_pylist()
    for transform in ALL:
        for place in (("overall", ""), ("language", "de"), ("language", "en"), ("tag", "short"), ("qid", "topic")):
            own = [
                pair
                for pair in pairs
                if pair["regime"] == "served"
                and transform in ("baseline", pair["transform"])
                and place[1] in ("", pair["language"], pair["question"], *pair["tags"])
            ]
            if own or place[0] in ("overall", "language"):
                rate = found[transform, "served", *place, "semantic_agreement_rate"]
                assert rate["n"] == len(own)
                assert rate["value"] == pytest.approx(np.mean([pair["agreement"] for pair in own]))
    assert {name for name in ROBUSTNESS_METRICS if ("reverse", "raw", "overall", "", name) in found} == {
        *ROBUSTNESS_METRICS
    }


def test_flips_are_the_same_in_both_regimes(world):
    pairs = world.table("one", "pairs").to_pylist()
    sets = [
        {(p["variant"], p["case_id"], p["question"]) for p in pairs if not p["agreement"] and p["regime"] == r}
        for r in ("served", "raw")
    ]
    assert sets[0] == sets[1]
    assert sets[0]


def test_more_orders_and_other_batches_keep_every_stored_fact(world):
    wider = ["transform.option_order.variants=3", "batch_size=1", "shard_cases=5"]
    assert world.sweep("three", *wider) == 0
    assert document(world, "three", "provenance.json")["forward_rows"] == 2 * len(TEXTS)
    one, three = (world.table(out, "logits").to_pylist() for out in ("one", "three"))
    assert [row for row in three if row["variant"] not in ("option_order-1", "option_order-2")] == one
    slots = {(row["case_id"], tuple(row["presented_order"])) for row in three if row["transform"] == "option_order"}
    assert len(slots) == 3 * len(TEXTS)
    assert world.sweep("fresh", *wider[:1], f"store.uri={world.folder}/other") == 0
    for name in ("variants", "pairs", "logits", "metrics"):
        assert world.table("fresh", name).equals(world.table("three", name)), name
    drawn = figures(world, "three")["option_order", "raw", "overall", "", "semantic_agreement_rate"]
    assert (drawn["n"], drawn["n_clusters"]) == (18, 6)


def test_gates_name_robustness_figures(world, capsys):
    limits = {
        row["transform"]: row["value"]
        for key, row in figures(world, "one").items()
        if key[1:] == ("raw", "overall", "", "semantic_agreement_rate")
    }
    least = min(limits.values())
    assert least < 1.0
    assert world.sweep("gated", f"gate.min.semantic_agreement_rate={least}") == 0
    assert world.sweep("gated", f"gate.min.semantic_agreement_rate={least + 0.01}") == 1
    assert "semantic_agreement_rate" in capsys.readouterr().out
    assert world.sweep("gated", "transform=[baseline]", "gate.min.semantic_agreement_rate=0") == 1


def test_report_and_terminal_tell_what_changed(world, capsys):
    assert world.sweep("one") == 0
    lines = capsys.readouterr().out.splitlines()
    [compared] = [line for line in lines if line.startswith("demo_english served option_order against baseline: ")]
    rate = figures(world, "one")["option_order", "served", "overall", "", "semantic_agreement_rate"]["value"]
    assert f"pairs=6 agreement={rate:.4f} accuracy_drop=" in compared
    assert any(line.startswith("demo_english raw overall against baseline: pairs=42 ") for line in lines)
    assert any(line.startswith("demo_english served label_rename en n=4 ") for line in lines)
    text = (world.folder / "one" / "report.md").read_text("utf-8")
    assert "## Robustness" in text
    assert "- not applicable: question wish of 6 case(s): a noul question, not a choice" in text
    [result] = [r for r in document(world, "one")["results"] if (r["transform"], r["regime"]) == ("reverse", "served")]
    assert result["languages"]["en"]["metrics"]["flip_rate"]["n"] == 20


def test_the_export_holds_every_variant_and_its_figures_follow_from_the_cases(world):
    path = world.folder / "m.json"
    words = ["export", str(world.folder / "one"), "--format", "laya-metamorphic", "--regime", "served"]
    assert main([*words, "--out", str(path)]) == 0
    exported = json.loads(path.read_text("utf-8"))
    assert [*exported] == ["config", "report", "cases", "results"]
    config = exported["config"]
    assert (config["permutations_per_case"], config["label_renames_per_case"], config["js_log_base"]) == (1, 1, "e")
    assert (config["unclamped"], config["langs"]) == (False, ["de", "en"])
    assert config["transforms"]["option_order"] == {"version": 1, "seed": 13, "sampler": "by_case", "variants": 1}
    assert len(exported["cases"]) == 4 * len(TEXTS)
    for case in exported["cases"]:
        baseline, *others = case["variants"]
        assert baseline["kind"] == "baseline"
        assert "comparison" not in baseline
        for variant in others:
            back = variant["transformed_to_canonical"]
            assert [case["options"].index(back[key]) for key in variant["presented_options"]] == variant[
                "canonical_indices"
            ]
            assert {v: k for k, v in variant["canonical_to_transformed"].items()} == back
            p, q = np.array(baseline["probabilities"]), np.array(variant["probabilities"])
            assert variant["comparison"]["semantic_agreement"] == bool(p.argmax() == q.argmax())
            assert variant["comparison"]["mean_probability_drift"] == pytest.approx(np.abs(p - q).mean(), abs=1e-12)
            labelled = case["gold_index"] is not None
            assert variant["correct"] == (variant["pred_index"] == case["gold_index"] if labelled else None)
    for code in ("de", "en"):
        report = exported["report"][code]
        variants = [v for case in exported["cases"] if case["lang"] == code for v in case["variants"]]
        for group in (*ALL[1:], "overall"):
            own = [v["comparison"] for v in variants if v["kind"] != "baseline" and group in ("overall", v["kind"])]
            assert report[group]["n"] == len(own)
            rate = report[group]["semantic_agreement_rate"]
            assert rate == pytest.approx(np.mean([entry["semantic_agreement"] for entry in own]))
        for kind in ALL:
            right = [v["correct"] for v in variants if v["kind"] == kind and v["correct"] is not None]
            assert report["quality"][kind]["n_labelled"] == len(right)
            if right:
                assert report["quality"][kind]["accuracy"] == pytest.approx(np.mean(right))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--regime", "served", "--transform", "reverse"], "--transform"),
        ([], "selectors that leave one result"),
        (["--regime", "served", "--min-confidence", "0.5"], "--min-confidence"),
    ],
)
def test_a_wrong_word_of_the_export_is_one_line(world, capsys, words, said):
    assert main(["export", str(world.folder / "one"), "--format", "laya-metamorphic", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_run_without_transforms_has_no_such_document(world, capsys):
    assert world.sweep("alone", "transform=[baseline]", "regime=[served]") == 0
    assert world.table("alone", "pairs").num_rows == 0
    assert not any(name.startswith("semantic") for *_, name in figures(world, "alone"))
    assert "Robustness" not in Path(world.folder / "alone" / "report.md").read_text("utf-8")
    assert main(["export", str(world.folder / "alone"), "--format", "laya-metamorphic"]) == 2
    assert "transforms beside the baseline" in capsys.readouterr().err


def test_a_transform_without_the_baseline_is_one_line(world, capsys):
    assert world.sweep("none", "transform=[reverse]") == 2
    assert "'transform=[baseline,reverse]'" in capsys.readouterr().err


def plain(decisions, keys):
    """(accuracy, n) of choice answers among (case, question, variant's count) keys, in a straight line."""
    right = [row["correct"] for row in decisions if (row["case_id"], row["question"]) in keys and row["gold_label"]]
    return sum(right) / len(right), len(right)


def test_a_transform_that_declines_questions_has_the_baseline_on_the_same_ones_beside_it(world):
    decisions = [row for row in world.table("one", "decisions").to_pylist() if row["regime"] == "served"]
    before = [row for row in decisions if row["transform"] == "baseline"]
    found = {key[0]: row for key, row in figures(world, "one").items() if key[1:] == ("served", *ALIKE_OVERALL)}
    assert {*found} == {"label_rename", "option_order", "noul_labels"}  # reverse is asked everything
    for transform in ("label_rename", "option_order"):
        keys = {(row["case_id"], row["question"]) for row in decisions if row["transform"] == transform}
        accuracy, n = plain(before, keys)
        assert (found[transform]["value"], found[transform]["n"]) == (pytest.approx(accuracy), n)
    assert found["noul_labels"]["value"] is None
    whole = figures(world, "one")["baseline", "served", "overall", "", "ece"]
    same = figures(world, "one")["label_rename", "served", "baseline:overall", "", "ece"]
    assert (same["n"], whole["n"]) == (5, 10)
    results = {(r["transform"], r["regime"]): r for r in document(world, "one")["results"]}
    block = results["label_rename", "served"]["baseline_on_same_questions"]
    assert block["overall"]["metrics"]["ece"]["value"] == same["value"]
    assert [*block["languages"]] == ["de", "en"]
    assert "baseline_on_same_questions" not in results["reverse", "served"]


ALIKE_OVERALL = ("baseline:overall", "", "choice_accuracy")


def test_the_metamorphic_export_has_the_baseline_on_the_questions_of_each_kind(world):
    out = world.folder / "alike.json"
    words = ["export", str(world.folder / "one"), "--format", "laya-metamorphic", "--checkpoint", "demo_english"]
    assert main([*words, "--regime", "served", "--out", str(out)]) == 0
    quality = json.loads(out.read_text("utf-8"))["report"]["en"]["quality"]
    rows = figures(world, "one")
    for kind in ("label_rename", "option_order", "noul_labels"):
        beside = quality[kind]["baseline"]
        assert beside["n_labelled"] == quality[kind]["n_labelled"] == 4
        assert beside["ece"] == pytest.approx(rows[kind, "served", "baseline:language", "en", "ece"]["value"])
    assert "baseline" not in quality["reverse"]
    assert quality["baseline"]["n_labelled"] == 8
