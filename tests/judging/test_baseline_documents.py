"""Baselines that are documents, through the real command: our own report.json and the published shapes."""

from __future__ import annotations

import json
import random
import shutil

import pytest
from labelled_sets import STRANGE, places

from laya_sweep.__main__ import main
from laya_sweep.documents.result_report import report_scorecards
from laya_sweep.errors import UsageError
from laya_sweep.judging.run_cards import run_scorecards
from laya_sweep.store.stored_run import StoredRun

DEMO = ["executor=inline", "checkpoint=[demo_multilingual]", "regime=[served]", "min_confidence=0.5"]
ROUNDED = [f"--tolerance={name}=0.0001" for name in ("choice_accuracy", "ece", "mean_confidence", "macro_f1_slot")]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store, one finished run, RUN, and what it publishes, in each shape with a worse table beside."""
    folder = tmp_path_factory.mktemp("baselines")
    assert main([*DEMO, "languages=[de,en]", f"store.uri={folder}/store", f"out_dir={folder}/RUN"]) == 0
    assert main(["export", f"{folder}/RUN", "--format", "laya-eval", "--out", f"{folder}/report_shape.json"]) == 0
    own = json.loads((folder / "report_shape.json").read_text("utf-8"))["report"]
    worse = {code: {**entry, "ece": 0.9} for code, entry in own.items()}
    models = {"worse": {"per_language": worse}, "mine": {"per_language": own}}
    branches = {code: {"before": worse[code], "after": entry} for code, entry in own.items()}
    wider = {"report": {**own, "km": own["en"]}}
    shapes = {"models": {"part_a": {"by_model": models}}, "branches": {"per_language": branches}, "wider": wider}
    for name, document in shapes.items():
        (folder / f"{name}.json").write_text(json.dumps(document), "utf-8")
    return folder


def test_our_report_json_is_a_baseline_and_a_candidate_in_strict_mode(said):
    shutil.copy("RUN/report.json", "copy.json")
    for words in (["RUN", "--baseline", "copy.json"], ["copy.json", "--baseline", "RUN"]):
        code, out, _ = said("compare", *words, "--all")
        assert (code, "(strict)" in out) == (0, True)
        deltas = [line for line in out.splitlines() if ", tolerance 0" in line]
        assert len(deltas) > 15
        assert all(": +0.0000, tolerance 0" in line for line in deltas)
    assert said("gate", "RUN/report.json", "--checkpoint", "demo_multilingual", "--min-accuracy", "0.999")[0] == 1
    assert said("gate", "RUN/report.json", "--checkpoint", "nobody", "--min-accuracy", "0.9")[0] == 2


def test_a_report_alone_says_the_same_as_its_run(place):
    run = StoredRun.open(place / "RUN")
    own, alone = run_scorecards(run), report_scorecards(run.report, "report.json")
    assert [*alone] == [*own]
    for name, card in own.items():
        other = alone[name]
        timed = {metric: value for metric, value in card.overall.items() if metric.endswith("_ms")}
        assert {**other.overall, **timed} == card.overall
        assert other.slices == card.slices
        assert (other.identity, other.min_confidence, other.ours) == (card.identity, card.min_confidence, True)
        assert (other.missing, other.intervals) == (card.missing, card.intervals)
        assert {key: count.scored for key, count in other.counts.items()} == {
            key: count.scored for key, count in card.counts.items()
        }


def test_a_damaged_report_is_a_usage_error_or_still_a_report(place):
    text = (place / "RUN" / "report.json").read_text("utf-8")
    where, rng, refused = [place for place in places(json.loads(text)) if len(place) > 1], random.Random(5), 0
    for _ in range(400):
        document = json.loads(text)
        *path, last = rng.choice(where)
        holder = document
        for key in path:
            holder = holder[key]
        if rng.random() < 0.5:
            del holder[last]
        else:
            holder[last] = rng.choice(STRANGE)
        try:
            report_scorecards(document, "x.json")
        except UsageError as error:
            refused += len(str(error).splitlines())
    assert 50 < refused < 400


@pytest.mark.parametrize(("shape", "option", "name"), [("models", "model", "mine"), ("branches", "branch", "after")])
def test_published_shapes_are_baselines_of_a_run_and_of_a_sweep(said, shape, option, name):
    verb = ["compare", "RUN", "--baseline", f"{shape}.json", *ROUNDED]
    code, out, _ = said(*verb, f"--{option}", name)
    assert (code, "(compatible)" in out) == (0, True)
    assert "language=de ece" in said(*verb, f"--{option}", name, "--all")[1]
    assert said(*verb, f"--{option}", {"mine": "worse", "after": "before"}[name])[0] == 1
    code, out, err = said(*verb)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "none named" in err
    assert f"gate.{option}" in err

    sweep = [*DEMO, "languages=[de,en]", "store.uri=store", f"baseline={shape}.json", "out_dir=SWEEP"]
    sweep += [f"gate.tolerance.{word.removeprefix('--tolerance=')}" for word in ROUNDED]
    assert said(*sweep, f"gate.{option}={name}")[0] == 0
    code, _, err = said(*sweep, f"gate.{option}=nobody")
    assert (code, "'nobody'" in err, name in err) == (2, True, True)


def test_a_published_candidate_is_chosen_from_too(said):
    words = ["compare", "models.json", "--baseline", "branches.json", "--model", "mine", "--branch"]
    assert said(*words, "after")[0] == 0
    code, out, _ = said(*words, "before")
    assert (code, "FAIL: language=de ece" in out) == (1, True)


def test_a_baseline_of_more_languages_is_compared_in_those_that_are_named(said):
    verb = ["compare", "RUN", "--baseline", "wider.json", *ROUNDED]
    code, out, _ = said(*verb)
    assert (code, "FAIL: language=km" in out) == (1, True)
    assert said(*verb, "--languages", "de,en")[0] == 0
    code, out, _ = said(*verb, "--languages", "de,fr")
    assert (code, "baseline has no figures of language=fr" in out) == (1, True)
    sweep = [*DEMO, "languages=[de,en]", "store.uri=store", "baseline=wider.json", "out_dir=SWEEP"]
    sweep += [f"gate.tolerance.{word.removeprefix('--tolerance=')}" for word in ROUNDED]
    assert said(*sweep, "gate.languages=[de,en]")[0] == 0
    assert said(*sweep)[0] == 1


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["compare", "RUN", "--baseline", "RUN", "--model", "x"], "--model"),
        (["compare", "RUN", "--baseline", "models.json", "--model", "mine", "--branch", "x"], "--branch"),
        (["gate", "RUN", "--min-accuracy", "0", "--languages", "en"], "--languages"),
        (["compare", "models.json", "--baseline", "RUN", "--model", "mine", "--regime", "raw"], "--regime"),
        ([*DEMO, "gate.model=x", "gate.min_accuracy=0"], "gate.model"),
        ([*DEMO, "baseline=wider.json", "gate.languages=3"], "gate.languages"),
        ([*DEMO, "baseline=wider.json", "gate.languages=[]"], "gate.languages"),
    ],
)
def test_selectors_that_go_nowhere_are_exit_2_in_one_line(said, words, part):
    code, out, err = said(*words)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert part in err
