"""Narrowings on their own: what is kept, in which order, what it costs, and what goes wrong."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from laya.shortlist import predict_shortlist, predict_tournament, shortlist_choice
from many_options import ASKED, OPTIONS, letters, rows

from laya_sweep import ByKnockout, ByShortlist, UsageError, evaluate
from laya_sweep.domain.case import Draft, freeze
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.evaluation.narrowing import NarrowedRunner
from laya_sweep.narrowing.cut import NarrowingError
from laya_sweep.narrowing.embedder import import_embedder
from laya_sweep.narrowing.knockout import Knockout, groups
from laya_sweep.narrowing.shortlist import Shortlist
from laya_sweep.scoring.narrowed import kept_question
from laya_sweep.store.parquet import DamagedFileError, parquet_bytes, read_parquet
from laya_sweep.store.schemas import DECISIONS, FACTS
from laya_sweep.transforms.registry import variants_of


def variant(question, state="Where is my umbrella?"):
    [case] = freeze([Draft("0", 0, "en", state, {"q": question}, {})])
    [made] = variants_of("baseline", case)
    return made


def choice(options, **more):
    return {"type": "choice", "instructions": "Which?", "criteria": options, **more}


def by_label(made, qid):
    """Logits by the label alone, so that a label scores the same in every group: the last letters win."""
    return [float(sum(map(ord, label)) % 97) for label in made.questions[qid]["criteria"]]


def test_a_shortlist_is_the_runtimes() -> None:
    made = variant(choice(OPTIONS))
    small, cut = Shortlist(10, letters).cut(made, "q")
    labels, scores = shortlist_choice(made.state, OPTIONS, letters, 10, instructions="Which?", return_scores=True)
    assert [list(OPTIONS)[place] for place in cut.kept] == labels == list(small.questions["q"]["criteria"])
    assert list(cut.scores) == scores == sorted(scores, reverse=True)
    assert (cut.cap, cut.full_options, cut.embedded_texts) == (10, 77, 78)
    assert made.questions["q"]["criteria"] == OPTIONS  # untouched


def test_vectors_are_kept_where_texts_stand_alone() -> None:
    shortlist = Shortlist(5, letters, cached=True)
    costs = [shortlist.cut(variant(choice(OPTIONS), f"text {i}"), "q")[1].embedded_texts for i in range(3)]
    assert costs == [78, 1, 1]


def test_few_options_pass_through_without_the_embedder() -> None:
    made = variant(choice(["a", "b", "c"], option_order=[2, 0, 1]))
    same, cut = Shortlist(3, None).cut(made, "q")
    assert same is made
    assert (cut.kept, cut.scores, cut.embedded_texts) == ((0, 1, 2), None, 0)
    assert Knockout(3, None).cut(made, "q")[0] is made


def test_other_questions_are_left_alone() -> None:
    made = variant({"type": "noul", "instructions": "Is it?"})
    assert Shortlist(1, None).cut(made, "q") is None
    assert Knockout(2, None).cut(made, "q") is None


@pytest.mark.parametrize(
    "vectors", [[[1.0]], "none", [[float("nan")]] * 4, [[float("inf"), 1.0]] * 4, [[1e200, 1.0]] * 4]
)
def test_an_embedder_that_fails_is_the_questions_fault(vectors) -> None:
    with pytest.raises(NarrowingError, match="question 'q'"):
        Shortlist(2, lambda texts: vectors).cut(variant(choice(["a", "b", "c"])), "q")


def test_ties_keep_the_earlier_option() -> None:
    _, cut = Shortlist(2, lambda texts: [[1.0]] * len(texts)).cut(variant(choice(["a", "b", "c"])), "q")
    assert cut.kept == (0, 1)


@pytest.mark.parametrize("total", [2, 3, 7, 16, 17, 77])
@pytest.mark.parametrize("size", [2, 3, 16])
def test_groups_hold_every_option_once(total: int, size: int) -> None:
    parts = groups(range(total), size)
    assert [option for part in parts for option in part] == list(range(total))
    assert max(map(len, parts)) <= size
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert len(parts) == -(-total // size)


@pytest.mark.parametrize("size", [2, 3, 4, 16, 77, 100])
def test_a_knockout_is_the_runtimes(size: int) -> None:
    engine = ScriptedEngine(by_label)

    class Agent:
        def predict(self, state, questions):
            return {"answers": engine.predict(variant_of(state, questions), None)}

    def variant_of(state, questions):
        [case] = freeze([Draft("0", 0, "en", state, questions, {})])
        return variants_of("baseline", case)[0]

    made = variant(choice(OPTIONS))
    theirs = predict_tournament(Agent(), made.state, made.questions, size)["tournament"]["q"]
    small, cut = Knockout(size, engine).cut(made, "q")
    assert [list(OPTIONS)[place] for place in cut.kept] == theirs["labels"]
    assert (cut.rounds, cut.full_options, cut.cap) == (theirs["rounds"], 77, size)
    assert list(small.questions["q"]["criteria"]) == theirs["labels"]
    assert (cut.forward_rows > 0) == (cut.rounds > 0)


def test_logits_that_are_not_finite_end_a_knockout() -> None:
    engine = ScriptedEngine(lambda made, qid: [float("nan")] * len(made.questions[qid]["criteria"]))
    with pytest.raises(NarrowingError, match="round 1"):
        Knockout(2, engine).cut(variant(choice(["a", "b", "c"])), "q")


def test_an_order_of_options_fits_no_smaller_question() -> None:
    asked = choice({"a": "x", "b": None, "c": "z"}, option_order=[2, 1, 0])
    assert kept_question(asked, [2, 0]) == choice({"c": "z", "a": "x"})


@pytest.mark.parametrize("name", ["no_such_module:embed", "many_options:nothing", "many_options:OPTIONS"])
def test_an_embedder_that_cannot_be_imported(name: str) -> None:
    with pytest.raises(UsageError, match=r"narrowing\.embedder"):
        import_embedder(name)


def reader(made, qid):
    """Finds the matter of a request by its words, and the place by the first of those on offer."""
    options = list(made.questions[qid]["criteria"])
    matter = next(
        (name for name, text in ASKED.items() if text.split("{}")[0] and text.split("{}")[0] in made.state), ""
    )
    return [
        2.0 * label.endswith(matter) + (label.split("_")[0] in made.state) * (i % 3) for i, label in enumerate(options)
    ]


def test_all_three_statuses_of_77_options() -> None:
    found = evaluate(
        rows(), ScriptedEngine(reader), checkpoint="scripted", narrow=ByShortlist(10, letters, "letters-1")
    )
    table = found.decisions.to_pylist()
    told = {row["narrowing_status"] for row in table}
    assert told == {"correct", "retrieval_miss", "decision_miss"}
    for row in table:
        assert (row["n_options"], row["full_options"], row["narrowing_cap"], len(row["kept"])) == (10, 77, 10, 10)
        assert len(row["probabilities"]) == len(row["options"]) == 77
        assert sum(row["probabilities"]) == pytest.approx(1.0)
        lost = row["gold_index"] not in row["kept"]
        assert lost == (row["narrowing_status"] == "retrieval_miss")
        assert not (lost and (row["correct"] or row["p_gold"]))
    for place in ({}, {"language": "de"}, {"qid": "request"}, {"model": "scripted"}, {"tag": "third"}):
        own = [row for row in table if all(_holds(row, name, value) for name, value in place.items())]
        kept = [row for row in own if row["narrowing_status"] != "retrieval_miss"]
        right = sum(row["correct"] for row in own)
        assert found.value("shortlist_recall_at_k", **place) == len(kept) / len(own)
        assert found.value("shortlist_accuracy_on_recalled", **place) == right / len(kept)
        assert found.value("choice_accuracy", **place) == right / len(own)
        first = sum(row["kept"][0] == row["gold_index"] for row in own)
        assert found.value("shortlist_first_retrieved_accuracy", **place) == first / len(own)


def _holds(row, name, value):
    if name == "tag":
        return value in row["tags"]
    return row[{"qid": "question", "model": "checkpoint"}.get(name, name)] == value


def test_nothing_recalled_leaves_no_accuracy() -> None:
    def worst(texts):
        return [[1.0, 0.0]] + [[-1.0 if "library" in text else 1.0, 0.0] for text in texts[1:]]

    found = evaluate(rows(7), ScriptedEngine(by_label), narrow=ByShortlist(1, worst, "w"))
    assert found.value("shortlist_recall_at_k") == 0.0
    wanted = ("overall", "shortlist_accuracy_on_recalled")
    [row] = [row for row in found.metrics if (row.slice_dimension, row.metric) == wanted]
    assert (row.value, row.n, row.reason) == (None, 0, "no shortlist holds the gold answer")
    assert "shortlist_accuracy_on_recalled" not in found.document()["overall"]


def test_a_knockout_of_77_options_misses_in_both_ways() -> None:
    def noisy(made, qid):
        generator = np.random.default_rng(sum(map(ord, made.state + "".join(made.questions[qid]["criteria"]))))
        own = [label.split("_")[0] in made.state for label in made.questions[qid]["criteria"]]
        return generator.normal(size=len(own)) + 2.0 * np.array(own)

    found = evaluate(rows(), ScriptedEngine(noisy), checkpoint="s", narrow=ByKnockout(8))
    told = [row["narrowing_status"] for row in found.decisions.to_pylist()]
    assert set(told) == {"correct", "elimination_miss", "final_choice_miss"}
    survived = [status for status in told if status != "elimination_miss"]
    assert found.value("tournament_survival_rate") == len(survived) / 77
    assert found.value("tournament_accuracy_on_survivors") == told.count("correct") / len(survived)
    assert set(found.decisions["rounds"].to_pylist()) == {2}
    document = found.document()
    assert json.loads(json.dumps(document))["config"]["tournament"]["counts"]["correct"] == told.count("correct")


@pytest.mark.parametrize(
    ("narrow", "field"),
    [
        (ByShortlist(0), "narrow.k"),
        (ByShortlist(True), "narrow.k"),
        (ByShortlist(5, letters), "narrow.embedder_id"),
        (ByShortlist(5, "no function", "x"), "narrow.embed"),
        (ByShortlist(5, letters, " "), "narrow.embedder_id"),
        (ByKnockout(1), "narrow.group_size"),
        (ByKnockout(2, ""), "narrow.checkpoint_id"),
    ],
)
def test_narrowings_that_mean_nothing(narrow, field) -> None:
    with pytest.raises(UsageError, match=field):
        evaluate(rows(2), ScriptedEngine(by_label), narrow=narrow)


def test_who_cannot_be_narrowed() -> None:
    with pytest.raises(UsageError, match="no encoder"):
        evaluate(rows(2), ScriptedEngine(by_label), narrow=ByShortlist(5))
    with pytest.raises(UsageError, match="predict"):
        NarrowedRunner(object(), ByKnockout(2))


def test_a_file_without_the_later_columns_has_them_as_nulls(tmp_path) -> None:
    late = [
        name for name in DECISIONS.names if name.startswith(("narrowing", "kept")) or name in ("full_options", "rounds")
    ]
    for schema in (FACTS, DECISIONS):
        early = schema.empty_table().drop_columns([name for name in late if name in schema.names])
        (tmp_path / "t.parquet").write_bytes(parquet_bytes(early, {}))
        assert read_parquet(tmp_path / "t.parquet", schema).schema.equals(schema)
    (tmp_path / "t.parquet").write_bytes(parquet_bytes(FACTS.empty_table().drop_columns(["logits", "kept"]), {}))
    with pytest.raises(DamagedFileError):
        read_parquet(tmp_path / "t.parquet", FACTS)
    assert pa.types.is_list(FACTS.field("kept").type)


def test_predict_shortlist_is_what_a_wrapped_runner_asks() -> None:
    class Agent:
        def predict(self, state, questions, min_confidence=None):
            labels = list(questions["q"]["criteria"])
            shares = dict.fromkeys(labels, round(1 / len(labels), 4))
            answer = {"type": "choice", "choice": labels[-1], "probabilities": shares, "answer_confidence": 0.2}
            return {"answers": {"q": answer}}

    asked = {"q": choice(OPTIONS)}
    wrapped = NarrowedRunner(Agent(), ByShortlist(5, letters, "x"))
    theirs = predict_shortlist(Agent(), "text", asked, letters, 5)
    ours = wrapped.predict("text", asked)
    assert {name: ours[name] for name in theirs} == theirs
    assert [list(OPTIONS)[i] for i in ours["laya_sweep_narrowing"]["q"]["kept"]] == theirs["shortlist"]["q"]["labels"]
