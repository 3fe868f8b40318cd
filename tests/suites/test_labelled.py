"""Labelled files: what a row may be, and every fault of a file in one pass."""

import hashlib
import json

import pytest

from laya_sweep.errors import DatasetError, exit_code
from laya_sweep.suites.labelled import Fault, parse_labelled, read_labelled

CHOICE = {"type": "choice", "instructions": "Which?", "criteria": {"no": "a", "001": "b", "nan": "c"}}
LISTED = {"type": "choice", "instructions": "Which?", "criteria": [1, "2", 2.5, True, "no"]}
SCORE = {"type": "score", "instructions": "How much?", "criteria": ["low", "high"]}
NOUL = {"type": "noul", "instructions": "Is it?"}


def row(**changes):
    made = {"state": "text", "questions": {"c": CHOICE, "s": SCORE, "n": NOUL}, "expected": {"c": "no"}}
    return {key: value for key, value in (made | changes).items() if value is not ...}


def faults_of(*rows):
    texts = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    return parse_labelled("\n".join(texts).encode("utf-8"))[1]


def one_fault(**changes):
    [fault] = faults_of(row(**changes))
    assert fault.line == 1
    return fault


def asked(**changes):
    """The fault of a row with one choice question that differs from the good one."""
    question = {key: value for key, value in (CHOICE | changes).items() if value is not ...}
    return one_fault(questions={"c": question}, expected={})


def test_rows_are_read_as_they_are_written(tmp_path):
    path = tmp_path / "set.jsonl"
    first = row(expected={"c": "001", "s": 1, "n": False}, tags=["no", "001"], language="no", model="nan", id="007")
    second = row(state={"utterance": "nan", "n": None}, expected={}, tags=None, language=None, note="kept apart")
    path.write_bytes(f"# a comment\n\n{json.dumps(first)}\r\n   \n  # another\n  {json.dumps(second)}  ".encode())
    found = read_labelled(path)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    one, two = found.examples
    assert (one.line, two.line) == (3, 6)
    assert one.expected == {"c": "001", "s": 1, "n": False}
    assert (one.tags, one.language, one.model, one.row_id) == (("no", "001"), "no", "nan", "007")
    assert [*one.questions["c"]["criteria"]] == ["no", "001", "nan"]
    assert two.state == {"utterance": "nan", "n": None}
    assert (two.tags, two.language, two.model, two.row_id, two.expected) == ((), None, None, None, {})
    assert found.unread == {"note": 1}


def test_a_tag_counts_once_a_row(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(row(tags=["b", "a", "b"])))
    assert read_labelled(path).examples[0].tags == ("b", "a")


def test_only_line_ends_end_a_line():
    """A next-line character, a line separator or a form feed inside a text is text."""
    rows, faults = parse_labelled(json.dumps(row(state="a\u2028b\u0085c"), ensure_ascii=False).encode("utf-8"))
    assert (len(rows), faults) == (1, [])


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        (CHOICE, "no"),
        (CHOICE, "001"),
        (LISTED, 1),
        (LISTED, "2"),
        (LISTED, 2.5),
        (LISTED, "no"),
        (SCORE, 0),
        (SCORE, -7.5),
        (SCORE, 10**300),
        (NOUL, True),
        (NOUL, False),
    ],
)
def test_right_answers_by_type(question, truth):
    question = (
        question | {"criteria": [c for c in LISTED["criteria"] if c is not True]} if question is LISTED else question
    )
    assert faults_of(row(questions={"q": question}, expected={"q": truth})) == []


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        (CHOICE, 1),
        (CHOICE, 0),
        (CHOICE, "No"),
        (CHOICE, "yes"),
        (CHOICE, False),
        (CHOICE, None),
        (CHOICE, ["no"]),
        ({**LISTED, "criteria": [1, "2", "no"]}, "1"),
        ({**LISTED, "criteria": [1, "2", "no"]}, 2),
        ({**LISTED, "criteria": [1, "2", "no"]}, True),
        ({**LISTED, "criteria": [1, "2", "no"]}, 1.0),
        (SCORE, True),
        (SCORE, "1"),
        (SCORE, None),
        (SCORE, 10**400),
        (NOUL, 1),
        (NOUL, 0),
        (NOUL, "true"),
        (NOUL, None),
    ],
)
def test_answers_of_another_type_are_named_not_skipped(question, truth):
    [fault] = faults_of(row(), row(questions={"q": question}, expected={"q": truth}))
    assert (fault.line, fault.field) == (2, "expected.q")
    assert fault.got == (repr(truth) if truth != 10**400 else fault.got)


def test_an_answer_that_is_no_label_lists_the_labels_nearest_first():
    assert one_fault(expected={"c": "na"}).expected == "one of the labels no, 001, nan"
    many = {**CHOICE, "criteria": [f"label {i}" for i in range(40)] + ["weather"]}
    fault = one_fault(questions={"c": many}, expected={"c": "wether"})
    assert fault.expected.startswith("one of the labels weather, ")
    assert fault.expected.endswith(", ...")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"state": ...}, "state"),
        ({"state": None}, "state"),
        ({"questions": ...}, "questions"),
        ({"questions": {}, "expected": {}}, "questions"),
        ({"questions": [], "expected": {}}, "questions"),
        ({"questions": "c", "expected": {}}, "questions"),
        ({"expected": ...}, "expected"),
        ({"expected": None}, "expected"),
        ({"expected": []}, "expected"),
        ({"expected": {"d": "no"}}, "expected.d"),
        ({"tags": "vip"}, "tags"),
        ({"tags": {"vip": 1}}, "tags"),
        ({"tags": ["vip", 1]}, "tags[1]"),
        ({"tags": [None]}, "tags[0]"),
        ({"language": 7}, "language"),
        ({"language": " "}, "language"),
        ({"language": False}, "language"),
        ({"model": ["english"]}, "model"),
        ({"model": ""}, "model"),
        ({"id": ""}, "id"),
        ({"id": True}, "id"),
        ({"id": {}}, "id"),
    ],
)
def test_a_field_of_a_row(changes, field):
    assert one_fault(**changes).field == field


@pytest.mark.parametrize(
    ("changes", "field", "got"),
    [
        ({"type": ...}, "type", "nothing"),
        ({"type": "choices"}, "type", "'choices'"),
        ({"type": ["choice"]}, "type", "['choice']"),
        ({"instructions": ...}, "instructions", "nothing"),
        ({"instructions": None}, "instructions", "None"),
        ({"instructions": "  "}, "instructions", "'  '"),
        ({"instructions": {}}, "instructions", "{}"),
        ({"criteria": ...}, "criteria", "nothing"),
        ({"criteria": "no"}, "criteria", "'no'"),
        ({"criteria": {}}, "criteria", "{}"),
        ({"criteria": ["a", None]}, "criteria[1]", "None"),
        ({"criteria": ["a", ["b"]]}, "criteria[1]", "['b']"),
        ({"criteria": ["a", "b", "a"]}, "criteria[2]", "'a', which repeats label 0 ('a')"),
        ({"criteria": [1, True]}, "criteria[1]", "True, which repeats label 0 (1)"),
        ({"type": "score", "criteria": {"0": "a"}}, "criteria", "{'0': 'a'}"),
        ({"type": "score", "criteria": ["a", None]}, "criteria[1]", "null"),
        ({"type": "noul", "criteria": ["a"]}, "criteria", "['a']"),
        ({"type": "noul", "criteria": {"yes": "a"}}, "criteria.yes", "'yes'"),
        ({"type": "noul", "criteria": None, "labels": {"true": "a"}}, "labels", "{'true': 'a'}"),
        ({"type": "noul", "criteria": None, "labels": {"true": "a", "false": " a "}}, "labels", ...),
        ({"labels": None}, "labels", "None"),
        ({"option_order": None}, "option_order", "None"),
        ({"option_order": [0, 1]}, "option_order", "[0, 1]"),
        ({"option_order": [0, 1, True]}, "option_order", "[0, 1, True]"),
        ({"option_order": [0, 1, 1]}, "option_order", "[0, 1, 1]"),
    ],
)
def test_a_field_of_a_question(changes, field, got):
    fault = asked(**changes)
    assert fault.field == f"questions.c.{field}"
    assert got is ... or fault.got == got


def test_a_question_may_have_many_faults_and_its_answer_is_then_not_judged():
    broken = {"type": "noul", "instructions": "", "criteria": {"yes": 1, "no": 2}, "labels": 5}
    fields = [fault.field for fault in faults_of(row(questions={"q": broken, "n": NOUL}, expected={"q": 7, "n": 1}))]
    assert fields == [
        "questions.q.instructions",
        "questions.q.criteria.yes",
        "questions.q.criteria.no",
        "questions.q.labels",
        "expected.n",
    ]


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("{", "Expecting property name enclosed in double quotes at column 2"),
        ("[1, 2]", "[1, 2]"),
        ("7", "7"),
        ('{"state": NaN}', "NaN"),
        ('{"state": -Infinity}', "-Infinity"),
        ('{"state": 1e999}', "1e999"),
        ('{"state": {"a": 1, "a": 2}}', "'a' twice"),
        ('{"state": "\\ud800"}', "a lone surrogate"),
        ('{"st\\udfffate": 1}', "a lone surrogate"),
        ('{"state": ' + "[" * 201 + "]" * 201 + "}", "202"),
        ("[" * 100_000, "more"),
        ("1" * 5000, ...),
    ],
)
def test_json_that_is_not_quite_json(line, got):
    faults = faults_of(row(), line)
    assert {fault.line for fault in faults} == {2}
    assert got is ... or got in [fault.got for fault in faults]


def test_the_depth_that_is_read_is_read():
    value = "x"
    for _ in range(198):
        value = [value]
    assert faults_of(row(state=value)) == []


def test_bytes_that_are_no_utf8_are_named_by_line_and_the_rest_is_still_read():
    good = json.dumps(row()).encode()
    rows, faults = parse_labelled(b"\xef\xbb\xbf" + good + b"\n" + good + b"\n\xff\n" + good + b"\n{")
    assert [line for line, _ in rows] == [1, 2, 4]
    assert faults[0] == Fault(1, "", "no byte order mark", "one")
    assert faults[1] == Fault(3, "", "UTF-8", "byte 0xff at byte 1 of the line")
    assert faults[2].line == 5


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"", "at least one row"), (b"# only\n\n# comments\n", "at least one row"), ("{}".encode("utf-16"), "UTF-8")],
)
def test_a_file_without_rows(tmp_path, data, expected):
    path = tmp_path / "set.jsonl"
    path.write_bytes(data)
    with pytest.raises(DatasetError) as caught:
        read_labelled(path)
    [problem] = caught.value.problems
    assert (problem.what, problem.expected, exit_code(caught.value)) == (str(path), expected, 2)


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "a/b", "x" * 300])
def test_a_file_that_cannot_be_read(tmp_path, name):
    with pytest.raises(DatasetError) as caught:
        read_labelled(tmp_path / name)
    [problem] = caught.value.problems
    assert problem.expected == "a JSONL file that can be read"
    assert len(str(caught.value).splitlines()) == 1


def test_all_faults_of_a_file_come_at_once_in_one_line_each(tmp_path):
    path = tmp_path / "set.jsonl"
    hostile = row(questions={"two\nlines": {"type": 1}}, expected={"two\nlines": 1, "\u0007": 2})
    bad = [row(expected={"n": 1}), row(), "{", hostile, row(tags=[1, 2])]
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in bad))
    with pytest.raises(DatasetError) as caught:
        read_labelled(path)
    places = [problem.what.removeprefix(f"{path}: ") for problem in caught.value.problems]
    assert places == [
        "line 1, expected.n",
        "line 3",
        "line 4, questions.'two\\nlines'.type",
        "line 4, questions.'two\\nlines'.instructions",
        "line 4, expected.'\\x07'",
        "line 5, tags[0]",
        "line 5, tags[1]",
    ]
    assert len(str(caught.value).splitlines()) == len(places)
