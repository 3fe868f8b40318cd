"""Which rows are the same: by source and by input, joined; a map lists all that it was fitted on."""

from __future__ import annotations

from laya_sweep.calibration.overlap import DatasetRow, joined_sources, rows_document, shared_rows

DATA = {"source": {"sha256": "1"}, "split": None}


def row(source, text, language="en", data=DATA):
    return DatasetRow(language, data, source, text.ljust(64, "0"))


def test_rows_of_one_source_are_all_listed_and_each_is_found_in_another_file():
    document = rows_document([row("s", "b"), row("s", "a"), row("s", "a"), row("t", "c")])
    assert document["en"]["rows"] == {"s": ["a".ljust(32, "0"), "b".ljust(32, "0")], "t": ["c".ljust(32, "0")]}
    copies = [row(f"copy {i}", text, data={"source": {"sha256": "2"}}) for i, text in enumerate("abcd")]
    assert shared_rows(document, copies) == copies[:3]


def test_a_row_of_the_same_data_is_the_same_whatever_was_drawn():
    document = rows_document([row("s", "a")])
    drawn, elsewhere, language = row("s", "z"), row("s", "z", data={}), row("s", "z", language="de")
    assert shared_rows(document, [drawn, elsewhere, language]) == [drawn]


def test_maps_that_hold_one_digest_a_source_are_read():
    older = {"en": {"data": DATA, "rows": {"s": "a".ljust(32, "0")}}}
    assert [found.source_id for found in shared_rows(older, [row("x", "a", data={}), row("y", "b", data={})])] == ["x"]


def test_sources_of_equal_inputs_are_joined_through_others_and_languages():
    rows = [row("d", "1"), row("c", "1"), row("c", "2", "de"), row("a", "2", "de"), row("b", "3"), row("e", "4")]
    expected = {"a": "a", "b": "b", "c": "a", "d": "a", "e": "e"}
    assert joined_sources(rows) == expected
    assert joined_sources(rows[::-1]) == expected
    assert joined_sources([]) == {}
