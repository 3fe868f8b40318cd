"""The baseline presents a case as it stands."""

import pytest
from builders import make_cases

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.domain.question import option_count
from laya_sweep.domain.settings import TransformSettings
from laya_sweep.domain.variant import Variant
from laya_sweep.transforms.registry import transform_identity, variants_of

QUESTIONS = {
    "choice": ({"type": "choice", "instructions": "?", "criteria": {"a": "A", "b": "B", "c": "C"}}, 3),
    "labels": ({"type": "choice", "instructions": "?", "criteria": ["a", "b", "c", "d"]}, 4),
    "score": ({"type": "score", "instructions": "?", "criteria": ["low", "high"]}, 2),
    "single": ({"type": "score", "instructions": "?", "criteria": ["only"]}, 1),
    "noul": ({"type": "noul", "instructions": "?"}, 2),
    "half a noul": ({"type": "noul", "instructions": "?", "criteria": {"true": "yes"}}, 2),
}


@pytest.mark.parametrize("name", sorted(QUESTIONS))
def test_option_count(name):
    question, expected = QUESTIONS[name]
    assert option_count(question) == expected


def test_the_baseline_is_the_case_with_identity_indices():
    questions = {name: question for name, (question, _) in QUESTIONS.items()}
    [case] = freeze([Draft("7", 0, "en", ["turn one", "turn two"], questions, {})])
    [variant] = variants_of("baseline", case)
    assert (variant.case_id, variant.name) == (case.case_id, "baseline")
    assert variant.state == case.state
    assert list(variant.questions.items()) == list(questions.items())
    assert variant.canonical_indices == {name: tuple(range(count)) for name, (_, count) in QUESTIONS.items()}


def test_identity_of_a_transform_is_name_and_version():
    assert transform_identity(TransformSettings("baseline")) == {"name": "baseline", "version": 1}


def test_an_unknown_transform_is_no_baseline():
    with pytest.raises(KeyError):
        variants_of("shuffle", make_cases(1)[0])


def test_names_stand_with_their_options_whatever_the_order():
    question = {"type": "choice", "instructions": "?", "criteria": {"b": "B", "c": "C", "a": "A"}}
    variant = Variant("id", "x", "state", {"q": question}, {"q": (1, 2, 0)})
    seen = variant.presented("q", ("a", "b", "c"))
    assert (seen.shown_labels, seen.presented_keys) == (("a", "b", "c"), ("b", "c", "a"))
