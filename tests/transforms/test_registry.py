"""Every registered transform: what it shows of each question type, what it leaves out, and how a rename reads."""

import copy

import pytest
from builders import make_cases

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.question import option_labels
from laya_sweep.domain.settings import TransformSettings
from laya_sweep.transforms.registry import TRANSFORMS, not_applicable, present, transform_document, transform_identity
from laya_sweep.transforms.rename import opaque_names, rename

QUESTIONS = {
    "topic": {"type": "choice", "instructions": "?", "criteria": {"x": "is x", "y": "is y", "z": {"at least": 0}}},
    "bare": {"type": "choice", "instructions": "?", "criteria": ["x", "y"]},
    "half": {"type": "choice", "instructions": "?", "criteria": {"x": "is x", "y": ""}},
    "only": {"type": "choice", "instructions": "?", "criteria": {"x": "is x"}},
    "level": {"type": "score", "instructions": "?", "criteria": ["low", "mid", "high"]},
    "wish": {"type": "noul", "instructions": "?", "criteria": {"true": "yes"}},
}
CHOICES = {
    "bare": "an option without a description",
    "half": "an option without a description",
    "only": "a single option",
    "level": "a score question, not a choice",
    "wish": "a noul question, not a choice",
}
LEFT_OUT = {
    "baseline": {},
    "label_rename": CHOICES,
    "option_order": CHOICES,
    "reverse": {"only": "a single option"},
    "noul_labels": {
        **dict.fromkeys(("topic", "bare", "half", "only"), "a choice question, not a noul"),
        "level": "a score question, not a noul",
    },
}


@pytest.fixture
def case():
    [made] = freeze([Draft("7", 0, "en", {"text": "state"}, copy.deepcopy(QUESTIONS), {})])
    return made


def test_every_transform_is_judged_here():
    assert {*LEFT_OUT} == {*TRANSFORMS}


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_questions_a_transform_does_not_apply_to_are_named_and_not_shown(case, name):
    found = not_applicable(name, [case, case])
    assert {entry.question: entry.reason for entry in found} == LEFT_OUT[name]
    assert {entry.cases for entry in found} <= {2}
    [variant] = present(TransformSettings(name), [case])
    assert {*variant.questions} == {*QUESTIONS} - {*LEFT_OUT[name]}
    assert case.questions == QUESTIONS


@pytest.mark.parametrize("name", sorted(TRANSFORMS))
def test_mappings_of_a_variant_are_inverse_to_each_other(case, name):
    [variant] = present(TransformSettings(name), [case])
    for qid in variant.questions:
        labels = option_labels(QUESTIONS[qid])
        shown = variant.presented(qid, labels)
        assert [*shown.canonical_to_transformed] == [*labels]
        assert {
            shown.canonical_to_transformed[shown.transformed_to_canonical[key]] for key in shown.presented_keys
        } == {*shown.presented_keys}
        for slot, index in enumerate(shown.slots):
            assert shown.canonical_to_transformed[labels[index]] == shown.presented_keys[slot]


def test_a_case_that_nothing_applies_to_has_no_variant(case):
    bare = freeze([Draft("8", 1, "en", "state", {"bare": QUESTIONS["bare"]}, {})])
    assert [v.case_id for v in present(TransformSettings("label_rename"), [*bare, case])] == [case.case_id]


def test_label_rename_changes_the_keys_and_nothing_else(case):
    [variant] = present(TransformSettings("label_rename"), [case])
    shown = variant.questions["topic"]
    assert shown == {**QUESTIONS["topic"], "criteria": {"A": "is x", "B": "is y", "C": {"at least": 0}}}
    assert [*shown["criteria"]] == ["A", "B", "C"]
    assert variant.canonical_indices == {"topic": (0, 1, 2)}


def test_noul_labels_change_the_words_and_nothing_else(case):
    [variant] = present(TransformSettings("noul_labels"), [case])
    assert variant.questions == {"wish": {**QUESTIONS["wish"], "labels": {"false": "A", "true": "B"}}}


def test_reverse_turns_every_type_round(case):
    [variant] = present(TransformSettings("reverse"), [case])
    assert [*variant.questions["topic"]["criteria"]] == ["z", "y", "x"]
    assert variant.questions["bare"]["criteria"] == ["y", "x"]
    assert variant.questions["level"] == {**QUESTIONS["level"], "option_order": [2, 1, 0]}
    assert variant.questions["wish"] == {**QUESTIONS["wish"], "option_order": [1, 0]}


def test_opaque_names_go_on_after_z():
    names = opaque_names(30)
    assert names[:2] + names[25:28] == ["A", "B", "Z", "key_26", "key_27"]
    assert len({*names}) == 30
    assert opaque_names(1) == ["A"]


@pytest.mark.parametrize("names", [["A"], ["A", "A", "B"], ["A", "B", "C", "D"]])
def test_names_must_be_one_for_each_option(names):
    with pytest.raises(ValueError, match="3 different names"):
        rename(QUESTIONS["topic"], names)


def test_levels_have_no_names():
    with pytest.raises(ValueError, match="score question"):
        rename(QUESTIONS["level"], ["A", "B", "C"])


def test_what_is_drawn_is_identity_and_how_many_is_not():
    assert transform_identity(TransformSettings("reverse", 5, 6, "published")) == {"name": "reverse", "version": 1}
    drawn = TransformSettings("option_order", 5, 6, "published")
    assert transform_identity(drawn) == {"name": "option_order", "version": 1, "seed": 6, "sampler": "published"}
    assert transform_document(drawn) == {"version": 1, "seed": 6, "sampler": "published", "variants": 5}


def test_questions_are_independent_copies():
    case = make_cases(1)[0]
    [variant] = present(TransformSettings("reverse"), [case])
    variant.questions["intent"]["criteria"]["alarm_set"] = "changed"
    assert case.questions["intent"]["criteria"]["alarm_set"] == "alarm_set"
