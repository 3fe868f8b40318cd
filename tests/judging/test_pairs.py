"""The table of pairs: whatever holds figures against whatever does, with one verdict through all doors."""

from __future__ import annotations

import contextlib
import io
import json
from itertools import permutations, product

import pytest

from laya_sweep import Thresholds, UsageError, assert_no_regression, compare, judge, scorecards
from laya_sweep.__main__ import main

DEMO = ["executor=inline", "checkpoint=[demo_multilingual]", "regime=[served]", "languages=[de,en]"]
THRESHOLDS = {"one": "0.5", "several": "[0.0,0.7]"}
RUNS = [f"{rounding}_{thresholds}" for rounding in ("exact", "runtime") for thresholds in THRESHOLDS]
#: Reports of runs alone, upstream reports without and with a threshold, published shapes, a map.
DOCUMENTS = ["report_exact_one", "report_runtime_several", "evals", "evals_gated", "models", "branches", "map"]
KINDS = [*RUNS, *(f"{name}.json" for name in DOCUMENTS)]
CHOICE = {"models.json": {"model": "mine"}, "branches.json": {"branch": "after"}}


def said(*words):
    """Exit code, standard output and error of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*map(str, words)])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with one thing of each kind, all over the same data and weights."""
    folder = tmp_path_factory.mktemp("pairs")

    def write(name, document):
        (folder / f"{name}.json").write_text(json.dumps(document), "utf-8")

    for name in RUNS:
        rounding, thresholds = name.split("_")
        own = [f"metrics.rounding={rounding}", f"min_confidence={THRESHOLDS[thresholds]}", f"out_dir={folder / name}"]
        assert said(*DEMO, f"store.uri={folder}/store", *own)[0] == 0
    for name in ("exact_one", "runtime_several"):
        write(f"report_{name}", json.loads((folder / name / "report.json").read_text("utf-8")))
    run = folder / "exact_several"
    for name, threshold in (("evals", "none"), ("evals_gated", "0.7")):
        export = ["--format", "laya-evals", "--min-confidence", threshold, "--out", folder / f"{name}.json"]
        assert said("export", run, *export)[0] == 0
    assert said("export", run, "--format", "laya-eval", "--out", folder / "published.json")[0] == 0
    published = json.loads((folder / "published.json").read_text("utf-8"))["report"]
    worse = {code: {**figures, "ece": 0.9} for code, figures in published.items()}
    write("models", {"part_a": {"by_model": {"worse": {"per_language": worse}, "mine": {"per_language": published}}}})
    branches = {code: {"before": worse[code], "after": published[code]} for code in published}
    write("branches", {"per_language": branches})
    overall = next(iter(scorecards(folder / "exact_one").values())).overall
    write("map", {metric: value for metric, value in overall.items() if not metric.endswith("_ms")})
    return folder


def through_the_command(place, words):
    """Exit code and every check of every result, as (result, kind, passed, message); of exit code 2 what was said."""
    verdicts = place / "verdicts.json"
    code, out, err = said("compare", *words, "--all", "--json", verdicts)
    if code == 2:
        return code, unspelled(err.removeprefix("error: "))
    results = json.loads(verdicts.read_text("utf-8"))["results"]
    checks = [(one["result"], c["kind"], c["passed"], c["message"]) for one in results for c in one["checks"]]
    failures = [f"{name}: FAIL: {message}" for name, _, passed, message in checks if not passed]
    assert [line for line in out.splitlines() if ": FAIL: " in line] == failures
    return code, checks


def unspelled(message):
    """The lines of a refusal without what to do, which each door spells its own way."""
    return [line.rpartition("; ")[0] for line in message.splitlines()]


def through_python(candidate, baseline, options, **asked):
    """The same of `judge`; of several results as one verdict each check says its result."""
    try:
        verdict = judge(candidate, baseline=baseline, **asked)
    except UsageError as error:
        return 2, unspelled(str(error))
    [*names] = scorecards(candidate, **options)
    if len(names) == 1:
        return verdict.exit_code, [(names[0], check.kind, check.passed, check.message) for check in verdict.checks]
    split = [(check.message.partition(": "), check) for check in verdict.checks]
    assert {name for (name, _, _), _ in split} <= {*names, *(name.rpartition(" ")[0] for name in names)}
    return verdict.exit_code, [(name, check.kind, check.passed, message) for (name, _, message), check in split]


@pytest.mark.parametrize(("candidate", "baseline"), [*product(KINDS, KINDS)])
def test_every_pair_has_one_verdict_for_the_command_and_for_python(place, candidate, baseline):
    options = CHOICE.get(candidate, {})
    chosen = {**options, **CHOICE.get(baseline, {})}
    words = [place / candidate, "--baseline", place / baseline, "--tolerance", "choice_accuracy=0.02"]
    words += ["--min-accuracy", "0.5", *(part for name, value in chosen.items() for part in (f"--{name}", value))]
    asked = {"thresholds": Thresholds.of(min_accuracy=0.5), "tolerances": {"choice_accuracy": 0.02}, **chosen}
    found = through_the_command(place, words)
    assert found == through_python(place / candidate, place / baseline, options, **asked)
    if candidate == baseline in RUNS:
        assert found[0] == 2
        assert "got the result itself" in found[1][0]
    if candidate.endswith(".json") and baseline.endswith(".json") and found[0] != 2:  # a value is read as its file is
        values = [json.loads((place / name).read_text("utf-8")) for name in (candidate, baseline)]
        code, checks = through_python(*values, options, **asked)
        assert (code, [check[1:] for check in checks]) == (found[0], [check[1:] for check in found[1]])


@pytest.mark.parametrize(
    ("baseline", "words"),
    [("evals.json", []), ("evals_gated.json", []), ("report_runtime_several.json", []), ("exact_several", []),
     ("branches.json", ["gate.branch=after"]), ("map.json", []), ("exact_one", [])],
)  # fmt: skip
def test_a_sweep_says_of_its_baseline_what_the_command_says(place, baseline, words):
    own = [*DEMO, f"min_confidence={THRESHOLDS['several']}", f"store.uri={place}/store", f"out_dir={place}/SWEEP"]
    swept, out, _ = said(*own, f"baseline={place / baseline}", "gate.tolerance.choice_accuracy=0.02", *words)
    options = [part for word in words for part in word.replace("gate.", "--").split("=")]
    tolerance = ["--tolerance", "choice_accuracy=0.02"]
    code, verdict, _ = said("compare", place / "SWEEP", "--baseline", place / baseline, *tolerance, *options)
    assert swept == code
    assert verdict
    spelled = {"--only METRIC,METRIC": "gate.only=[METRIC,METRIC]", "--tolerance": "gate.tolerance",
               "--all shows them": "verdict.json has them"}  # fmt: skip
    for command, sweep in spelled.items():
        verdict = verdict.replace(command, sweep)
    assert out.endswith(verdict)


#: What an upstream report of choices holds, to be met to a billionth.
SAME = ("choice_accuracy", "mean_confidence", "ece", "brier", "aurc", "selective_accuracy@50", "selective_accuracy@80")
NEAR = dict.fromkeys(SAME, 1e-9)


@pytest.mark.parametrize("run", RUNS)
def test_a_run_equals_an_upstream_report_of_the_same_data_and_weights(place, run):
    for sides in ((place / run, place / "evals.json"), (place / "evals.json", place / run)):
        verdict = assert_no_regression(*sides, NEAR)
        assert {check.figure.metric for check in verdict.checks if check.kind == "baseline"} == {*NEAR}
        words = [sides[0], "--baseline", sides[1], *(f"--tolerance={name}=1e-9" for name in NEAR)]
        assert said("compare", *words)[0] == 0


def test_a_copied_report_has_no_answers_to_round_so_tolerances_decide(place):
    for candidate, baseline in permutations(["report_exact_one.json", "evals.json"]):
        assert compare(place / candidate, place / baseline, dict.fromkeys(NEAR, 1e-3)).passed
        assert not compare(place / candidate, place / baseline, NEAR).passed
    assert compare(place / "evals.json", place / "report_runtime_several.json", NEAR).passed
    assert "rounding" in compare(place / "report_exact_one.json", place / "runtime_one").failures[-1].message


def test_the_report_in_a_run_folder_is_the_run(place):
    inside = place / "exact_one" / "report.json"
    assert scorecards(inside) == scorecards(place / "exact_one")
    assert compare(inside, place / "evals.json", NEAR).passed


def test_of_several_thresholds_each_meets_the_report_at_its_own(place):
    run, gated = place / "exact_several", place / "evals_gated.json"
    [failure] = compare(run, gated, NEAR).failures
    assert failure.message.startswith("demo_multilingual served baseline min_confidence=0: baseline is not comparable")
    assert compare(gated, run, NEAR).passed
    assert not compare(gated, place / "exact_one", NEAR).passed  # of one result, at 0.5


def test_thresholds_are_of_the_run_s_own_figures_whatever_it_is_compared_with(place):
    limits = Thresholds.of(minimum={"coverage": 0.9}, max_ece=0.9)
    alone = [check for check in judge(place / "exact_several", thresholds=limits).checks if check.kind == "threshold"]
    beside = judge(place / "exact_several", thresholds=limits, baseline=place / "evals.json", tolerances=NEAR)
    assert [check for check in beside.checks if check.kind == "threshold"] == alone
    assert [check.passed for check in alone] == [True, True, False]  # ECE once, coverage once a threshold


def test_upstream_s_own_compare_agrees_on_our_export(place):
    evals_cli = pytest.importorskip("laya.evals_cli", reason="laya is not installed")
    assert said("export", place / "runtime_several", "--format", "laya-evals", "--min-confidence", "none", "--out",
                place / "again.json")[0] == 0  # fmt: skip
    worse = json.loads((place / "evals.json").read_text("utf-8"))
    worse["overall"]["choice_accuracy"] += 0.01
    (place / "worse.json").write_text(json.dumps(worse), "utf-8")
    for baseline, code in (("evals.json", 0), ("worse.json", 1)):
        words = [str(place / "again.json"), "--baseline", str(place / baseline)]
        words += [part for name in NEAR for part in ("--tolerance", f"{name}=1e-9")]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert evals_cli.main(["compare", *words]) == code
        assert said("compare", place / "exact_several", *words[1:])[0] == code
