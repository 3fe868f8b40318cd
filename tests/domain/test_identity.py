"""Canonical JSON, digests, keys."""

import hashlib
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.domain import identity
from laya_sweep.domain.identity import (
    canonical_json,
    cell_key,
    digest_file,
    digest_text,
    ordered_json,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def shuffled(value, generator):
    """The same JSON value with the keys of every object in another order."""
    if isinstance(value, list):
        return [shuffled(item, generator) for item in value]
    if isinstance(value, dict):
        items = [(key, shuffled(item, generator)) for key, item in value.items()]
        generator.shuffle(items)
        return dict(items)
    return value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, 1.5]}, '{"a":[true,null,1.5],"b":1}'),
        ({"z": {"y": 1, "x": 2}}, '{"z":{"x":2,"y":1}}'),
        ({"sträng": "日本語"}, '{"sträng":"日本語"}'),
        ("001", '"001"'),
        ([], "[]"),
    ],
)
def test_canonical_text(value, text):
    assert canonical_json(value) == text


@settings(deadline=None)
@given(json_values, st.integers(0, 1000))
def test_canonical_json_ignores_key_order_and_loses_nothing(value, seed):
    assert canonical_json(shuffled(value, random.Random(seed))) == canonical_json(value)
    assert json.loads(canonical_json(value)) == value


@pytest.mark.parametrize("write", [canonical_json, ordered_json])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_no_document_holds_a_number_that_json_has_not(write, number):
    with pytest.raises(ValueError, match="JSON compliant"):
        write({"a": [number]})


def test_ordered_json_keeps_the_order_of_options():
    assert ordered_json({"b": "ö", "a": 1}) == '{"b":"ö","a":1}'


def test_digests_are_sha256_of_the_bytes(tmp_path):
    path = tmp_path / "file"
    path.write_bytes("日\n".encode() * 100_000)
    assert digest_file(path) == digest_text("日\n" * 100_000) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert digest_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_cell_key_never_moves_by_itself():
    """A literal: whoever changes it makes every stored cell of every user unreachable, so raise KEY_VERSION."""
    key = cell_key({"suite": {"seed": 13, "name": "massive"}, "max_len": 512})
    assert key == "9d964f0f70f636d47e9b736bc00f6e3ec55964cfe64a0b7f809e50a813bf1f8e"
    assert key == cell_key({"max_len": 512, "suite": {"name": "massive", "seed": 13}})


def test_a_cell_key_moves_with_its_version(monkeypatch):
    before = cell_key({"max_len": 512})
    monkeypatch.setattr(identity, "KEY_VERSION", identity.KEY_VERSION + 1)
    assert cell_key({"max_len": 512}) != before
