"""The one dialect: what a type takes, and how a refusal reads."""

from dataclasses import MISSING
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator

from laya_sweep.domain.checked import (
    QUOTE,
    Above0,
    Count,
    Document,
    Flag,
    Folder,
    Least0,
    Listed,
    Name,
    OneOrMore,
    Refusal,
    Takes,
    Text,
    Whole,
    checked,
    null_is,
    refuse,
    refused,
    shown,
    words_of,
)

NAN, INF = float("nan"), float("inf")
NUMBERS = Annotated[tuple[Least0, ...], Listed, OneOrMore]


def faults(hint, value, where="a.b"):
    problems = []
    assert checked(hint, value, where, problems) is None
    return problems


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (Count, 3, 3),
        (Count | None, None, None),
        (Whole, 0, 0),
        (Least0, 2, 2.0),
        (Flag, False, False),
        (Text, "no", "no"),
        (NUMBERS, [0.5, 1], (0.5, 1.0)),
        (NUMBERS, 1, (1.0,)),
        (Annotated[Literal["x", "y"], null_is("x")], None, "x"),
    ],
)
def test_what_fits_is_taken(hint, value, expected):
    problems = []
    found = checked(hint, value, "a.b", problems)
    assert (found, type(found), problems) == (expected, type(expected), [])


@pytest.mark.parametrize(
    ("hint", "value"),
    [(Count, value) for value in (0, True, "3", 2.0, None, NAN, [1])]
    + [(Least0, value) for value in (-1, True, "1", NAN, INF, 10**400)]
    + [(Above0, 0), (Flag, 1), (Flag, "yes"), (Text, ""), (Text, 3), (Folder, 2026), (Folder, ""), (Folder, False)]
    + [(Name, value) for value in ("", " \x1c", 3, None)],
)
def test_one_refusal_says_what_is_taken_and_what_was_got(hint, value):
    [problem] = faults(hint, value)
    assert (problem.what, problem.expected, problem.got) == ("a.b", words_of(hint), shown(value))
    assert problem.next_step


def test_what_yaml_made_of_no_is_no_text_and_says_so():
    [problem] = faults(Text, False)
    assert problem.next_step == QUOTE


def test_an_element_of_a_list_is_named_by_its_list_and_each_is_a_fault():
    assert [(problem.what, problem.got) for problem in faults(NUMBERS, [0.5, True, "a"])] == [
        ("a.b", "True"),
        ("a.b", "'a'"),
    ]


def test_names_are_listed_with_the_nearest_first():
    [problem] = faults(Literal["inline", "ray"], "rai")
    assert problem.expected == "one of ray, inline"


class Inner(Document):
    least: Least0
    name: Text = "x"


class Outer(Document):
    version: Literal[1]
    rules: list[Inner]
    more: dict[str, Inner]


def test_every_fault_of_a_document_is_one_problem_that_names_its_place():
    value = {
        "version": 1,
        "rules": [{"least": True}, {"lest": 1, "least": 0.5}, {}],
        "more": {"two\nlines": {"least": "1", "nam": "y"}},
    }
    problems = faults(Outer, value, "the document")
    assert [problem.what for problem in problems] == [
        "the document.rules.0.least",
        "the document.rules.1.lest",
        "the document.rules.2.least",
        "the document.more.'two\\nlines'.least",
        "the document.more.'two\\nlines'.nam",
    ]
    assert (problems[2].expected, problems[2].got) == ("a finite number of at least 0", "none")
    assert problems[4].expected == "one of the known keys (name, least)"
    assert problems[1].expected == "one of the known keys (least, name)"
    assert all("\n" not in str(problem) for problem in problems)


def _each_its_own(values):
    repeated = [i for i, value in enumerate(values) if value in values[:i]]
    if repeated:
        refuse(*(Refusal((i,), "another value", values[i], got="a repeated one") for i in repeated))
    return values


EACH = Annotated[list[Any], Takes("a list"), AfterValidator(_each_its_own)]


def test_a_rule_beside_a_type_may_have_many_faults_each_with_its_place():
    class Held(Document):
        values: EACH

    found = refused(Held, {"values": [1, 1, 2, 1]})
    assert [(one.place, one.words, one.value, one.got) for one in found] == [
        (("values", i), "another value", 1, "a repeated one") for i in (1, 3)
    ]
    assert [(problem.what, problem.got) for problem in faults(EACH, [2, 2])] == [("a.b", "a repeated one")]


def test_what_is_refused_is_named_by_where_it_stands():
    assert refused(Inner, {"least": 1}) == []
    assert [(one.place, one.value) for one in refused(Annotated[Inner, Takes("an object")], {})] == [
        (("least",), MISSING)
    ]
    pairs = dict[Annotated[str, AfterValidator(lambda key: key if key == "a" else refuse(Refusal((), "a", key)))], int]
    assert [(one.place, one.words) for one in refused(pairs, {"b\ud800": 1, "a": "x"})] == [
        (("b\ud800",), "a"),
        (("a",), "a whole number"),
    ]


def test_words_for_the_whole_are_the_fault_of_what_is_inside():
    label = Annotated[Name | int, Takes("a label", whole=True)]
    for value in (" ", True, 1.5, None, ["a"]):
        assert [(one.place, one.words) for one in refused(label, value)] == [((), "a label")]
    assert refused(label, "a") == refused(label, 10**400) == []
