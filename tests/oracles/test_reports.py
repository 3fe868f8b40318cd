"""Our export against laya 0.4.15: the runtime's own decoder, `laya.evals.evaluate` and the `laya-evals` command."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import shutil

import numpy as np
import pytest
from reports_alike import assert_close, without_ms
from stored_runs import (
    REGIMES,
    choice_drafts,
    drafts,
    fact_rows,
    option_count,
    random_logits,
    random_question,
    score,
    write_run,
)

import laya_sweep
from laya_sweep.__main__ import main
from laya_sweep.documents.evals_figures import case_scores, evals_figures
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.domain.case import freeze
from laya_sweep.scoring.answer import AnsweredQuestion, runtime_answers
from laya_sweep.store.stored_run import StoredRun

laya = pytest.importorskip("laya", reason="laya is not installed")
evals = pytest.importorskip("laya.evals", reason="laya is not installed")
evals_cli = pytest.importorskip("laya.evals_cli", reason="laya is not installed")


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    """A bundled checkpoint in a folder of its own, which the runtime may rewrite."""
    folder = tmp_path_factory.mktemp("agent") / "demo_multilingual"
    shutil.copytree(laya_sweep.__path__[0] + "/demo/checkpoints/demo_multilingual", folder)
    with pytest.warns(RuntimeWarning, match="invalid temperatures"):
        return laya.load(str(folder), device="cpu")


def as_json(value):
    """Keys become texts, as in a report file."""
    return json.loads(json.dumps(value))


def test_answers_equal_the_runtime_s_decoder_on_the_same_logits(agent):
    rng = np.random.default_rng(11)
    common = pytest.importorskip("laya.common")
    for _ in range(3000):
        question, _ = random_question(rng)
        count = option_count(question)
        order = rng.permutation(count).tolist()
        if rng.random() < 0.5:
            question["option_order"] = order
        else:
            order = [*range(count)]
        canonical, act = random_logits(rng, count), np.float32(rng.random())
        internal = agent._to_internal(question)
        bucket = common.temp_bucket(common.QTYPES[internal["t"]], count)
        temperature = agent.temperature_by_options.get(bucket, agent.temperature[common.QTYPES[internal["t"]]])
        slots = canonical[order][None, :]
        theirs = agent._decode_answers(
            slots, np.array([[act]]), [{"markers": [*range(count)]}], ["q"], {"q": internal}, 0
        )["q"]
        asked = AnsweredQuestion(question, canonical.tolist(), order, temperature, float(act))
        assert as_json(runtime_answers([asked])[0]) == as_json(theirs)


def test_marks_equal_the_runtime_s_gate():
    from laya.confidence import apply_confidence_gate

    rng = np.random.default_rng(12)
    for _ in range(500):
        question, _ = random_question(rng)
        count = option_count(question)
        asked = AnsweredQuestion(question, random_logits(rng, count).tolist(), [*range(count)], 1.0, 0.5)
        threshold = float(rng.choice([0.0, 0.5, 1.0, round(rng.random(), 4)]))
        theirs = runtime_answers([asked])
        apply_confidence_gate([{"answers": {"q": theirs[0]}}], threshold)
        assert runtime_answers([asked], threshold) == theirs


class Replay:
    """A runner that gives the answers of case documents again."""

    def __init__(self, cases, model):
        self._answers, self._model = iter(cases), model

    def predict(self, state, questions, model=None):
        answers = next(self._answers)
        return {"answers": answers, "model": self._model}


def evaluated(cases, tolerances):
    """Upstream's report on the answers of case documents, one question a row."""
    examples = [
        evals.Example(
            state=f"row {i}",
            questions={case["qid"]: {"type": case["answer"]["type"]}},
            expected={case["qid"]: case["expected"]},
            tags=tuple(case["tags"]),
            language=case["language"],
        )
        for i, case in enumerate(cases)
    ]
    runner = Replay([{case["qid"]: case["answer"]} for case in cases], cases[0]["model"])
    own = [*evals.default_evaluators(), *(evals.ScoreWithin(value) for value in tolerances)]
    return evals.evaluate(runner, evals.Dataset(examples), evaluators=own)


def random_decisions(rng, count):
    """Decisions of every type in the runtime's rounding, with tags, some without a language; and their answers."""
    own = []
    for code in ("", "en", "zh-CN"):
        drawn = drafts(rng, code, count)
        tags = (rng.choice(["short", "long", "a|b"], int(rng.integers(0, 3)), replace=False) for _ in range(count))
        own += freeze(
            dataclasses.replace(draft, tags=tuple(map(str, words))) for draft, words in zip(drawn, tags, strict=True)
        )
    facts = [fact for case in own for fact in fact_rows(rng, [case], case.language)]
    decisions = score(own, facts, REGIMES[0], "runtime")
    cases = {case.case_id: case for case in own}
    documents = []
    for fact, row in zip(facts, decisions.to_pylist(), strict=True):
        case = cases[fact["case_id"]]
        question = case.questions[fact["question"]]
        asked = AnsweredQuestion(question, fact["logits"], fact["presented_order"], row["temperature"], 0.5)
        if fact["question"] in case.expected:
            [answer] = runtime_answers([asked])
            documents.append((case, fact["question"], row, answer))
    return decisions, documents


@pytest.mark.slow
def test_figures_equal_laya_evals_overall_and_in_every_slice():
    tags = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        decisions, documents = random_decisions(rng, int(rng.choice([1, 2, 9, 25])))
        theirs = evaluated(
            [
                {
                    "qid": qid,
                    "language": case.language or None,
                    "model": "mine",
                    "tags": case.tags,
                    "expected": case.expected[qid],
                    "answer": answer,
                }
                for case, qid, _, answer in documents
            ],
            [0.25, 1.0],
        )
        ours = evals_figures(decisions, [0.25, 1.0])
        assert_close(ours.overall, without_ms(theirs.overall))
        assert_close(ours.slices, theirs.slices)
        for case, (_, _, row, _) in zip(theirs.cases, documents, strict=True):
            assert case["scores"] == case_scores(row, [0.25, 1.0])
            assert (case["confidence"], case["correct"]) == (row["answer_confidence"], row["correct"])
        tags += len(theirs.slices.get("tag", {}))
    assert tags > 60


@pytest.fixture
def run(tmp_path):
    rng = np.random.default_rng(5)
    return write_run(tmp_path / "run", {code: [*drafts(rng, code, 25)] for code in ("en", "de", "zh-CN")})


def test_a_document_of_a_run_equals_laya_evals_on_the_same_rows(run):
    document = laya_evals_document(run.select(regime="served"), 0.5)
    theirs = evaluated(document["cases"], [])
    assert_close(without_ms(document["overall"]), without_ms(theirs.overall))
    assert_close(document["slices"], theirs.slices)
    labelled = [json.loads(case["expected_json"]) for case in run.cases]
    assert len(document["cases"]) == sum(len(expected) for expected in labelled)
    assert {case["answer"]["type"] for case in document["cases"]} == {"choice", "score", "noul"}
    assert document["cases"][0].keys() == theirs.cases[0].keys()
    upstream = theirs.config["timing"].keys()
    assert document["config"]["timing"].keys() >= upstream
    assert theirs.config.keys() <= document["config"].keys()
    by_question = {f"{what}_per_question_p{share}_ms" for what in ("latency", "cost") for share in (50, 95)}
    assert set(document["overall"]) == set(theirs.overall) | by_question


def upstream(*words):
    """`laya-evals` in this process: exit code, what it said, and what it complained of."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = evals_cli.main(["compare", *map(str, words)])
    return code, out.getvalue(), err.getvalue()


def export(run, path, *words):
    assert main(["export", str(run.folder), "--format", "laya-evals", *words, "--out", str(path)]) == 0
    return json.loads(path.read_text("utf-8"))


def test_upstream_compare_reads_an_export(run, tmp_path):
    mine, other = tmp_path / "mine.json", tmp_path / "other.json"
    document = export(run, mine, "--regime", "served", "--min-confidence", "0.5")
    code, out, _ = upstream(mine, "--baseline", mine)
    assert code == 0
    assert out.count("diff=+0.0000") == len(without_ms(document["overall"]))

    worse = {**document, "overall": {**document["overall"], "choice_accuracy": 0.0}}
    other.write_text(json.dumps(worse))
    assert upstream(other, "--baseline", mine)[0] == 1
    assert upstream(other, "--baseline", mine, "--tolerance", "choice_accuracy=1.0")[0] == 0

    moved = {**document, "config": {**document["config"], "dataset_sha256": "0" * 64}}
    other.write_text(json.dumps(moved))
    code, _, err = upstream(other, "--baseline", mine)
    assert (code, "not comparable: dataset_sha256" in err) == (1, True)


def test_an_upstream_policy_counts_the_answers_of_an_export(run, tmp_path):
    mine, policy = tmp_path / "mine.json", tmp_path / "policy.json"
    document = export(run, mine, "--regime", "raw", "--min-confidence", "none")
    count = sum(case["language"] == "de" and case["answer"]["type"] == "choice" for case in document["cases"])
    for least, expected in ((count, 0), (count + 1, 1)):
        rule = {"slice": {"language": "de"}, "metric": "choice_accuracy", "min_count": least, "min": 0.0}
        drop = {"slice": {"qid": "q0"}, "metric": "ece", "min_count": 1, "max_increase": 0.0}
        policy.write_text(json.dumps({"version": 1, "rules": [rule, drop]}))
        assert upstream(mine, "--baseline", mine, "--gate-policy", policy)[0] == expected


def test_a_failed_language_fails_an_upstream_gate(tmp_path):
    run = write_run(
        tmp_path / "run",
        {"en": [*choice_drafts("en", 12)]},
        asked=["en", "km"],
        failed={"km": "1 of 12 rows failed"},
    )
    mine, policy = tmp_path / "mine.json", tmp_path / "policy.json"
    document = export(run, mine, "--regime", "served", "--min-confidence", "none")
    assert document["config"]["errored"] == [{"language": "km", "error": "1 of 12 rows failed"}]
    rule = {"slice": {"language": "en"}, "metric": "choice_accuracy", "min_count": 1, "min": 0.0}
    policy.write_text(json.dumps({"version": 1, "rules": [rule]}))
    assert upstream(mine, "--baseline", mine, "--gate-policy", policy)[0] == 1


@pytest.mark.slow
@pytest.mark.reference
def test_a_sweep_and_upstream_s_own_run_give_one_report(english, shared, tmp_path):
    """The same cases through laya.evals and the agent itself: other batches, so the fourth decimal may move."""
    words = [*english, "languages=[en,km]", "dataset.per_lang=25", "executor=inline", "min_confidence=0.7"]
    assert main([*words, f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/run"]) == 0
    run = StoredRun.open(tmp_path / "run")
    document = laya_evals_document(run.select(regime="served"), 0.7)
    shutil.copytree(shared / "checkpoints" / "english", tmp_path / "english")
    for folder in (tmp_path / "english").rglob("*"):
        folder.chmod(0o755)
    (tmp_path / "english").chmod(0o755)
    with pytest.warns(RuntimeWarning, match="invalid temperatures"):
        agent = laya.load(str(tmp_path / "english"), device="cpu")
    examples = [
        evals.Example(
            json.loads(case["state_json"]),
            json.loads(case["questions_json"]),
            json.loads(case["expected_json"]),
            language=case["language"],
        )
        for case in run.cases
    ]
    theirs = evals.evaluate(agent, evals.Dataset(examples), min_confidence=0.7)
    assert document["config"]["questions_sha256"] == theirs.config["questions_sha256"]
    marks = ("choice", "abstention", "abstention_threshold")
    for ours, other in zip(document["cases"], theirs.cases, strict=True):
        assert [ours["answer"][name] for name in marks] == [other["answer"][name] for name in marks]
        assert ours["answer"].keys() == other["answer"].keys()
        assert ours["answer"]["probabilities"] == pytest.approx(other["answer"]["probabilities"], abs=2e-4)
    assert document["overall"]["choice_accuracy"] == theirs.overall["choice_accuracy"]
    for name in ("ece", "brier", "mean_confidence"):
        assert document["overall"][name] == pytest.approx(theirs.overall[name], abs=2e-4)
