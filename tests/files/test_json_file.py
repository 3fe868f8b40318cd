"""Strict reading: what a person may hand over, and what each broken file is told."""

from __future__ import annotations

import json
import os
import random

import pytest

from laya_sweep.errors import UsageError, exit_code
from laya_sweep.files.json_file import parse_json, read_json, read_object
from laya_sweep.files.strict_json import MAX_DEPTH


def refusal(path, read=read_json):
    with pytest.raises(UsageError) as caught:
        read(path, "baseline")
    assert exit_code(caught.value) == 2
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


BROKEN = [
    (b"", "empty file"),
    (b" \n\t", "empty file"),
    (b'\xef\xbb\xbf{"a": 1}', "byte order mark"),
    ('{"a": 1}'.encode("utf-16"), "byte order mark"),
    (b'{"a": "\xff"}', "expected UTF-8, got other bytes"),
    (b'{"a": 1', "expected JSON, got"),
    (b'{"a": 1} x', "expected JSON"),
    (b'{"a": 1, "a": 2}', "each key once in an object, got 'a' twice"),
    (b'[{"b": {"a": 1, "a": 1}}]', "each key once in an object, got 'a' twice"),
    (b'{"a": NaN}', "NaN"),
    (b'{"a": -Infinity}', "Infinity"),
    (b'{"a": 1e999}', "1e999"),
    (b'{"a": ' + b"9" * 5000 + b"}", "5000 digits"),
    (b'{"a": "\\ud800"}', "lone surrogate"),
    (b"[" * 100_000, "nesting"),
    (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), f"at most {MAX_DEPTH} levels of nesting"),
]


@pytest.mark.parametrize(("data", "said"), BROKEN, ids=[said for _, said in BROKEN])
def test_a_broken_file_is_one_line_and_exit_2(tmp_path, data, said):
    path = tmp_path / "b.json"
    path.write_bytes(data)
    assert said in refusal(path)


def test_a_missing_file_a_folder_and_a_path_below_a_file_are_refused(tmp_path):
    file = tmp_path / "f"
    file.write_text("{}")
    assert "No such file" in refusal(tmp_path / "nowhere.json")
    assert "directory" in refusal(tmp_path)
    assert "directory" in refusal(file / "below.json")


@pytest.mark.parametrize("text", ["[]", "null", "true", '"text"', "3"])
def test_what_must_be_an_object_is_one(tmp_path, text):
    path = tmp_path / "b.json"
    path.write_text(text)
    assert "a JSON document, got a " in refusal(path, read_object)
    assert read_json(path, "baseline") == json.loads(text)


def test_what_is_fine_is_read_as_it_stands(tmp_path):
    value = {"a": [1, 2.5, None, True, "ሙከራ\n", "\U0001f600"], "": {"b": {}}, "deep": [[[[]]]]}
    path = tmp_path / "b.json"
    path.write_text(json.dumps(value))
    assert read_object(path, "baseline") == value
    path.write_bytes(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert len(json.dumps(read_json(path, "baseline"))) == 2 * MAX_DEPTH


def test_a_thousand_mutations_are_read_as_python_reads_them_or_refused(tmp_path):
    source = json.dumps({"report": {"en": {"n": 2, "ece": 0.125}}, "config": {"model": "m", "x": [1e3, -0.5, None]}})
    rng, path, read = random.Random(7), tmp_path / "m.json", 0
    for _ in range(1000):
        data = bytearray(source.encode())
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 2)] = rng.choice([b"", b"{", b'"', b"9", b"\x00", b"\xff", b"NaN", b","])
        path.write_bytes(data)
        try:
            value = read_json(path, "baseline")
        except UsageError:
            refusal(path)
        else:
            read += 1
            assert value == json.loads(data)
    assert 50 < read < 900


def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "b.json"
    path.write_text("{}")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root reads every file")
    assert "Permission denied" in refusal(path)


def test_infinities_and_nan_are_left_to_a_reader_who_asks_for_them():
    found = parse_json(b"[NaN, Infinity, 1e999]", any_number=True)
    assert [repr(number) for number in found] == ["nan", "inf", "inf"]
    with pytest.raises(ValueError, match="NaN"):
        parse_json(b"[NaN]")


def test_a_file_s_own_text_stays_on_one_line(tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(b'{"two\\nlines": 1, "two\\nlines": 2}')
    with pytest.raises(UsageError) as raised:
        read_json(path, "baseline")
    assert str(raised.value).isprintable()
