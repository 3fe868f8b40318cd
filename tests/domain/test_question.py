"""The options of a question as labels, and its right answer."""

import pytest

from laya_sweep.domain.question import Target, option_labels, target_of

CHOICE = {"type": "choice", "instructions": "?", "criteria": {"b": "B", "a": "A", "001": None}}
LABELS = {"type": "choice", "instructions": "?", "criteria": ["x", 7, True]}
SCORE = {"type": "score", "instructions": "?", "criteria": ["low", "mid", "high"]}
NOUL = {"type": "noul", "instructions": "?", "criteria": {"true": "yes"}}


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        (CHOICE, ("b", "a", "001")),
        (LABELS, ("x", "7", "True")),
        (SCORE, ("0", "1", "2")),
        (NOUL, ("false", "true")),
        ({"type": "noul", "instructions": "?"}, ("false", "true")),
    ],
)
def test_labels_in_canonical_order(question, labels):
    assert option_labels(question) == labels
    assert target_of(question, None) == Target(labels, None, None)


@pytest.mark.parametrize(
    ("question", "expected", "gold_index", "gold_score"),
    [
        (CHOICE, "a", 1, None),
        (CHOICE, "001", 2, None),
        (LABELS, 7, 1, None),
        (SCORE, 2, None, 2.0),
        (SCORE, 0.5, None, 0.5),
        (SCORE, 0, None, 0.0),
        (NOUL, True, 1, None),
        (NOUL, False, 0, None),
    ],
)
def test_the_gold_answer(question, expected, gold_index, gold_score):
    target = target_of(question, expected)
    assert (target.gold_index, target.gold_score) == (gold_index, gold_score)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (CHOICE, "c"),
        (CHOICE, ""),
        (CHOICE, 1),
        (CHOICE, "A"),
        (SCORE, "high"),
        (SCORE, True),
        (SCORE, float("nan")),
        (SCORE, float("inf")),
        (NOUL, "false"),
        (NOUL, "no"),
        (NOUL, 1),
        (NOUL, 0.0),
    ],
)
def test_a_gold_answer_of_another_type_or_no_option_is_refused(question, expected):
    with pytest.raises(ValueError, match="Expected the gold"):
        target_of(question, expected)


def test_labels_of_one_text_are_told_apart_as_json_writes_them():
    question = {"type": "choice", "instructions": "?", "criteria": ["1", 1, "b", "True"]}
    assert option_labels(question) == ('"1"', "1", '"b"', '"True"')
    assert option_labels({**question, "criteria": ["True", True, "é"]}) == ('"True"', "true", '"é"')
    assert len(set(option_labels({**question, "criteria": ["1", 1, '"1"']}))) == 3
    assert [target_of(question, gold).gold_index for gold in ("1", 1)] == [0, 1]
