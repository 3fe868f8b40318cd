"""Questions in the form of the sequence builder, against the runtime's own conversion."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laya.agent import Agent

from laya_sweep.engines.question import internal_question

texts = st.text(min_size=1, max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
instructions = texts | st.dictionaries(texts, json_values, min_size=1, max_size=3) | st.lists(json_values, min_size=1)
scalars = texts | st.integers(-5, 5) | st.booleans()


@st.composite
def questions(draw):
    kind = draw(st.sampled_from(["choice", "score", "noul"]))
    question = {"type": kind, "instructions": draw(instructions | st.integers())}
    if kind == "choice":
        labels = draw(st.lists(scalars, min_size=1, max_size=6, unique=True))
        described = draw(st.booleans())
        question["criteria"] = {label: draw(json_values) for label in labels} if described else labels
    elif kind == "score":
        question["criteria"] = draw(st.lists(json_values.filter(lambda v: v is not None), min_size=1, max_size=6))
    else:
        keys = st.sampled_from(["true", "false", "True", "FALSE", True, False])
        if draw(st.booleans()):
            question["criteria"] = draw(st.none() | st.dictionaries(keys, json_values, max_size=2))
        if draw(st.booleans()):
            question["labels"] = {"false": draw(texts), "true": draw(texts)}
    if draw(st.booleans()):
        count = 2 if kind == "noul" else len(question["criteria"])
        question["option_order"] = draw(st.permutations(range(count)).map(draw(st.sampled_from([list, tuple]))))
    return question


@settings(deadline=None)
@given(questions())
def test_the_conversion_is_the_runtimes(question):
    before = copy.deepcopy(question)
    ours, theirs = internal_question(question), Agent._to_internal(question)
    assert ours == theirs
    assert question == before
    if isinstance(theirs["crit"], dict):  # equal dictionaries may differ in order, and order is the options'
        assert list(ours["crit"].items()) == list(theirs["crit"].items())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            {"type": "choice", "instructions": "?", "criteria": ["b", "a"]},
            {"t": "choice", "ins": "?", "crit": {"b": None, "a": None}},
        ),
        (
            {"type": "noul", "instructions": {"frage": "größer?"}, "criteria": {True: "ja"}},
            {"t": "noul", "ins": '{"frage": "größer?"}', "crit": {"true": "ja"}},
        ),
        (
            {"type": "score", "instructions": "?", "criteria": ["low", "high"], "option_order": (1, 0)},
            {"t": "score", "ins": "?", "crit": ["low", "high"], "option_order": [1, 0]},
        ),
        ({"type": "noul", "instructions": "?"}, {"t": "noul", "ins": "?", "crit": None}),
    ],
)
def test_the_conversion_by_example(question, expected):
    assert internal_question(question) == expected
