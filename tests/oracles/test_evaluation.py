"""`evaluate` beside laya.evals 0.4.15 on the same runners and sets: figures, slices, errors, cases, verdicts.

Where the two differ on purpose, the last tests say so, one each; `docs/python.md` lists them for people.
"""

from __future__ import annotations

import copy
import json
import random

import pytest
from labelled_sets import labelled_set, lines_of
from reports_alike import EXACT, assert_close, without_ms
from stub_runners import AgentRunner, BareRunner, RouterRunner

from laya_sweep import IncompleteError, UsageError, compare, evaluate

evals = pytest.importorskip("laya.evals", reason="laya is not installed")

SETS = 100
TOLERANCES = [0.25, 1.0]


def upstream(rows, runner, **asked):
    own = [*evals.default_evaluators(), *(evals.ScoreWithin(value) for value in TOLERANCES)]
    dataset = evals.Dataset([evals.Example.from_dict(row) for row in rows])
    return evals.evaluate(runner, dataset, evaluators=own, **asked)


def assert_same_report(ours, theirs):
    assert_close(without_ms(ours["overall"]), without_ms(theirs["overall"]))
    assert_close(ours["slices"], theirs["slices"])
    assert ours["cases"] == theirs["cases"]
    for name in ("schema", "questions_sha256", "coverage_metric_definition", "laya_version", "errored"):
        assert ours["config"].get(name) == theirs["config"].get(name), name
    timed = {name for name in theirs["overall"] if name.endswith("_ms")}
    assert timed == {name for name in ours["overall"] if name.endswith("_ms")}


def unnamed(rows):
    return [{name: value for name, value in row.items() if name != "model"} for row in rows]


@pytest.mark.parametrize(("kind", "sets"), [(RouterRunner, SETS), (AgentRunner, 30), (BareRunner, 15)])
def test_figures_slices_cases_and_identity_equal_upstream_s(kind, sets):
    seen = {"language": 0, "model": 0, "qid": 0, "tag": 0}
    for seed in range(sets):
        rows = labelled_set(seed)
        rows = rows if kind is RouterRunner else unnamed(rows)
        theirs = json.loads(json.dumps(upstream(rows, kind()).to_json()))
        size = [None, 1, 3][seed % 3]
        ours = evaluate(rows, kind(), score_within=TOLERANCES, batch_size=size)
        assert_same_report(json.loads(json.dumps(ours.document())), theirs)
        for dimension in theirs["slices"]:
            seen[dimension] += 1
    assert min(seen.values()) > sets / 2


def test_errors_that_are_skipped_equal_upstream_s():
    found = missing = 0
    for seed in range(SETS // 2):
        rows = labelled_set(seed)

        def broken(state, seed=seed):
            if random.Random(f"{seed} {state}").random() < 0.25:
                raise RuntimeError(f"no answer to {len(str(state))} characters")

        def change(state, answers, rows=rows, seed=seed):
            known = {qid for row in rows if row["state"] == state for qid in row["expected"]}
            drop = {qid for qid in known if random.Random(f"{seed} {state} {qid}").random() < 0.1}
            kept = set(answers) - drop
            unasked = [row for row in rows if row["state"] == state and not set(row["questions"]) <= known]
            return answers if unasked else {qid: answers[qid] for qid in answers if qid in kept}

        theirs = upstream(rows, RouterRunner(change=change, broken=broken), on_error="skip", batch_size=1)
        made = RouterRunner(change=change, broken=broken)
        ours = evaluate(rows, made, on_error="skip", batch_size=1, score_within=TOLERANCES)
        assert_same_report(json.loads(json.dumps(ours.document())), json.loads(json.dumps(theirs.to_json())))
        counts = ("chunks", "rows_grouped", "rows_alone", "max_chunk", "batch_size")
        assert [ours.outcome.timing[name] for name in counts] == [theirs.config["timing"][name] for name in counts]
        found += sum("question" not in error for error in theirs.config.get("errored", []))
        missing += sum("question" in error for error in theirs.config.get("errored", []))
        if theirs.config.get("errored"):
            with pytest.raises(IncompleteError):
                evaluate(rows, RouterRunner(change=change, broken=broken), batch_size=1)
            with pytest.raises((RuntimeError, evals.EvalError)):
                upstream(rows, RouterRunner(change=change, broken=broken))
    assert found > SETS / 2
    assert missing > SETS / 10


def test_a_row_s_checkpoint_is_refused_where_upstream_refuses_it():
    refused = 0
    for seed in range(SETS // 2):
        rows = labelled_set(seed)
        for kind in (AgentRunner, BareRunner):
            try:
                upstream(rows, kind())
            except evals.EvalError:
                refused += 1
                with pytest.raises(UsageError, match="asks for"):
                    evaluate(rows, kind())
            else:
                evaluate(rows, kind())
    assert SETS / 2 < refused < SETS


@pytest.mark.parametrize("given", [0.0, 0.5, 1.0, {"choice:2": 0.7, "default": 0.4}, None])
def test_marks_and_what_was_sent_equal_upstream_s(given):
    for seed in range(10):
        rows = labelled_set(seed)
        theirs = upstream(rows, RouterRunner(), min_confidence=given)
        ours = evaluate(rows, RouterRunner(), min_confidence=given, batch_size=1, score_within=TOLERANCES)
        assert_same_report(ours.document(), theirs.to_json())
        for name in ("min_confidence", "min_confidence_sent"):
            assert ours.document()["config"]["timing"][name] == theirs.config["timing"][name]


@pytest.mark.parametrize("given", [-0.1, 1.5, float("nan"), True, "0.5", {}, {"choice": 0.5}])
def test_a_threshold_is_refused_where_upstream_refuses_it(given):
    rows = labelled_set(1)
    with pytest.raises(evals.EvalError):
        upstream(rows, RouterRunner(), min_confidence=given)
    with pytest.raises(UsageError, match="min_confidence"):
        evaluate(rows, RouterRunner(), min_confidence=given)


def test_a_runner_that_takes_no_threshold_is_refused_where_upstream_refuses_it():
    rows = unnamed(labelled_set(1))
    with pytest.raises(evals.EvalError):
        upstream(rows, BareRunner(), min_confidence=0.5)
    with pytest.raises(UsageError, match="whose predict takes it"):
        evaluate(rows, BareRunner(), min_confidence=0.5)


@pytest.mark.slow
def test_verdicts_against_upstream_s_reports_equal_upstream_s():
    verdicts = []
    for seed in range(SETS):
        rng = random.Random(seed)
        rows = labelled_set(seed)
        other = labelled_set(seed + 1) if rng.random() < 0.1 else rows
        salt = rng.choice(["", "", "another"])
        ours = evaluate(rows, RouterRunner(), score_within=TOLERANCES)
        theirs, base = upstream(rows, RouterRunner()), upstream(other, RouterRunner(salt)).to_json()
        if rng.random() < 0.2:
            base["config"]["coverage_metric_definition"] = rng.choice([1, 2, None])
        names = [*without_ms(base["overall"])]
        tolerances = dict.fromkeys(without_ms(base["overall"]), EXACT)
        tolerances |= {name: rng.choice([EXACT, 0.05, 0.3, 2.0]) for name in names if rng.random() < 0.7}
        expected = theirs.compare(base, tolerances)[0] and theirs.comparable_to(base)[0]
        assert compare(ours, base, tolerances).passed is expected, seed
        verdicts.append(expected)
    assert SETS / 5 < sum(verdicts) < SETS * 4 / 5


def test_upstream_reads_the_report_as_its_own(tmp_path):
    cli = pytest.importorskip("laya.evals_cli")
    rows = labelled_set(4)
    path, base = tmp_path / "ours.json", tmp_path / "theirs.json"
    (tmp_path / "set.jsonl").write_text(lines_of(rows), "utf-8")
    report = evaluate(tmp_path / "set.jsonl", RouterRunner(), score_within=TOLERANCES).document()
    path.write_text(json.dumps(report), "utf-8")
    base.write_text(json.dumps(upstream(rows, RouterRunner()).to_json()), "utf-8")
    slack = [word for name in report["overall"] for word in ("--tolerance", f"{name}=1e-9") if name[-3:] != "_ms"]
    assert cli.main(["compare", str(path), "--baseline", str(base), *slack]) == 0
    base.write_text(json.dumps(upstream(rows, RouterRunner("another")).to_json()), "utf-8")
    assert cli.main(["compare", str(path), "--baseline", str(base), *slack]) == 1


ROW = {
    "state": "late",
    "questions": {
        "topic": {"type": "choice", "instructions": "Which?", "criteria": ["a", "b"]},
        "sure": {"type": "noul", "instructions": "Is it?"},
    },
    "expected": {"topic": "a"},
}


def changed(**parts):
    def change(_, answers):
        return {
            qid: {**copy.deepcopy(answer), **parts} if qid == "topic" else answer for qid, answer in answers.items()
        }

    return change


def test_difference_an_invalid_answer_is_an_error_and_no_score():
    runner = RouterRunner(change=changed(choice="c"))
    assert upstream([ROW], runner).overall["choice_accuracy"] == 0.0
    ours = evaluate([ROW], runner, on_error="skip")
    assert "choice_accuracy" not in ours.document()["overall"]
    assert [error.question for error in ours.errors] == ["topic"]


def test_difference_the_entropy_figure_is_never_read_as_a_confidence():
    runner = RouterRunner(change=changed(answer_confidence=None))
    case = evaluate([ROW], runner).document()["cases"][0]
    assert case["confidence"] == max(case["answer"]["probabilities"].values())
    assert upstream([ROW], runner).cases[0]["confidence"] == case["answer"]["confidence"] != case["confidence"]


def test_difference_a_question_without_label_that_is_not_answered_is_an_error():
    runner = RouterRunner(change=lambda _, answers: {"topic": answers["topic"]})
    assert "errored" not in upstream([ROW], runner).config
    assert [error.document() for error in evaluate([ROW], runner, on_error="skip").errors] == [
        {"index": 0, "question": "sure", "error": "missing answer"}
    ]


def test_difference_a_batch_that_fails_is_split_and_loses_one_row():
    rows = [ROW | {"state": f"row {i}"} for i in range(6)]

    def broken(state):
        if state == "row 3":
            raise ValueError("poison")

    runner = RouterRunner(broken=broken)
    theirs = upstream(rows, runner, batch_size=6, on_error="skip")
    assert len(theirs.config["errored"]) == 6
    ours = evaluate(rows, RouterRunner(broken=broken), batch_size=6, on_error="skip")
    assert [error.document() for error in ours.errors] == [{"index": 3, "error": "ValueError: poison"}]
    assert ours.decisions.num_rows == 10


def test_difference_the_model_slice_is_who_answered():
    class Renaming(RouterRunner):
        def predict(self, state, questions, model=None, min_confidence=None):
            return self.routed(state, questions, {"ml": "multilingual"}.get(model, model), min_confidence)

    rows = [ROW | {"model": "ml"}]
    assert [*upstream(rows, Renaming()).slices["model"]] == ["ml"]
    assert [*evaluate(rows, Renaming(), batch_size=1).document()["slices"]["model"]] == ["multilingual"]


def test_difference_a_threshold_whose_marks_do_not_come_back_is_refused():
    class Forgetful(RouterRunner):
        def result(self, state, questions, model=None, min_confidence=None):
            return super().result(state, questions, model, None)

    assert upstream([ROW], Forgetful(), min_confidence=0.5).config["timing"]["min_confidence_sent"]
    with pytest.raises(UsageError, match="by the runtime's rule"):
        evaluate([ROW], Forgetful(), min_confidence=0.5)
