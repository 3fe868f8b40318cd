"""What an evaluation says: figures, decisions, identity, errors; and what is refused before anything is asked."""

from __future__ import annotations

import json

import pytest
from labelled_sets import labelled_set, lines_of
from stub_runners import AgentRunner, RouterRunner, logits_of

from laya_sweep import (
    DatasetError,
    IncompleteError,
    ParityError,
    UsageError,
    compare,
    evaluate,
    file_fingerprint,
    judge,
)
from laya_sweep import questions_fingerprint as fingerprint
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.engines.engine import EncodingError
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.evaluation.outcome import EVALUATED
from laya_sweep.suites.labelled import read_labelled


def unnamed(seed, rows=12):
    return [{key: value for key, value in row.items() if key != "model"} for row in labelled_set(seed, rows)]


def engine(**options):
    return ScriptedEngine(lambda variant, qid: logits_of(variant.state, qid, variant.questions[qid]), **options)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text("# a comment\n\n" + lines_of(unnamed(5)), "utf-8")
    return path


def test_a_file_a_read_set_and_rows_give_the_same_figures(file):
    rows = unnamed(5)
    by_path, by_text = evaluate(file, AgentRunner()), evaluate(str(file), AgentRunner())
    by_set, by_rows = evaluate(read_labelled(file), AgentRunner()), evaluate(iter(rows), AgentRunner())
    assert by_path.metrics == by_text.metrics == by_set.metrics == by_rows.metrics
    assert by_path.fingerprints() == by_set.fingerprints()
    assert by_path.dataset.sha256 == file_fingerprint(file) == file_fingerprint(str(file))
    asked = questions_fingerprint(read_labelled(file).examples)
    assert asked == by_rows.fingerprints()["questions_sha256"] == fingerprint(file) == fingerprint(rows)
    assert by_rows.dataset.sha256 != by_path.dataset.sha256  # of the frozen rows, since there are no bytes


def test_rows_have_the_faults_that_a_file_would_have():
    good = unnamed(5)[0]
    with pytest.raises(DatasetError) as caught:
        evaluate([good, {**good, "expected": {"q9": 1}}, {**good, "state": float("nan")}], AgentRunner())
    assert [problem.what for problem in caught.value.problems] == ["rows: row 2, expected.q9", "rows: row 3"]
    for broken in ([{**good, "state": object()}], [], [7], [{**good, "state": "\ud800"}]):
        with pytest.raises(DatasetError):
            evaluate(broken, AgentRunner())
    with pytest.raises(DatasetError, match="data come first"):
        evaluate(AgentRunner(), "data.jsonl")


def test_decisions_have_the_written_schema_and_every_answer():
    result = evaluate(unnamed(7), AgentRunner(), min_confidence=0.6)
    assert result.decisions.schema.equals(EVALUATED)
    assert result.decisions.num_rows == result.dataset.questions == len(result.answers)
    for row, one in zip(result.decisions.to_pylist(), result.answers, strict=True):
        assert (
            row["abstention"]
            == one.answer["abstention"]
            == ("abstained" if row["answer_confidence"] < 0.6 else "passed")
        )
        assert row["p_pred"] == row["probabilities"][row["pred_index"]]
        labelled = one.qid in result.dataset.cases[one.index].expected and row["question_type"] != "score"
        assert row["correct"] is (row["pred_index"] == row["gold_index"] if labelled else None)


def test_values_by_slice_and_what_there_is():
    result = evaluate(unnamed(9, 40), AgentRunner(), score_within=[0.5])
    rows = result.decisions.to_pylist()
    for dimension, column in (("language", "language"), ("qid", "question"), ("model", "checkpoint")):
        for value in {row[column] for row in rows}:
            right = [row["correct"] for row in rows if row[column] == value and row["question_type"] == "noul"]
            right = [one for one in right if one is not None]
            found = result.value("noul_accuracy", **{dimension: value})
            assert found == (pytest.approx(sum(right) / len(right)) if right else None)
    tagged = [row["correct"] for row in rows if "vip" in row["tags"] and row["question_type"] == "noul"]
    tagged = [one for one in tagged if one is not None]
    assert result.value("noul_accuracy", tag="vip") == pytest.approx(sum(tagged) / len(tagged))
    assert result.value("latency_p50_ms") == result.figures["latency_p50_ms"]
    for wrong, said in (
        ({"metric": "acuracy"}, "accuracy"),
        ({"metric": "ece", "language": "xx"}, "sv-SE"),
        ({"metric": "ece", "language": "no", "tag": "x"}, "at most one"),
    ):
        with pytest.raises(UsageError, match=said):
            result.value(**wrong)


def test_thresholds_give_coverage_at_the_threshold():
    result = evaluate(unnamed(9, 40), AgentRunner(), min_confidence=0.7)
    counted = [row for row in result.decisions.to_pylist() if row["correct"] is not None]
    kept = [row for row in counted if row["abstention"] == "passed"]
    assert result.value("coverage") == pytest.approx(len(kept) / len(counted))
    assert result.value("selective_precision") == pytest.approx(sum(row["correct"] for row in kept) / len(kept))
    mapped = evaluate(unnamed(9, 40), AgentRunner(), min_confidence={"noul:2": 0.9, "default": 0.1})
    assert {row["abstention_threshold"] for row in mapped.decisions.to_pylist()} == {0.9, 0.1}
    assert mapped.value("ece") == result.value("ece")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": True}, "batch_size"),
        ({"batch_size": 2.0}, "batch_size"),
        ({"order_sample": -1}, "order_sample"),
        ({"on_error": "ignore"}, "on_error"),
        ({"checkpoint": " "}, "checkpoint"),
        ({"score_within": [-1]}, "score_within"),
        ({"score_within": [float("nan")]}, "score_within"),
        ({"score_within": ["0.5"]}, "score_within"),
        ({"regime": "server"}, "regime"),
        ({"regime": 0.0}, "regime"),
        ({"regime": True}, "regime"),
        ({"regime": "raw"}, "an engine"),
        ({"min_confidence": 2}, "min_confidence"),
    ],
)
def test_what_cannot_mean_anything_is_refused_before_anything_is_asked(asked, said):
    runner = AgentRunner()
    with pytest.raises(UsageError, match=said):
        evaluate(unnamed(1), runner, **asked)
    assert runner.calls == []


def test_a_missing_file_and_a_missing_checkpoint_are_sentences(tmp_path):
    with pytest.raises(DatasetError, match="nowhere"):
        evaluate(tmp_path / "nowhere.jsonl", AgentRunner())
    with pytest.raises(UsageError, match="a checkpoint folder"):
        evaluate(unnamed(1), tmp_path / "nowhere")
    with pytest.raises(UsageError, match="bundled:demo_english"):
        evaluate(unnamed(1), "bundled:nothing")


def test_failed_rows_fail_every_gate_and_are_named():
    def broken(state):
        if len(str(state)) % 5 == 0:
            raise TimeoutError("slow")

    rows = unnamed(11, 30)
    result = evaluate(rows, AgentRunner(broken=broken), on_error="skip")
    lost = [i for i, row in enumerate(rows) if len(str(row["state"])) % 5 == 0]
    assert [error.index for error in result.errors] == lost
    assert {error.error for error in result.errors} == {"TimeoutError: slow"}
    assert result.scorecard.errored == sum(len(rows[i]["questions"]) for i in lost)
    verdict = judge(result, thresholds=None, baseline={"noul_accuracy": 0.0}, mode="compatible")
    assert not verdict.passed
    assert any("without an answer" in check.message for check in verdict.failures)
    with pytest.raises(IncompleteError, match=rf"row {lost[0]}: TimeoutError: slow") as caught:
        evaluate(rows, AgentRunner(broken=broken), batch_size=1)
    assert isinstance(caught.value.__cause__, TimeoutError)


def test_a_set_of_which_nothing_answers_has_no_figures():
    def broken(state):
        raise RuntimeError("down")

    result = evaluate(unnamed(3), AgentRunner(broken=broken), on_error="skip")
    assert result.figures == {}
    assert {row.value for row in result.metrics} <= {None}
    assert result.document()["overall"] == {} == result.document()["slices"]
    assert result.scorecard.errored == result.dataset.questions
    assert not judge(result, baseline={"ece": 0.1}).passed


def test_a_report_is_json_and_the_same_but_for_times():
    def made():
        report = evaluate(unnamed(6), RouterRunner(), score_within=[0.5]).document()
        report["overall"] = {name: value for name, value in report["overall"].items() if not name.endswith("_ms")}
        return json.dumps(report, allow_nan=False)

    assert made() == made()


def test_an_engine_is_scored_from_its_logits():
    rows = unnamed(9, 30)
    exact, rounded = evaluate(rows, engine(), min_confidence=0.6), evaluate(rows, AgentRunner(), min_confidence=0.6)
    assert [one.answer for one in exact.answers] == [
        {**one.answer, "action": {"act_probability": 0.0}} for one in rounded.answers
    ]
    assert exact.outcome.rounding == "exact"
    assert (exact.outcome.regime, set(exact.decisions["temperature"].to_pylist())) == ("served", {1.0})
    assert exact.decisions.schema.equals(EVALUATED)
    for name in ("row_index", "question", "language", "tags", "pred_label", "gold_label", "correct", "abstention"):
        assert exact.decisions[name].to_pylist() == rounded.decisions[name].to_pylist(), name
    for ours, theirs in zip(exact.decisions.to_pylist(), rounded.decisions.to_pylist(), strict=True):
        assert ours["answer_confidence"] == pytest.approx(theirs["answer_confidence"], abs=5.1e-5)
    bare = [one | {"model": "", "answer": {**one["answer"], "action": {}}} for one in exact.document()["cases"]]
    assert bare == [
        one | {"model": "", "answer": {**one["answer"], "action": {}}} for one in rounded.document()["cases"]
    ]


def test_the_report_of_an_engine_is_of_its_rounded_answers_and_says_so():
    rows = unnamed(9, 30)
    exact = evaluate(rows, engine(), min_confidence=0.6)
    report = exact.document()
    assert (exact.scorecard.rounding, report["config"]["rounding"]) == ("exact", "runtime")
    theirs = evaluate(rows, AgentRunner(), min_confidence=0.6).document()
    assert report["overall"]["ece"] == theirs["overall"]["ece"]
    for pair in ((exact, report), (report, exact), (report, theirs)):
        assert compare(*pair).passed


def test_a_regime_moves_confidence_and_no_choice():
    rows = unnamed(9, 30)
    unit, hot = evaluate(rows, engine(), regime="unit"), evaluate(rows, engine(), regime=4.0)
    assert unit.value("noul_accuracy") == hot.value("noul_accuracy") is not None
    assert hot.value("mean_confidence") < unit.value("mean_confidence")
    assert set(hot.decisions["temperature"].to_pylist()) == {4.0}
    with pytest.raises(UsageError, match="temperatures it does not apply"):
        evaluate(rows, engine(), regime=4.0, min_confidence=0.5)
    with pytest.raises(UsageError, match="raw temperature"):
        evaluate(rows, engine(), regime="raw")


def test_an_engine_whose_answers_disagree_with_its_logits_is_not_trusted():
    class Lying(ScriptedEngine):
        def predict(self, variant, min_confidence):
            answers = super().predict(variant, min_confidence)
            return {qid: {**one, "noul": 1.0 - one["noul"]} if "noul" in one else one for qid, one in answers.items()}

    lying = Lying(lambda variant, qid: [3.0] + [0.0] * (len(logits_of("", qid, variant.questions[qid])) - 1))
    with pytest.raises(ParityError, match="trust none of its figures"):
        evaluate(unnamed(9, 30), lying)


def test_a_question_that_an_engine_cannot_be_asked_is_one_error():
    class Narrow(ScriptedEngine):
        def encode(self, variant, qid):
            if qid == "q0":
                raise EncodingError("does not fit")
            return super().encode(variant, qid)

    rows = unnamed(9, 30)
    narrow = Narrow(lambda variant, qid: logits_of(variant.state, qid, variant.questions[qid]))
    asked = [i for i, row in enumerate(rows) if "q0" in row["questions"]]
    result = evaluate(rows, narrow, on_error="skip")
    assert [error.index for error in result.errors] == asked
    assert result.scorecard.errored == len(asked)
    with pytest.raises(IncompleteError, match=f"{len(asked)} of .* row {asked[0]}, question 'q0'"):
        evaluate(rows, narrow)


def test_rows_of_another_checkpoint_are_refused_by_an_engine_too():
    rows = [row | {"model": "english"} for row in unnamed(9)]
    with pytest.raises(UsageError, match="asks for, 'english'"):
        evaluate(rows, engine())
    assert evaluate(rows, engine(), checkpoint="mine").decisions["checkpoint"].unique().to_pylist() == ["mine"]
