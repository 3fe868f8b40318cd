"""Reading JSON: whatever a file holds, it is a value or one line."""

import json
import random

import pytest

from laya_sweep.errors import UsageError
from laya_sweep.strict_json import one_line, parse_json, read_json

BROKEN = {
    "empty": (b"", "empty"),
    "blank": (b" \n\t", "empty"),
    "byte order mark": (b"\xef\xbb\xbf{}", "byte order mark"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), "position 0"),
    "latin-1": (b'{"name": "\xe9"}', "position 10"),
    "not JSON": (b"{'a': 1}", "Expecting property name"),
    "cut off": (b'{"a": [1, 2', "Expecting"),
    "two documents": (b"{} {}", "Extra data"),
    "over-nested list": (b"[" * 100_000, "nested too deeply"),
    "over-nested object": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    "a key twice": (b'{"a": 1, "b": 2, "a": 3}', "'a' more than once"),
    "a key twice, inside": (b'{"rules": [{"max": 1, "max": 2}]}', "'max' more than once"),
    "the same key, escaped": (b'{"a": 1, "\\u0061": 3}', "'a' more than once"),
    "half a character": (b'{"a": "\\ud800"}', "surrogate"),
    "half a character as key": (b'{"\\uDFFF": 1}', "surrogate"),
    "a number of 5,000 digits": (b"[" + b"9" * 5000 + b"]", "digits"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_line(case, tmp_path):
    data, said = BROKEN[case]
    path = tmp_path / "file.json"
    path.write_bytes(data)
    with pytest.raises(UsageError) as raised:
        read_json(path, "baseline")
    text = str(raised.value)
    assert said in text
    assert text.startswith("baseline ")
    assert text.isprintable()


def test_a_missing_file_a_folder_and_an_impossible_path_are_one_line(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "nowhere.json", tmp_path, tmp_path / "file" / "below", tmp_path / "nul\0byte"):
        with pytest.raises(UsageError, match="a file that can be read") as raised:
            read_json(path)
        assert str(raised.value).isprintable()


@pytest.mark.parametrize("value", [None, True, 0.1, "é 試験 \U0001f600", [], {}, {"a": [{"b": None}]}])
def test_what_json_holds_comes_back(value):
    for ascii_only in (True, False):
        assert parse_json(json.dumps(value, ensure_ascii=ascii_only).encode(), "x") == value


def test_infinities_and_nan_are_left_to_the_reader():
    found = parse_json(b"[NaN, Infinity, 1e999]", "x")
    assert [repr(number) for number in found] == ["nan", "inf", "inf"]


def test_any_bytes_are_a_value_or_one_line():
    values, said = 0, []
    for seed in range(1000):
        rng = random.Random(seed)
        data = bytearray(b'{"version": 1, "rules": [{"slice": {"tag": "caf\xc3\xa9"}, "max": 0.5}]}')
        for _ in range(rng.randint(0, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            parse_json(bytes(data), "x")
            values += 1
        except UsageError as error:
            said.append(str(error))
    assert values > 10
    assert len(said) > 10
    assert all(line.isprintable() for line in said)


def test_text_of_a_line_is_bounded_and_prints():
    assert one_line("a" * 500) == "a" * 80 + "... (500 characters)"
    assert one_line("\x1b[31mred") == "'\\x1b[31mred'"
    assert one_line("試験") == "試験"
    assert one_line(3) == "3"
