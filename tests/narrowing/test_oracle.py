"""Shortlists and tournaments of generated sets through a stub agent, against upstream's own evaluations of them."""

from __future__ import annotations

import random

import pytest
from laya.evals import Dataset, Example
from laya.evals_shortlist import evaluate_shortlist
from laya.evals_tournament import evaluate_tournament
from many_options import letters

from laya_sweep import ByKnockout, ByShortlist, evaluate

NEW = ("shortlist_first_retrieved_accuracy",)


class StubAgent:
    """Answers each choice by a fixed score of each label, with four decimals as the runtime has them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def predict(self, state, questions, model=None):
        return {"answers": {qid: self._answer(state, question) for qid, question in questions.items()}}

    def _answer(self, state, question):
        labels = list(question["criteria"])
        weights = [random.Random(f"{self.seed} {state} {label}").random() + 0.01 for label in labels]
        shares = [round(weight / sum(weights), 4) for weight in weights]
        best = max(range(len(labels)), key=lambda i: shares[i])
        probabilities = dict(zip(labels, shares, strict=True))
        choice = {"type": "choice", "choice": labels[best], "probabilities": probabilities}
        return {**choice, "confidence": 0.5, "answer_confidence": shares[best], "action": {"act_probability": 0.5}}


def generated(seed: int) -> list[dict]:
    """Rows of one or two choices with 2 to 40 options, described or not, in two languages and with tags."""
    rng = random.Random(seed)
    rows = []
    for _ in range(14):
        questions, expected = {}, {}
        for qid in rng.sample(["intent", "topic"], rng.randint(1, 2)):
            labels = [f"{rng.choice('abcdefgh')}{rng.choice('xyz')}_{i}" for i in range(rng.randint(2, 40))]
            described = {label: rng.choice([None, f"about {label}"]) for label in labels}
            instructions = rng.choice(["Which?", {"task": "Which?"}])
            criteria = rng.choice([labels, described])
            questions[qid] = {"type": "choice", "instructions": instructions, "criteria": criteria}
            expected[qid] = rng.choice(labels)
        row = {"state": f"text {rng.random()}", "questions": questions, "expected": expected}
        rows.append({**row, "language": rng.choice(["en", "de"]), "tags": rng.choice([[], ["t"]])})
    return rows


def examples(rows):
    return Dataset([Example.from_dict(row) for row in rows])


def figures(document):
    """Overall and by slice, without timings and what upstream has not."""
    kept = {name: value for name, value in document.items() if not name.endswith("_ms") and name not in NEW}
    return {name: pytest.approx(value, abs=1e-12) for name, value in kept.items()}


def assert_same(ours, theirs, status, told):
    """One document against upstream's."""
    shown = {name: getattr(theirs, name) for name in ("overall", "slices", "cases")}
    assert ours["overall"].keys() - {"cost_mean_ms"} >= {name for name in shown["overall"] if not name.endswith("_ms")}
    for name, value in shown["overall"].items():
        if not name.endswith("_ms"):
            assert ours["overall"][name] == pytest.approx(value, abs=1e-12), name
    for dimension, groups in shown["slices"].items():
        assert ours["slices"].get(dimension, {}).keys() == groups.keys(), dimension
        for value, own in groups.items():
            found = {name: one for name, one in ours["slices"][dimension][value].items() if not name.endswith("_ms")}
            assert found == figures(own), (dimension, value)
    for own, other in zip(ours["cases"], shown["cases"], strict=True):
        assert own[status] == other[status]
        assert own[told] == other[told]
        assert own["answer"] == other["answer"]
        assert own["correct"] == other["correct"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 5, 100])
def test_shortlists_equal_upstreams(seed: int, k: int) -> None:
    rows, agent = generated(seed), StubAgent(seed)
    theirs = evaluate_shortlist(agent, examples(rows), letters, k=k, checkpoint_id="c1", embedder_id="letters-1")
    narrow = ByShortlist(k, letters, "letters-1", "c1")
    document = evaluate(rows, agent, narrow=narrow).document()
    assert_same(document, theirs, "shortlist_status", "shortlist")
    assert document["config"]["schema"] == theirs.config["schema"]
    assert document["config"]["shortlist"] == theirs.config["shortlist"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("group_size", [2, 5, 100])
def test_tournaments_equal_upstreams(seed: int, group_size: int) -> None:
    rows, agent = generated(seed), StubAgent(seed)
    theirs = evaluate_tournament(agent, examples(rows), group_size=group_size, checkpoint_id="c1")
    document = evaluate(rows, agent, narrow=ByKnockout(group_size, "c1")).document()
    assert_same(document, theirs, "tournament_status", "tournament")
    for key in ("schema", "tournament", "tournament_group_size"):
        assert document["config"][key] == theirs.config[key]


def test_a_shortlist_of_all_options_never_embeds() -> None:
    def refuse(texts):
        raise AssertionError("nothing had to be ranked")

    found = evaluate(generated(1), StubAgent(1), narrow=ByShortlist(40, refuse, "none"))
    assert found.value("shortlist_recall_at_k") == 1.0
    assert found.value("shortlist_accuracy_on_recalled") == found.value("choice_accuracy")
    assert found.value("shortlist_first_retrieved_accuracy") is None
