"""The published per-language document as a baseline."""

import json
from dataclasses import replace

import pytest
from gate_cards import key

from laya_sweep import compare
from laya_sweep.documents.scorecards import read_scorecard, scorecard_of
from laya_sweep.domain.slices import SlicePlace
from laya_sweep.errors import UsageError
from laya_sweep.gates.scorecard import Count, Scorecard

FIGURES = {"accuracy": 0.82, "macro_f1": 0.7876, "ece": 0.1382, "mean_confidence": 0.9582, "acc_at_50_coverage": 0.98}
OURS = {
    "choice_accuracy": 0.82,
    "macro_f1_slot": 0.7876,
    "ece": 0.1382,
    "mean_confidence": 0.9582,
    "acc_at_50_coverage": 0.98,
}
MACRO = SlicePlace("macro:language", "")


def document(*languages, **summary):
    figures = {code: {**FIGURES, "n": 100, "temperature": 0.5, "input_sha256": "x"} for code in languages}
    return {
        "config": {"model": "m"},
        "report": figures,
        "summary": {
            "languages": len(languages),
            "macro_accuracy": 0.82,
            "macro_ece": 0.1382,
            "macro_f1": 0.7876,
            **summary,
        },
    }


def test_figures_come_under_our_names():
    card = scorecard_of(document("en", "de"))
    assert card.slices["language"] == {"en": OURS, "de": OURS}
    assert card.slices["macro:language"] == {"": {"choice_accuracy": 0.82, "ece": 0.1382, "macro_f1_slot": 0.7876}}
    assert card.counts[key("ece", "language", "de")] == Count(100)
    assert card.overall == {}, "the mean over languages is not the figure of all cases"
    assert card.scope == (MACRO, ("language", "en"), ("language", "de"))


def test_one_language_is_the_whole():
    card = scorecard_of(document("en"))
    assert card.overall == OURS
    assert card.counts[key("ece")] == Count(100)


def run_of_ours(**figures):
    """A run with the document's figures, but for some."""
    macro = {"choice_accuracy": 0.82, "ece": 0.1382, "macro_f1_slot": 0.7876}
    return Scorecard(
        "run",
        overall={"choice_accuracy": 0.82},
        slices={"language": {"en": {**OURS, **figures}, "de": OURS}, "macro:language": {"": macro}},
        ours=True,
    )


def test_a_run_is_compared_language_by_language():
    verdict = compare(run_of_ours(), document("en", "de"))
    assert (verdict.mode, verdict.passed, len(verdict.checks)) == ("compatible", True, 3 + 5 + 5 + 1)
    verdict = compare(run_of_ours(ece=0.2), document("en", "de"), {"ece": 0.05})
    assert [check.figure for check in verdict.failures] == [("language", "en", "ece")]
    assert verdict.failures[0].message.startswith("language=en ece 0.2000, baseline 0.1382 (n=100): +0.0618, tolerance")


def test_a_language_the_run_lacks_fails_and_may_be_left_out_by_name():
    baseline = scorecard_of(document("en", "de", "sv"))
    failed = {check.figure.value for check in compare(run_of_ours(), baseline).failures}
    assert failed == {"sv"}
    assert compare(run_of_ours(), baseline.restricted(languages=["en", "de"])).passed


def test_an_upstream_report_by_language_is_compared_too():
    report = {
        "config": {},
        "overall": {"choice_accuracy": 0.82},
        "slices": {"language": {"en": {"choice_accuracy": 0.81, "ece": 0.14}}},
        "cases": [],
    }
    baseline = scorecard_of(document("en")).restricted(languages=["en"], metrics=["choice_accuracy", "ece"])
    assert compare(report, baseline, {"choice_accuracy": 0.02, "ece": 0.02}).passed
    assert not compare(report, baseline, {"choice_accuracy": 0.001, "ece": 0.02}).passed


def test_an_incomplete_document_has_no_macro_and_says_so():
    card = scorecard_of(document("en", "de", complete=False))
    assert "macro:language" not in card.slices
    assert card.absent
    assert MACRO not in card.scope
    assert MACRO in scorecard_of(document("en", "de", complete=True)).scope


@pytest.mark.parametrize("report", [None, [], {}, "en", 3])
def test_a_document_without_languages_is_a_usage_error(report):
    with pytest.raises(UsageError, match=r"baseline: report: expected (an object|at least one language)"):
        scorecard_of({"report": report})


@pytest.mark.parametrize("value", [None, "0.82", True, float("nan"), float("inf"), [0.82]])
def test_a_figure_that_is_no_finite_number_is_a_usage_error(value):
    broken = document("en", "de")
    broken["report"]["de"]["accuracy"] = value
    with pytest.raises(UsageError, match=r"report.de.accuracy: expected a finite number"):
        scorecard_of(broken)


def test_every_broken_language_is_named_at_once():
    broken = document("en", "de", "sv")
    broken["report"] |= {"de": None, "sv": {"n": 3}}
    broken["report"]["en"]["ece"] = "x"
    with pytest.raises(UsageError) as raised:
        scorecard_of(broken)
    assert [problem.what for problem in raised.value.problems] == [
        "baseline report.en.ece",
        "baseline report.de",
        "baseline report.sv",
    ]


@pytest.mark.reference
def test_the_golden_document_of_51_languages(shared):
    path = shared / "golden" / "eval_english_51_languages.json"
    card = read_scorecard(path)
    assert len(card.slices["language"]) == 51
    assert card.slices["macro:language"][""] == {"choice_accuracy": 0.2269, "ece": 0.5709, "macro_f1_slot": 0.2053}
    assert compare(path, path).passed
    worse = json.loads(path.read_text("utf-8"))
    worse["report"]["sv"]["accuracy"] -= 0.03
    verdict = compare(worse, path, {"choice_accuracy": 0.02})
    assert [check.figure for check in verdict.failures] == [("language", "sv", "choice_accuracy")]
    assert not compare(replace(card, ours=True), replace(card, ours=True)).passed, "strict mode wants an identity"


def in_shapes(languages):
    """The same figures in each shape, with what chooses them among others."""
    others = {code: {**entry, "ece": 0.9} for code, entry in languages.items()}
    models = {"other": {"per_language": others}, "mine": {"per_language": languages}}
    branches = {code: {"before": others[code], "after": entry} for code, entry in languages.items()}
    return [
        ({"report": languages}, {}),
        ({"part_a": {"by_model": models}}, {"model": "mine"}),
        ({"per_language": branches}, {"branch": "after"}),
    ]


def test_every_shape_gives_the_same_figures():
    languages = document("en", "de")["report"]
    cards = [scorecard_of(shape, **chosen) for shape, chosen in in_shapes(languages)]
    assert all(replace(card, selectors=frozenset()) == replace(cards[0], selectors=frozenset()) for card in cards)
    assert [sorted(card.selectors) for card in cards] == [[], ["--model"], ["--branch"]]
    assert cards[0].slices == {"language": {"en": OURS, "de": OURS}}


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({}, "none named"),
        ({"model": "x", "branch": "x"}, "'x'"),
    ],
)
def test_a_model_or_branch_that_must_be_named_is_a_usage_error_that_lists_them(chosen, said):
    _, models, branches = (shape for shape, _ in in_shapes(document("en")["report"]))
    with pytest.raises(
        UsageError, match=rf"--model of baseline: expected one of (mine, other|other, mine), got {said}; .*gate.model"
    ):
        scorecard_of(models, **chosen)
    with pytest.raises(
        UsageError, match=rf"--branch of baseline: expected one of (after, before|before, after), got {said}; .*gate"
    ):
        scorecard_of(branches, **chosen)


def test_a_broken_figure_is_named_where_it_stands():
    languages = document("en")["report"]
    languages["en"]["ece"] = "x"
    places = ["report.en.ece", "part_a.by_model.mine.per_language.en.ece", "per_language.en.after.ece"]
    for (shape, chosen), place in zip(in_shapes(languages), places, strict=True):
        with pytest.raises(UsageError, match=f"baseline {place}: expected a finite number"):
            scorecard_of(shape, **chosen)


def test_a_language_that_failed_is_absent_and_there_is_no_macro():
    broken = document("en", "de")
    broken["report"]["de"] = {"error": "boom"}
    card = scorecard_of(broken)
    assert (dict(card.absent), [*card.slices]) == ({"language de": "boom"}, ["language"])
    assert not compare(run_of_ours(), card).passed


@pytest.mark.reference
def test_the_golden_documents_of_several_models_and_branches(shared):
    golden = shared / "golden"
    served = read_scorecard(golden / "published_sweep_clamped.json", branch="clamped_rerun")
    verdict = compare(golden / "eval_english_51_languages.json", served)
    assert (verdict.passed, len([check for check in verdict.checks if check.kind == "baseline"])) == (True, 51 * 5)
    raw = read_scorecard(golden / "published_sweep_part_a.json", model="english")
    assert {check.figure.metric for check in compare(served, raw).failures} == {
        "ece",
        "mean_confidence",
        "acc_at_50_coverage",
    }
    with pytest.raises(UsageError, match="expected one of english, multilingual, got none named"):
        read_scorecard(golden / "published_sweep_part_a.json")
