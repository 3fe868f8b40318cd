"""`DecisionColumns`: what it refuses, and that taking and joining keep decisions whole."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from decision_tables import decisions

from laya_sweep.metrics import DecisionColumns, SliceColumn, concat


def test_take_and_concat_are_inverse() -> None:
    columns = decisions(40)
    again = concat([columns.take(np.arange(15)), columns.take(np.arange(40) >= 15)])
    for field in fields(DecisionColumns):
        if field.name not in ("slices", "flags"):
            assert np.array_equal(
                getattr(columns, field.name), getattr(again, field.name), equal_nan=field.name != "source"
            )
    assert again.slices["language"].values == columns.slices["language"].values
    assert (again.slices["language"].codes == columns.slices["language"].codes).all()


def test_concat_unites_slice_values() -> None:
    parts = [decisions(6, languages=("de", "en")), decisions(6, languages=("am", "en"))]
    language = concat(parts).slices["language"]
    assert language.values == ("am", "de", "en")
    assert [language.values[code] for code in language.codes[[0, 1, 6, 7]]] == ["de", "en", "am", "en"]
    with pytest.raises(ValueError, match=r"Expected slice dimensions \['language'\], but got \[\]"):
        concat([parts[0], replace(parts[1], slices={})])


@pytest.mark.parametrize(
    ("column", "value", "error", "message"),
    [
        (
            "correct",
            np.ones(5, dtype=np.int8),
            ValueError,
            "Expected `correct` to have 9 elements, but got 5",
        ),
        ("correct", np.full(9, 2), ValueError, "Expected `correct` in -1 .. 1, but got 2 .. 2"),
        ("level", np.full(9, 10_001), ValueError, "Expected `level` in -1 .. 10000"),
        ("question_type", np.full(9, 3), ValueError, "Expected `question_type` in 0 .. 2"),
        ("confidence", np.ones((9, 1)), ValueError, "Expected `confidence` to have one dimension"),
        ("source", np.full(9, 0.5), TypeError, "Expected `source` to be int32, but got float64"),
        ("source", np.full(9, 2**40), ValueError, "Expected `source` to fit int32"),
        ("question_type", np.ones(9, dtype=np.int8), ValueError, "Expected `correct` to be -1 for score"),
        ("slices", {"x": SliceColumn.of(["a"])}, ValueError, "Expected 9 codes in slice 'x', but got 1"),
    ],
)
def test_refusals(column: str, value: Any, error: type[Exception], message: str) -> None:
    columns = decisions(9, kinds=(0,), unlabelled=0.0)
    with pytest.raises(error, match=message):
        replace(columns, **{column: value})


def test_slice_column_refusals() -> None:
    with pytest.raises(ValueError, match=r"Expected codes in -1 \.\. 0, but got 1 \.\. 1"):
        SliceColumn(np.array([1], dtype=np.int32), ("a",))
    with pytest.raises(ValueError, match="Expected each slice value once"):
        SliceColumn(np.array([0], dtype=np.int32), ("a", "a"))
    with pytest.raises(ValueError, match="Expected a row for each of 1 codes, but got 2"):
        SliceColumn(np.array([0], dtype=np.int32), ("a",), np.array([0, 1]))


def test_wider_integers_are_narrowed() -> None:
    columns = decisions(9, source=np.arange(9, dtype=np.int64))
    assert columns.source.dtype == np.int32
