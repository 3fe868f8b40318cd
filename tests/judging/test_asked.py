"""A gate judges what was asked: which figures, of which results, and whether that can mean anything."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil

import pytest

from laya_sweep import ByCheckpoint, UsageError, compare, judge
from laya_sweep.__main__ import main

DEMO = ["executor=inline", "checkpoint=[demo_english,demo_multilingual]", "regime=[served,raw]", "languages=[de,en]"]
THRESHOLDS = "min_confidence=[0.5,0.7]"
SERVED = ["--checkpoint", "demo_multilingual", "--regime", "served"]
UNDIRECTED = ["distinct_predictions", "first_option_baseline", "majority_baseline", "mean_confidence"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store, a run of eight results, RUN, and the same elsewhere, OLD."""
    folder = tmp_path_factory.mktemp("asked")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main([*DEMO, THRESHOLDS, f"store.uri={folder}/store", f"out_dir={folder}/RUN"]) == 0
    shutil.copytree(folder / "RUN", folder / "OLD")
    return folder


def checks(place, said, *words):
    """The checks of a comparison, by result."""
    code = said("compare", *words, "--json", "verdict.json")[0]
    assert code < 2
    return {one["result"]: one["checks"] for one in json.loads((place / "verdict.json").read_text("utf-8"))["results"]}


def figures(found):
    """The figures that were compared, as (place, metric)."""
    return {(c["dimension"], c["metric"]) for own in found.values() for c in own if c["kind"] == "baseline"}


def test_only_names_what_is_compared_at_all(place, said):
    words = ["RUN", *SERVED, "--baseline", "OLD"]
    every = figures(checks(place, said, *words))
    assert len(every) == 17
    named = checks(place, said, *words, "--only", "choice_accuracy,macro.ece", "--only", "mean_confidence")
    assert figures(named) == {
        ("overall", "choice_accuracy"), ("macro:language", "ece"), ("overall", "mean_confidence"),
    }  # fmt: skip
    python = compare("RUN", "OLD", only=["choice_accuracy"], mode="strict")
    assert {check.figure.metric for check in python.checks if check.kind == "baseline"} == {"choice_accuracy"}
    assert figures(checks(place, said, *words, "--mode", "compatible")) == every | {
        ("overall", name) for name in [*UNDIRECTED, "abstention_rate", "coverage"]
    }


def test_strict_mode_leaves_out_what_only_describes_unless_named(place, said):
    words = ["RUN", *SERVED, "--baseline", "OLD"]
    found = figures(checks(place, said, *words))
    assert not {metric for _, metric in found} & {*UNDIRECTED, "coverage", "abstention_rate"}
    assert ("overall", "mean_confidence") in figures(checks(place, said, *words, "--tolerance", "mean_confidence=0"))
    _, out, _ = said("compare", *words, "--tolerance", "ece=0.1")
    assert "17 figure(s) judged against the baseline, 16 without a tolerance of their own" in out
    assert f"neither way is better: abstention_rate, coverage, {', '.join(UNDIRECTED)}" in out


def test_what_no_threshold_moves_is_judged_once_a_result(place, said):
    found = checks(place, said, "RUN", *SERVED, "--baseline", "OLD")
    whole, *gated = found
    assert whole == "demo_multilingual served baseline"
    assert gated == [f"{whole} min_confidence={value}" for value in ("0.5", "0.7")]
    metrics = [[c["metric"] for c in found[name] if c["kind"] == "baseline"] for name in found]
    assert metrics[1:] == [["selective_precision"]] * 2
    assert len(metrics[0]) == 16
    one = checks(place, said, "RUN", *SERVED, "--min-confidence", "0.7", "--baseline", "OLD")
    assert [*one] == [gated[1]]
    assert len(figures(one)) == 17
    code, out, _ = said("gate", "RUN", *SERVED, "--min-accuracy", "0.99", "--min", "coverage=0.96")
    assert (code, out.count("FAIL: overall.choice_accuracy"), out.count("FAIL: overall.coverage")) == (1, 1, 1)


def test_results_are_compared_across_names(place, said):
    other = ["--baseline", "RUN", "--baseline-checkpoint", "demo_english"]
    code, out, _ = said("compare", "RUN", *SERVED, *other, "--only", "choice_accuracy", "--all")
    assert code == 0
    assert re.search(r"overall\.choice_accuracy 0\.9250 .*baseline 0\.4750", out)
    assert "compared with demo_english served baseline" in out
    python = compare("RUN", "OLD", only=["mean_confidence"], baseline_regime="raw")
    assert "mine" not in python.candidate
    moved = [check.drift for check in python.checks if check.kind == "baseline" and "served" in check.message]
    assert moved
    assert all(moved)
    swept = [*DEMO, THRESHOLDS, "store.uri=store", "out_dir=SWEPT", "baseline=OLD", "gate.only=[choice_accuracy]"]
    code, out, _ = said(*swept, "gate.baseline_checkpoint=demo_multilingual")
    assert (code, "demo_english served baseline: FAIL: overall.choice_accuracy" in out) == (1, True)
    assert said(*swept)[0] == 0


@pytest.mark.parametrize("words", [["--baseline", "RUN"], ["--baseline", "RUN/report.json"],
    ["--baseline", "RUN", "--baseline-regime", "served"], ["--baseline", "./OLD/../RUN"]])  # fmt: skip
def test_a_result_is_no_baseline_of_itself(said, words):
    code, out, err = said("compare", "RUN", *SERVED, *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "got the result itself" in err


def forwards(place):
    return sorted(path for path in (place / "fresh").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["gate.min.choice_acuracy=0.5"], "gate.min choice_acuracy: expected the name of a metric (nearest: choice"),
        (["baseline=OLD", "gate.only=[ecee]"], "gate.only ecee: expected the name of a metric (nearest: ece"),
        (["baseline=OLD", "gate.tolerance={selective_accuracy@0: 1}"], "gate.tolerance selective_accuracy@0"),
        (["gate.policy=policy.json"], "policy rule 1 metric brierr"),
        (["gate.only=[ece]"], "gate.only: expected a baseline"),
        (["gate.baseline_regime=raw", "gate.max_ece=1"], "gate.baseline_regime: expected a baseline"),
        (["baseline=OLD", "gate.baseline_checkpoint=demo_englich"], "expected one of demo_english"),
        (["baseline=map.json", "gate.baseline_regime=raw"], "gate.baseline_regime"),
        (["baseline=OLD", "gate.only=[ece]", "gate.min_accuracy=0.5"], "gate.min_accuracy: expected a figure of"),
        (["baseline=nan.json"], "baseline nan.json ece: expected a finite number, got nan"),
        (["baseline=inf.json"], "got inf"),
        (["baseline=OLD", "out_dir=OLD"], "got the result itself"),
        (["baseline=OLD", "min_confidence=[0.5,0.9]"], "a result demo_english raw baseline min_confidence=0.9"),
        (["baseline=OLD", "regime=[served,unit]"], "a result demo_english unit baseline"),
        (["baseline.demo_english=OLD"], "baseline.demo_multilingual"),
        (["baseline.demo_english=OLD", "baseline.demo_multilingual=OLD", "baseline.other=OLD"], "baseline.other"),
        (["baseline.demo_english=OLD", "baseline.demo_multilingual=nowhere"], "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_mean_anything_is_exit_2_before_any_forward(place, said, words, part):
    rule = {"slice": {"language": "de"}, "metric": "brierr", "min_count": 1, "max": 1}
    (place / "policy.json").write_text(json.dumps({"version": 1, "rules": [rule]}), "utf-8")
    (place / "map.json").write_text('{"ece": 0.1}', "utf-8")
    (place / "nan.json").write_text('{"ece": NaN}', "utf-8")
    (place / "inf.json").write_text('{"config": {}, "overall": {"ece": 1e999}}', "utf-8")
    code, out, err = said(*DEMO, THRESHOLDS, "store.uri=fresh", *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1), err
    assert part in err
    assert not forwards(place)


def test_a_name_that_a_side_has_is_a_metric(place, said):
    (place / "own.json").write_text('{"our_score": 0.5}', "utf-8")
    (place / "less.json").write_text('{"our_score": 0.4}', "utf-8")
    for words in (["compare", "less.json", "--baseline", "own.json", "--only", "our_score"],
                  ["gate", "less.json", "--min", "our_score=0.5"]):  # fmt: skip
        assert said(*words)[0] == 1
    with pytest.raises(UsageError, match=r"only our_scores: expected the name of a metric .nearest: our_score"):
        compare("less.json", "own.json", only=["our_scores"])
    with pytest.raises(UsageError, match="finite number, got nan"):
        judge("less.json", baseline={"our_score": float("nan")})
    nan = {"our_score": float("nan"), "ece": 0.1}
    assert compare({"our_score": 0.1, "ece": 0.1}, nan, only=["ece"]).passed


def test_a_name_of_only_that_no_figure_answers_to_fails_in_both_modes(said):
    for mode in ("strict", "compatible"):
        code, out, _ = said("compare", "RUN", *SERVED, "--baseline", "OLD", "--mode", mode, "--only", "score_mae,ece")
        assert (code, "FAIL: only for score_mae: nothing to compare, neither side has it" in out) == (1, True)


def test_macro_and_overall_are_two_figures_and_each_can_be_gated(place, said):
    report = json.loads((place / "RUN" / "report.json").read_text("utf-8"))
    [own] = [one for one in report["results"] if (one["checkpoint"], one["regime"]) == ("demo_multilingual", "served")]
    pooled, macro = (
        own[name]["metrics"]["ece"]["value"] if "metrics" in own[name] else None for name in ("overall", "macro")
    )
    code, out, _ = said(
        "gate", "RUN", *SERVED, "--max", "macro.ece=0.07", "--max", "ece=0.07", "--max", "overall.ece=0.01"
    )
    assert code == 1
    assert "FAIL: macro.ece 0.0847" in out
    assert "FAIL: overall.ece 0.0536" in out
    assert out.count("FAIL: ") == 2
    assert pooled is None or (round(pooled, 4), round(macro, 4)) == (0.0536, 0.0847)
    swept = [*DEMO, THRESHOLDS, "store.uri=store", "out_dir=MACRO"]
    assert "FAIL: macro.ece" in said(*swept, "gate.max.macro.ece=0.07")[1]
    assert said(*swept, "baseline=OLD", "gate.only=[macro.ece]", "gate.tolerance.macro.ece=0.1")[0] == 0


def test_advice_is_spelled_as_the_door_that_was_called(said, place):
    assert "--only METRIC,METRIC chooses" in said("compare", "RUN", "--baseline", "OLD")[1]
    assert (
        "gate.only=[METRIC,METRIC] chooses"
        in said(*DEMO, THRESHOLDS, "store.uri=store", "out_dir=S", "baseline=OLD")[1]
    )
    assert "name one with --baseline RUN_OR_JSON" in said("gate", "RUN", "--only", "ece", "--max-ece", "1")[2]
    with pytest.raises(UsageError, match=r"only: .*name one with baseline=RUN_OR_JSON"):
        judge("RUN", only=["ece"])


def test_each_checkpoint_has_a_baseline_of_its_own(said, place):
    single = [*DEMO, THRESHOLDS, "store.uri=store", "checkpoint=[demo_multilingual]", "out_dir=ALONE"]
    assert said(*single)[0] == 0
    swept = [*DEMO, THRESHOLDS, "store.uri=store", "out_dir=EACH", "gate.only=[choice_accuracy]"]
    both = ["baseline.demo_english=OLD", "baseline.demo_multilingual=ALONE"]
    assert said(*swept, *both)[0] == 0
    code, out, _ = said(*swept, "baseline.demo_english=ALONE", "baseline.demo_multilingual=null")
    assert code == 1
    assert "demo_english served baseline: FAIL: overall.choice_accuracy" in out
    assert "demo_english served baseline: note: compared with demo_multilingual served baseline" in out
    assert "demo_multilingual served baseline: note: compared with nothing: it has no baseline" in out
    words = ["--baseline", "demo_english=OLD", "--baseline", "demo_multilingual=ALONE", "--only", "choice_accuracy"]
    assert said("compare", "EACH", *words)[0] == 0
    each = ByCheckpoint(demo_english="OLD", demo_multilingual="ALONE")
    assert compare("EACH", each, only=["choice_accuracy"]).passed
    with pytest.raises(UsageError, match=r"baseline\.demo_multilingual"):
        compare("EACH", ByCheckpoint(demo_english="OLD"))
    code, _, err = said("compare", "EACH", *words[:2], "--baseline", "nobody=OLD")
    assert (code, "one baseline, or NAME=X once for each checkpoint (demo_english" in err) == (2, True)


def test_a_result_that_no_question_applies_to_is_equal_to_itself(said, place):
    noul = {"type": "noul", "instructions": "Is it about sound?", "criteria": {"true": "yes", "false": "no"}}
    rows = [{"state": state, "language": "en", "questions": {"loud": noul}, "expected": {"loud": state == "jazz"}}
            for state in ("jazz", "rain")]  # fmt: skip
    (place / "noul.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    swept = ["executor=inline", "checkpoint=[demo_multilingual]", "regime=[served]", "min_confidence=[0.5,0.7]"]
    swept += ["dataset=jsonl", "dataset.path=noul.jsonl", "transform=[baseline,option_order]", "store.uri=store"]
    assert said(*swept, "out_dir=NONE")[0] == 0
    shutil.copy("NONE/report.json", "none.json")
    assert said(*swept, "out_dir=AGAIN", "baseline=NONE", "gate.tolerance.ece=0.1")[0] == 0
    for words in (["AGAIN", "--baseline", "none.json"], ["none.json", "--baseline", "AGAIN"]):
        code, out, _ = said("compare", *words, "--all")
        assert (code, out.count("option_order: no question applies, here and in the baseline: equal")) == (0, 1)
    code, out, _ = said("compare", "AGAIN", "--transform", "baseline", "--baseline", "NONE",
                        "--baseline-transform", "option_order")  # fmt: skip
    assert (code, "FAIL: no question applies in the baseline" in out) == (1, True)
    other = [
        "compare",
        "AGAIN",
        "--transform",
        "option_order",
        "--baseline",
        "NONE",
        "--baseline-transform",
        "baseline",
    ]
    assert said(*other)[0] == 1
    assert said("gate", "AGAIN", "--transform", "option_order", "--min", "ece=0")[0] == 1
