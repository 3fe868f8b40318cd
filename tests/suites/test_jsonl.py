"""A labelled file as a suite: rows as they stand, ids that hold, languages of the file."""

import json

import pytest
from builders import NoHub, dataset_settings
from labelled_sets import labelled_set, lines_of

from laya_sweep.domain.case import canonical_rows_digest
from laya_sweep.errors import DatasetError
from laya_sweep.suites.intent import IntentSuite
from laya_sweep.suites.jsonl import JsonlSuite
from laya_sweep.suites.labelled import read_labelled
from laya_sweep.suites.suite import make_suite

NOUL = {"type": "noul", "instructions": "Is it?"}


def settings_of(path, **changes):
    return dataset_settings(path, name="jsonl", repo=None, per_lang=None, **changes)


def suite_of(tmp_path, rows, **changes):
    path = tmp_path / "set.jsonl"
    path.write_text(lines_of(rows), "utf-8")
    return JsonlSuite(settings_of(path, **changes))


def row(state="text", **changes):
    return {"state": state, "questions": {"n": NOUL}, "expected": {"n": True}, **changes}


def test_the_name_of_a_dataset_decides_its_suite(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text(lines_of([row()]))
    assert isinstance(make_suite(settings_of(path), NoHub()), JsonlSuite)
    assert isinstance(make_suite(dataset_settings(name="demo"), NoHub()), IntentSuite)


def test_every_row_becomes_a_case_as_it_stands(tmp_path):
    rows = labelled_set(5, rows=30)
    suite = suite_of(tmp_path, rows)
    cases = sorted((c for code in suite.languages(None) for c in suite.cases(code)), key=lambda case: case.row_index)
    assert len(cases) == len(rows) == len({case.case_id for case in cases})
    for index, (case, one) in enumerate(zip(cases, rows, strict=True)):
        assert (case.state, case.questions, case.expected) == (one["state"], one["questions"], one["expected"])
        assert json.dumps(case.questions) == json.dumps(one["questions"])
        assert (case.language, case.model) == (one.get("language", ""), one.get("model"))
        assert case.tags == tuple(one.get("tags", ()))
        assert case.source_id == str(one.get("id", f"row {index}"))


def test_a_case_id_does_not_depend_on_what_a_run_takes(tmp_path):
    """The same input in two languages, and twice in one: four cases, each with the id that the file gives it."""
    rows = [row(language="de"), row(language="en"), row(language="en"), row()]
    suite = suite_of(tmp_path, rows)
    assert suite.languages(None) == ("", "de", "en")
    ids = [case.case_id for code in ("", "de", "en") for case in suite.cases(code)]
    assert len(set(ids)) == 4
    assert [case.case_id for case in suite_of(tmp_path, rows, split="x").cases("en")] == ids[2:]


def test_per_lang_takes_the_first_rows_of_each_language(tmp_path):
    rows = [row(str(i), language="de" if i % 2 else "en") for i in range(10)]
    path = tmp_path / "set.jsonl"
    path.write_text(lines_of(rows))
    few = JsonlSuite(dataset_settings(path, name="jsonl", repo=None, per_lang=2))
    assert [case.row_index for case in few.cases("de")] == [1, 3]
    assert [case.row_index for case in suite_of(tmp_path, rows).cases("en")] == [0, 2, 4, 6, 8]
    assert few.recipe("de") == suite_of(tmp_path, rows).recipe("de")


def test_a_language_that_the_file_lacks_lists_those_it_has(tmp_path):
    suite = suite_of(tmp_path, [row(language="sv-SE"), row(language="no"), row()])
    assert suite.languages(["no", ""]) == ("no", "")
    with pytest.raises(DatasetError) as caught:
        suite.languages(["sv", "no", "xx"])
    assert [problem.got for problem in caught.value.problems] == ["'sv'", "'xx'"]
    assert "(sv-SE, '' (rows without a language), no)" in caught.value.problems[0].expected


def test_the_recipe_is_the_bytes_and_the_language(tmp_path):
    rows = [row(language="de"), row(language="en")]
    suite = suite_of(tmp_path, rows)
    assert suite.recipe("de")["source"] == {"sha256": read_labelled(tmp_path / "set.jsonl").sha256}
    assert suite.recipe("de") != suite.recipe("en")
    assert suite_of(tmp_path, [*rows, row()]).recipe("de") != suite.recipe("de")


def test_the_digest_of_a_part_is_another_than_that_of_the_file(tmp_path):
    suite = suite_of(tmp_path, [row("a", language="de"), row("b", language="en")])
    whole = [*suite.cases("de"), *suite.cases("en")]
    assert suite.dataset_digest(whole) == read_labelled(tmp_path / "set.jsonl").sha256
    assert suite.dataset_digest(whole[:1]) == canonical_rows_digest(whole[:1]) != suite.dataset_digest(whole[1:])
    assert canonical_rows_digest(whole) != canonical_rows_digest(whole[::-1])


@pytest.mark.parametrize(
    "changes", [{"expected": {"n": False}}, {"tags": ["x"]}, {"model": "m"}, {"id": "1"}, {"state": "b"}]
)
def test_the_digest_of_rows_moves_with_whatever_is_in_them(tmp_path, changes):
    rows = [row(language="de"), row(language="de")]
    before = canonical_rows_digest(suite_of(tmp_path, rows).cases("de"))
    assert canonical_rows_digest(suite_of(tmp_path, [rows[0], rows[1] | changes]).cases("de")) != before


def test_rows_that_name_a_model_are_said_once(tmp_path):
    rows = [row(model="multilingual"), row(model="english"), row(model="english"), row()]
    [note] = suite_of(tmp_path, rows).notes()
    assert note == "3 rows name a model (english, multilingual); auto goes by it, named checkpoints do not"
    assert suite_of(tmp_path, [row()]).notes() == ()
