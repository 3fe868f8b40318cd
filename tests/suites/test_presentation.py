"""The presentation suite: what is asked of whom, and what an edited document leaves where it is."""

import json

import pytest
from builders import PERMUTED, SLOT0, NoHub, dataset_settings, design_document

from laya_sweep.errors import DatasetError
from laya_sweep.suites.presentation import PresentationSuite
from laya_sweep.suites.suite import make_suite


def suite_of(tmp_path, document=None):
    path = tmp_path / "doc.json"
    path.write_text(json.dumps(document or design_document(languages=("en", "de"))), "utf-8")
    return make_suite(dataset_settings(path, name="presentation", repo=None), NoHub())


def test_a_case_is_a_state_under_a_check(tmp_path):
    cases = suite_of(tmp_path).cases("en")
    assert [(case.source_id, case.row_index, case.tags) for case in cases] == [
        ("state 0", 0, ("score_slot0_identical",)),
        ("state 1", 1, ("score_slot0_identical",)),
        ("state 0", 0, ("score_first_slot_permuted",)),
        ("state 1", 1, ("score_first_slot_permuted",)),
    ]
    assert [len(case.questions) for case in cases] == [6, 6, 6, 6]
    assert cases[0].questions["score_slot0_identical/a request/4"] == {
        "type": "score",
        "instructions": "How urgent?",
        "criteria": ["a request"] * 4,
    }
    assert {case.state for case in cases} == {"all is well", "it burns"}
    assert all(case.expected == {} for case in cases)


def test_languages_are_those_of_the_document(tmp_path):
    suite = suite_of(tmp_path)
    assert suite.languages(None) == ("en", "de")
    assert suite.languages(["de"]) == ("de",)
    with pytest.raises(DatasetError, match=r"languages of the checks \(en, de\), got 'xx'"):
        suite.languages(["en", "xx"])


def ids(suite, language="en"):
    return {case.case_id for case in suite.cases(language)}


def test_another_check_gate_or_language_leaves_the_rows_that_are_there(tmp_path):
    """A cell's key hangs on the states, a row's on what it asks."""
    narrow = suite_of(tmp_path, design_document({"score_slot0_identical": SLOT0}))
    gates = {"en": {"score_slot0_identical": {"min": 0}}}
    wide = suite_of(tmp_path, design_document(languages=("en", "fr"), gates=gates))
    assert ids(narrow) < ids(wide)
    assert narrow.recipe("en") == wide.recipe("en")


def test_an_edited_text_or_state_is_asked_anew(tmp_path):
    before = suite_of(tmp_path)
    worded = suite_of(
        tmp_path,
        design_document(
            {"score_slot0_identical": {**SLOT0, "instructions": "Urgent?"}, "score_first_slot_permuted": PERMUTED}
        ),
    )
    assert len(ids(worded) & ids(before)) == 2
    other = suite_of(tmp_path, design_document(states=["all is well", "it rains"]))
    assert len(ids(other) & ids(before)) == 2
    assert other.recipe("en") != before.recipe("en")
    assert other.dataset_digest(other.cases("en")) != before.dataset_digest(before.cases("en"))


def test_the_bundled_document_is_the_default():
    suite = make_suite(dataset_settings(name="presentation", repo=None), NoHub())
    assert isinstance(suite, PresentationSuite)
    assert len(suite.cases("en")) == 30
    assert suite.document()["document"]["version"] == 1
