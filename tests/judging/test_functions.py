"""Gates as functions: whatever a person has at hand becomes a scorecard, and a verdict says what moved."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from labelled_sets import labelled_set
from stored_runs import drafts, write_run
from stub_runners import AgentRunner, RouterRunner

from laya_sweep import QualityError, Thresholds, UsageError, assert_no_regression, compare, evaluate, judge, scorecards
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.judging.run_cards import run_scorecards
from laya_sweep.store.stored_run import StoredRun


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of two regimes and two thresholds over two languages: four results."""
    folder = tmp_path_factory.mktemp("runs") / "RUN"
    rng = np.random.default_rng(5)
    return write_run(folder, {code: [*drafts(rng, code, 8)] for code in ("de", "en")}, seed=5)


@pytest.fixture(scope="module")
def copy(run):
    """The same run in another folder."""
    return StoredRun.open(Path(shutil.copytree(run.folder, run.folder.with_name("COPY"))))


@pytest.fixture(scope="module")
def evaluations():
    rows = [{key: value for key, value in row.items() if key != "model"} for row in labelled_set(9, rows=30)]
    return {salt: evaluate(rows, AgentRunner(salt), name=f"by {salt or 'the same'}") for salt in ("", "another")}


def test_every_kind_becomes_the_same_scorecard(run, evaluations, tmp_path):
    ours = {str(name): card for name, card in run_scorecards(run).items()}
    assert len(ours) == 4
    for given in (run, run.folder, str(run.folder), run.folder / "report.json"):
        assert scorecards(given) == ours
    name, card = next(iter(ours.items()))
    assert scorecards(card) == {card.name: card}
    assert name in card.name
    figures = {"ece": 0.25, "choice_accuracy": 0.5}
    (tmp_path / "map.json").write_text(json.dumps(figures), "utf-8")
    for given in (figures, tmp_path / "map.json", str(tmp_path / "map.json")):
        [found] = scorecards(given).values()
        assert found.overall == figures
    assert scorecards(evaluations[""]) == {"by the same": evaluations[""].scorecard}


def test_a_run_of_several_results_is_one_verdict_over_all_of_them(run, copy):
    same = compare(run.folder, copy)
    assert same.passed
    assert (same.candidate, same.baseline.split(":")[0]) == (str(run.folder), str(copy.folder))
    results = ["mine raw baseline", "mine served baseline"]
    both = judge(run, thresholds=Thresholds.of(minimum={"choice_accuracy": 1.5, "coverage": 1.5}))
    of = [check.message.split(": ")[0] for check in both.failures]
    assert sorted(of) == sorted([*results, *scorecards(run)])  # no threshold moves the accuracy
    floor = judge(run, thresholds=Thresholds.of(minimum={"choice_accuracy": 1.5}))
    assert sorted(check.message.split(": ")[0] for check in floor.failures) == results


def test_a_result_is_compared_with_its_namesake_or_with_the_only_one(run, evaluations):
    card = next(iter(scorecards(run).values()))
    assert compare(card, card).passed
    against_one = compare(run, card, mode="compatible")
    other = ["mine raw baseline min_confidence=0.5", "mine served baseline min_confidence=0.5"]
    assert {check.message.split(": ")[0] for check in against_one.checks} >= {*other}
    with pytest.raises(UsageError, match=r"scorecards\(baseline\)\[NAME\]"):
        compare(evaluations[""], run)


def test_an_evaluation_is_its_own_baseline_and_another_is_a_regression(evaluations):
    same = assert_no_regression(evaluations[""], evaluations[""])
    assert (same.passed, same.mode) == (True, "strict")
    with pytest.raises(AssertionError, match="noul_accuracy") as caught:
        assert_no_regression(evaluations["another"], evaluations[""], {"noul_accuracy": 0.01})
    assert isinstance(caught.value, QualityError)
    assert all("exceeded by" in failure for failure in caught.value.failures)
    # Not the timings, which a tolerance would put under judgement.
    wide = {name: 3.0 for name in evaluations[""].scorecard.overall if not name.endswith("_ms")}
    assert assert_no_regression(evaluations["another"], evaluations[""], wide).passed


def test_tolerances_and_policies_come_from_files_too(evaluations, tmp_path):
    wide = {name: 3.0 for name in evaluations[""].scorecard.overall if not name.endswith("_ms")}
    (tmp_path / "tolerances.json").write_text(json.dumps(wide), "utf-8")
    rule = {"slice": {"qid": "q0"}, "metric": "mean_confidence", "min_count": 1, "max_drop": 1.0}
    (tmp_path / "policy.json").write_text(json.dumps({"version": 1, "rules": [rule]}), "utf-8")
    asked = {"tolerances": tmp_path / "tolerances.json", "policy": tmp_path / "policy.json"}
    verdict = judge(evaluations["another"], baseline=evaluations[""], **asked)
    assert verdict.passed
    assert {check.kind for check in verdict.checks} == {"baseline", "comparability", "policy"}
    with pytest.raises(UsageError, match="nowhere"):
        compare(evaluations[""], evaluations[""], tmp_path / "nowhere.json")


def test_other_data_are_not_comparable(evaluations):
    other = evaluate([row for row in labelled_set(8) if row.pop("model", 1)], AgentRunner())
    failures = [check.message for check in compare(other, evaluations[""]).failures]
    assert any("baseline is not comparable: dataset_sha256" in said for said in failures)
    rows = [{"state": "x", "questions": {"q": {"type": "noul", "instructions": "Is it?"}}, "expected": {"q": True}}]
    gated, control, bare = (evaluate(rows, RouterRunner(), min_confidence=value) for value in (0.5, 0.0, None))
    for one, another in ((gated, control), (control, bare)):
        assert any("min_confidence" in check.message for check in compare(one, another).failures)


def test_an_evaluation_is_held_against_an_upstream_report_as_the_one_it_exports(evaluations):
    own = evaluations[""].document()
    against = compare(evaluations[""], own)
    assert (against.passed, against.mode) == (True, "compatible")
    assert compare(own, evaluations[""]).passed
    assert not compare(evaluations["another"], own).passed


def test_a_stored_run_is_held_against_an_upstream_report_as_what_it_exports(tmp_path):
    rng = np.random.default_rng(6)
    made = write_run(tmp_path / "RUN", {"en": [*drafts(rng, "en", 40)]}, seed=6, min_confidence=[None])
    report = laya_evals_document(made.select(regime="served"), None)
    verdict = compare(made, report, mode="compatible")
    served = [check for check in verdict.checks if check.message.startswith("mine served")]
    assert served
    assert all(check.passed for check in served)
    assert not all(check.passed for check in verdict.checks)  # the raw regime has other confidences


@pytest.mark.parametrize("given", [{}, None, [], "nowhere.json", {"ece": "0.1"}, {"ece": True}, 7])
def test_a_baseline_that_is_none_is_refused(evaluations, given):
    for check in (compare, assert_no_regression):
        with pytest.raises(UsageError):
            check(evaluations[""], given)


def test_what_cannot_be_judged_is_refused(evaluations, tmp_path):
    with pytest.raises(UsageError, match=r"report\.json"):
        compare(tmp_path, evaluations[""])
    with pytest.raises(UsageError, match="a baseline"):
        judge(evaluations[""], tolerances={"ece": 0.1})
