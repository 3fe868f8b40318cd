"""What is sent to a runner object, and what is refused: by its signatures, once."""

from __future__ import annotations

import pytest
from labelled_sets import labelled_set
from stub_runners import AgentRunner, BareRunner, RouterRunner, Stub

from laya_sweep import IncompleteError, ParityError, UsageError, evaluate

TOPIC = {"type": "choice", "instructions": "Which?", "criteria": ["a", "b", "c"]}
SURE = {"type": "noul", "instructions": "Is it?"}


def rows(count, **fields):
    """Every other row asks one question more, so that rows of equal questions never follow one another."""
    made = []
    for i in range(count):
        questions = {"topic": TOPIC} | ({"sure": SURE} if i % 2 else {})
        made.append({"state": f"row {i} {'x' * i}", "questions": questions, "expected": {"topic": "a"}} | fields)
    return made


def test_rows_of_equal_questions_share_calls_wherever_they_stand():
    runner = AgentRunner()
    result = evaluate(rows(10), runner, order_sample=0)
    assert runner.calls == [5, 5]
    assert result.outcome.timing["rows_grouped"] == result.outcome.timing["chunks"] * 5 == 10
    assert result.decisions["row_index"].to_pylist() == [0, 1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 9, 9]


def test_requests_of_different_questions_share_calls():
    runner = RouterRunner()
    evaluate(rows(10), runner, order_sample=0, batch_size=4)
    assert runner.calls == [4, 4, 2]


@pytest.mark.parametrize("kind", [AgentRunner, RouterRunner])
@pytest.mark.parametrize("size", [None, 1, 2, 7])
def test_no_batch_size_moves_an_answer(kind, size):
    for seed in range(5):
        asked = [{key: value for key, value in row.items() if key != "model"} for row in labelled_set(seed, rows=12)]
        alone, batched = evaluate(asked, kind(), batch_size=1), evaluate(asked, kind(), batch_size=size)
        assert batched.decisions.equals(alone.decisions)
        assert batched.answers == alone.answers


def test_a_batch_of_one_row_has_equal_latency_and_cost():
    figures = evaluate(rows(6), RouterRunner(), batch_size=1).figures
    assert figures["latency_p50_ms"] == figures["cost_per_decision_p50_ms"]
    assert figures["latency_p95_ms"] == figures["cost_per_decision_p95_ms"]
    grouped = evaluate(rows(6), RouterRunner(), batch_size=6).figures
    assert grouped["latency_p50_ms"] == pytest.approx(grouped["cost_per_decision_p50_ms"] * 6)


def test_a_runner_without_batches_is_asked_row_by_row():
    runner = BareRunner()
    result = evaluate(rows(4), runner, batch_size=8, sort_by_length=True)
    assert runner.calls == [1, 1, 1, 1]
    timing = result.outcome.timing
    assert (timing["batch_size"], timing["batch_size_used"], timing["batch_form"]) == (8, 1, None)
    assert (timing["sort_by_length"], timing["sort_by_length_sent"]) == (True, False)


def test_sort_by_length_is_sent_where_it_is_taken():
    seen = []

    class Sorting(AgentRunner):
        def predict_batch(self, states, questions, batch_size=None, sort_by_length=False, min_confidence=None):
            seen.append((sort_by_length, batch_size))
            return super().predict_batch(states, questions)

    assert evaluate(rows(4), Sorting(), sort_by_length=True).outcome.timing["sort_by_length_sent"]
    assert evaluate(rows(4), Sorting(), batch_size=3).outcome.timing["sort_by_length_sent"] is False
    assert seen == [(True, 32), (True, 32), (False, 3), (False, 3)]


def test_a_named_checkpoint_overrides_the_rows():
    asked = rows(4, model="english")
    sent = evaluate(asked, RouterRunner(), checkpoint="multilingual")
    assert sent.decisions["checkpoint"].unique().to_pylist() == ["multilingual"]
    assert sent.notes == ("4 rows name a model (english); multilingual answers every row",)
    own = evaluate(asked, RouterRunner())
    assert own.decisions["checkpoint"].unique().to_pylist() == ["english"]
    assert own.answers != sent.answers
    held = evaluate(asked, AgentRunner(), checkpoint="mine")
    assert held.decisions["checkpoint"].unique().to_pylist() == ["mine"]


def test_without_a_name_a_router_chooses_and_is_believed():
    result = evaluate(rows(9), RouterRunner())
    lengths = [len(row["state"]) for row in rows(9)]
    chosen = ["multilingual" if length % 2 else "english" for length in lengths]
    by_row = dict(
        zip(result.decisions["row_index"].to_pylist(), result.decisions["checkpoint"].to_pylist(), strict=True)
    )
    assert [by_row[i] for i in range(9)] == chosen
    assert {row.slice_value for row in result.metrics if row.slice_dimension == "model"} == set(chosen)


def test_a_row_s_checkpoint_is_refused_by_name_and_row():
    asked = rows(3)
    asked[2]["model"] = "english"
    with pytest.raises(UsageError, match=r"row 2: expected a runner that takes `model`.*'english'.*checkpoint=NAME"):
        evaluate(asked, AgentRunner())


def test_a_runner_that_holds_the_checkpoint_a_row_names_answers_it(tmp_path):
    runner = AgentRunner()
    runner.model_id = str(tmp_path)
    for name in (str(tmp_path), tmp_path.name):
        result = evaluate(rows(2, model=name), runner)
        assert result.decisions["checkpoint"].unique().to_pylist() == [tmp_path.name]
    with pytest.raises(UsageError, match="'other'"):
        evaluate(rows(2, model="other"), runner)


def test_a_batch_method_alone_is_enough():
    class Batch(Stub):
        def predict_batch(self, states, questions, model=None):
            self.calls.append((len(states), model))
            return [self.result(state, questions, model) for state in states]

    runner = Batch()
    evaluate(rows(5, model="english"), runner, batch_size=2, order_sample=0)
    assert runner.calls == [(2, "english"), (1, "english"), (2, "english")]
    assert evaluate(rows(5, model="english"), Batch(), batch_size=2).outcome.timing["order_checked"] > 0


@pytest.mark.parametrize("runner", [object(), None, 7, lambda state, questions: {}])
def test_what_is_no_runner_is_refused(runner):
    with pytest.raises(UsageError, match="predict"):
        evaluate(rows(1), runner)


def test_keywords_are_forwarded_by_a_wrapper():
    class Wrapper:
        def __init__(self, inner):
            self.inner = inner

        def predict(self, state, questions, **options):
            return self.inner.predict(state, questions, **options)

    plain = evaluate(rows(3), Wrapper(AgentRunner()), min_confidence=0.5)
    assert plain.answers == evaluate(rows(3), AgentRunner(), min_confidence=0.5).answers
    named = evaluate(rows(3, model="english"), Wrapper(RouterRunner()))
    assert named.answers == evaluate(rows(3, model="english"), RouterRunner()).answers


RETURNED = {
    "fewer": lambda results: results[:-1],
    "more": lambda results: [*results, results[0]],
    "none": lambda results: None,
    "a generator": lambda results: (result for result in results),
    "an object": lambda results: {"results": results},
}


class Tampering(AgentRunner):
    """A batch whose results `spoil` changes."""

    def __init__(self, spoil, **options):
        super().__init__(**options)
        self.spoil = spoil

    def predict_batch(self, states, questions, batch_size=None, sort_by_length=False, min_confidence=None):
        return self.spoil(super().predict_batch(states, questions, batch_size, sort_by_length, min_confidence))


@pytest.mark.parametrize("spoil", RETURNED.values(), ids=RETURNED)
def test_a_batch_of_another_number_of_results_is_an_error(spoil):
    asked = [row for row in rows(8) if len(row["questions"]) == 1]
    with pytest.raises(IncompleteError, match="expected one result a row, 4"):
        evaluate(asked, Tampering(spoil))
    result = evaluate(asked, Tampering(spoil), on_error="skip")
    assert [error.index for error in result.errors] == [0, 1, 2, 3]
    assert result.decisions.num_rows == 0
    assert result.value("choice_accuracy") is None


@pytest.mark.parametrize("spoil", [lambda r: r[::-1], lambda r: [*r[1:], r[0]], lambda r: sorted(r, key=str)])
@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_a_batch_in_another_order_is_never_scored(spoil, on_error):
    with pytest.raises(ParityError, match="asked alone"):
        evaluate(rows(12), Tampering(spoil), on_error=on_error)


def test_results_of_rows_with_other_questions_are_told_apart_by_them():
    class Swapping(RouterRunner):
        def predict_batch(self, requests, batch_size=None, min_confidence=None, sort_by_length=False):
            return super().predict_batch(requests)[::-1]

    result = evaluate(rows(4), Swapping(), on_error="skip", order_sample=0)
    assert {error.index for error in result.errors} == {0, 1, 2, 3}
    assert any("which this row does not ask" in error.error for error in result.errors)


def test_answers_that_differ_by_chance_are_no_swap():
    class Dice(AgentRunner):
        def result(self, state, questions, model=None, min_confidence=None):
            self.salt += "x"
            return super().result(state, questions, model, min_confidence)

    assert evaluate(rows(8), Dice()).outcome.timing["order_checked"] == 4


def test_a_runner_that_cannot_be_checked_says_so_and_why():
    class Batches(AgentRunner):
        """Answers no row alone."""

        def predict(self, *_, **__):
            raise ConnectionError("one row is too few")

    found = evaluate([row for row in rows(8) if row["questions"].keys() == rows(8)[0]["questions"].keys()], Batches())
    [note] = found.notes
    assert "was not checked: no row could be asked alone: ConnectionError: one row is too few" in note
    assert "one row is too few" in found.document()["config"]["timing"]["order_unchecked"]
    switched_off = evaluate(rows(8), AgentRunner(), order_sample=0)
    assert switched_off.outcome.timing["order_unchecked"] == "order_sample is 0"
    sound = evaluate(rows(8), AgentRunner())
    assert (sound.notes, "order_unchecked" in sound.outcome.timing) == ((), False)


def test_equal_answers_of_different_rows_are_no_swap():
    same = AgentRunner(change=lambda _, answers: {qid: {"type": "choice", "choice": "a"} for qid in answers})
    asked = [row for row in rows(8) if len(row["questions"]) == 1]
    assert evaluate(asked, same).value("choice_accuracy") == 1.0
