"""Verdicts as documents, words and exit codes."""

import json
import math

import pytest
from gate_cards import key, ours, with_overall

from laya_sweep.errors import UsageError
from laya_sweep.gates.scorecard import Scorecard
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.gates.verdict import VERDICT_SCHEMA, names
from laya_sweep.judging.functions import judge

POLICY = {"version": 1, "rules": [{"slice": {"language": "zh"}, "metric": "ece", "min_count": 50, "max": 0.1}]}


def full(candidate):
    return judge(
        candidate,
        thresholds=Thresholds.of(minimum={"choice_accuracy": 0.75}, max_ece=0.05),
        baseline=ours("base"),
        tolerances={"choice_accuracy": 0.02},
        policy=POLICY,
    )


def test_the_document_holds_every_number_and_no_nan():
    document = full(with_overall(ours(), choice_accuracy=math.nan, ece=-math.inf)).document()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert (document["schema"], document["passed"], document["mode"]) == (VERDICT_SCHEMA, False, "strict")
    assert (document["candidate"], document["baseline"]) == ("run", "base")
    assert document["asked"] == {
        "thresholds": {"min": {"choice_accuracy": 0.75}, "max": {}, "min_accuracy": None, "max_ece": 0.05},
        "tolerances": {"choice_accuracy": 0.02},
        "two_sided": False,
        "max_errored_share": 0.0,
        "policy": POLICY,
    }
    kinds = [check["kind"] for check in document["checks"]]
    assert kinds == ["baseline"] * 3 + ["comparability"] + ["threshold"] * 2 + ["policy"]
    found = {check.get("metric"): check for check in document["checks"] if check["kind"] == "baseline"}
    assert found["choice_accuracy"]["candidate"]["value"] == "nan"
    assert found["ece"]["candidate"]["value"] == "-inf"
    assert found["choice_accuracy"]["baseline"]["n"] == 100


def test_the_same_judgement_is_the_same_document():
    first, second = (json.dumps(full(ours()).document(), sort_keys=True) for _ in range(2))
    assert first == second


def test_words_say_each_failure_once_then_notes_and_count_what_passed():
    verdict = full(with_overall(ours(), choice_accuracy=0.7))
    moved = "choice_accuracy 0.7000 (n=100), baseline 0.8000 (n=100): -0.1000, tolerance 0.02, exceeded by 0.08"
    assert verdict.lines() == [
        f"FAIL: {moved}",
        "FAIL: choice_accuracy 0.7000 (n=100), min 0.75: missed by 0.05",
        "FAIL: ece 0.1000 (n=100), max_ece 0.05: missed by 0.05",
        "FAIL: policy rule 1 (language=zh ece, min_count 50): candidate 0.2000 (n=50), max 0.1, missed by 0.1",
        "note: 3 figure(s) judged against the baseline, 2 without a tolerance of their own; "
        "not judged, since neither way is better: mean_confidence",
        "gate failed: 7 check(s), 4 failed, 3 passed (strict)",
    ]
    lines = verdict.lines(everything=True)
    assert len(lines) == 7 + 2
    assert {check.message for check in verdict.checks} == {line.removeprefix("FAIL: ") for line in lines[:-2]}


def test_words_are_at_most_fifteen_lines_and_say_where_the_rest_is():
    floor = Thresholds.of(minimum={f"selective_accuracy@{n}": 2.0 for n in range(10, 60)}, max_ece=0.5)
    verdict = judge(ours(errored=1, asked=8), thresholds=floor)
    lines = verdict.lines(rest="--all shows them")
    assert len(lines) == 15
    assert lines[0].startswith("FAIL: candidate has 1 of 8 cases without an answer")
    assert lines[-2:] == [
        "and 38 more that failed; --all shows them",
        "gate failed: 52 check(s), 51 failed, 1 passed (strict)",
    ]
    assert len(verdict.lines(everything=True)) == 53


def test_a_passing_verdict_says_so():
    verdict = judge(ours(), thresholds=Thresholds.of(min_accuracy=0.5))
    assert (verdict.exit_code, verdict.failures) == (0, [])
    assert verdict.lines() == ["gate passed: 1 check(s), all passed (strict)"]
    assert verdict.lines(everything=True)[0] == "choice_accuracy 0.8000 (n=100), min_accuracy 0.5: kept"


def test_words_of_a_hostile_document_stay_on_their_line():
    name = "a\nFAIL: b\x1b[2J" + "x" * 10_000
    verdict = judge(
        {"overall": {name: 1.0}}, thresholds=Thresholds.of(minimum={name: 2.0, "ece": 0}), baseline={name: 1}
    )
    assert all(line.isprintable() and len(line) < 500 for line in verdict.lines())


def test_long_lists_of_names_are_bounded():
    assert names([]) == "none"
    assert names(["b", "a"]) == "a, b"
    assert names([f"m{i:03}" for i in range(100)]).endswith("m059 and 40 more")


def test_errors_fail_every_gate_of_ours_unless_a_share_is_allowed():
    lost = ours(errored=5, asked=8)
    limits = Thresholds.of(min_accuracy=0.1)
    for gate in ({"thresholds": limits}, {"baseline": ours()}, {"policy": POLICY}):
        for mode in ("strict", "compatible"):
            failed = [check.kind for check in judge(lost, mode=mode, **gate).failures]
            assert "data" in failed
    assert judge(lost, thresholds=limits, max_errored_share=0.625).passed
    assert not judge(lost, thresholds=limits, max_errored_share=0.6).passed
    assert not judge(ours(errored=1, asked=None), thresholds=limits, max_errored_share=0.9).passed, "of how many?"
    assert judge(lost).passed, "without a gate nothing fails; the exit code of a skip is another matter"


def test_the_errored_message_names_the_metrics_that_exist():
    [failure] = judge(ours(errored=5, asked=8), thresholds=Thresholds.of(min_accuracy=0.1)).failures
    assert failure.message == (
        "candidate has 5 of 8 cases without an answer (5 errored, 0 skipped); "
        "metrics over the others: choice_accuracy, ece, mean_confidence, selective_accuracy@50"
    )


@pytest.mark.parametrize("share", [-0.1, 1.1, math.nan, math.inf, True, "0.5", None])
def test_a_share_that_is_none_is_a_usage_error(share):
    with pytest.raises(UsageError, match="max_errored_share"):
        judge(ours(), max_errored_share=share)


def test_a_tolerance_without_a_baseline_is_a_usage_error():
    with pytest.raises(UsageError, match="tolerance: expected a baseline to compare with, got none"):
        judge(ours(), tolerances={"ece": 0.1})
    assert judge(ours(), tolerances={}).passed


def test_gates_are_applied_anew_on_every_call():
    card = ours()
    assert judge(card).passed
    assert not judge(card, thresholds=Thresholds.of(min_accuracy=0.99)).passed


def test_a_figure_key_is_its_place_and_metric():
    assert Scorecard("x").value(key("ece")) is None
    assert ours().value(key("ece", "language", "zh")) == 0.2
