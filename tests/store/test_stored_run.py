"""Finished runs, read back: selection by name, and folders that are none."""

from __future__ import annotations

import json

import pytest
from stored_runs import choice_drafts, write_run

from laya_sweep.errors import UsageError
from laya_sweep.store.stored_run import StoredRun


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stored") / "run"
    return write_run(folder, {code: [*choice_drafts(code, 6)] for code in ("en", "de")})


def test_one_result_is_found_by_what_distinguishes_it(run):
    result = run.select(regime="raw")
    assert (str(result.key), result.asked, result.failed) == ("mine raw baseline", ["en", "de"], {})
    assert result.decisions.num_rows == 12
    assert set(result.decisions["regime"].to_pylist()) == {"raw"}
    assert (result.facts.num_rows, result.timings.num_rows, run.imported) == (12, 12, None)


@pytest.mark.parametrize(
    ("selectors", "said"),
    [
        ({}, "2 match: mine served baseline; mine raw baseline"),
        ({"regime": "rw"}, "--regime rw: expected one of raw, served"),
        ({"checkpoint": "other"}, "--checkpoint other: expected one of mine"),
        ({"transform": "x"}, "--transform x: expected one of baseline"),
    ],
)
def test_a_selector_that_leaves_none_or_several_lists_what_exists(run, selectors, said):
    with pytest.raises(UsageError) as caught:
        run.select(**selectors)
    assert said in str(caught.value)


def test_a_folder_without_a_report_of_ours_is_refused(run, tmp_path):
    with pytest.raises(UsageError, match=r"a folder with report\.json, got none"):
        StoredRun.open(tmp_path)
    for document in ({}, {"schema": "laya-sweep-report/1"}, {**run.report, "schema": "laya-sweep-report/9"}, []):
        (tmp_path / "report.json").write_text(json.dumps(document))
        with pytest.raises(UsageError):
            StoredRun.open(tmp_path)


def test_a_missing_table_is_named(run, tmp_path):
    (tmp_path / "report.json").write_text(json.dumps(run.report))
    with pytest.raises(UsageError, match=r"a whole cases\.parquet"):
        _ = StoredRun.open(tmp_path).cases
