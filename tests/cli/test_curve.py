"""The multirun curve and the single-run curve give the same points."""

from __future__ import annotations

import shutil

import pyarrow.parquet as pq
import pytest

from laya_sweep.__main__ import main
from laya_sweep.cli.curve import collect
from laya_sweep.errors import UsageError
from laya_sweep.store.schemas import CURVES

THRESHOLDS = (0.0, 0.3, 0.5, 0.7, 0.95, 1.0)


@pytest.fixture(scope="module")
def multirun(tmp_path_factory):
    """One demo multirun over thresholds, in process."""
    folder = tmp_path_factory.mktemp("curve")
    words = ["-m", f"min_confidence={','.join(map(str, THRESHOLDS))}", "languages=[de,en]", "executor=inline"]
    words += ["checkpoint=[demo_multilingual]", f"store.uri={folder}/store", f"out_dir={folder}/M"]
    assert main(words) == 0
    return folder / "M"


@pytest.mark.parametrize(("dimension", "value"), [("overall", ""), ("language", "en")])
def test_each_multirun_point_lies_on_the_single_run_curve(multirun, dimension, value):
    points = collect([multirun / str(job) for job in range(len(THRESHOLDS))], dimension, value)
    assert [point["threshold"] for point in points if point["regime"] == "raw"] == sorted(THRESHOLDS, reverse=True)
    curve = [
        row
        for row in pq.read_table(multirun / "0" / "curves.parquet").to_pylist()
        if (row["slice"], row["slice_value"]) == (dimension, value)
    ]
    compared = 0
    for point in points:
        above = [row for row in curve if row["regime"] == point["regime"] and row["threshold"] >= point["threshold"]]
        if not above:
            assert (point["accepted"], point["precision"]) == (0, None)
            continue
        same = min(above, key=lambda row: row["threshold"])
        names = ("accepted", "correct", "n", "coverage", "precision")
        assert [point[name] for name in names] == [same[name] for name in names]
        assert (point["low"], point["high"]) == pytest.approx((same["low"], same["high"]), abs=1e-12)
        compared += 1
    assert compared >= 2 * (len(THRESHOLDS) - 1)


def test_a_curve_ends_at_full_coverage_and_the_result_s_accuracy(multirun):
    curve = pq.read_table(multirun / "0" / "curves.parquet").to_pylist()
    metrics = pq.read_table(multirun / "0" / "metrics.parquet").to_pylist()
    for regime in ("raw", "served"):
        last = [row for row in curve if row["regime"] == regime and row["slice"] == "overall"][-1]
        [accuracy] = [
            row["value"]
            for row in metrics
            if (row["regime"], row["slice"], row["metric"]) == (regime, "overall", "choice_accuracy")
        ]
        assert (last["coverage"], last["precision"]) == (1.0, accuracy)


def test_the_verb_finds_the_jobs_of_a_multirun_and_writes_a_curves_table(multirun, tmp_path, capsys):
    assert main(["curve", str(multirun), "--slice", "language=de", "--out", str(tmp_path / "points.parquet")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 2 * len(THRESHOLDS)
    assert lines[0].startswith("checkpoint transform regime min_confidence coverage precision")
    written = pq.read_table(tmp_path / "points.parquet")
    assert written.schema.equals(CURVES)
    assert written.num_rows == 2 * len(THRESHOLDS)


def test_runs_that_disagree_on_a_point_are_refused(multirun, tmp_path):
    words = ["min_confidence=0.5", "languages=[de,en]", "executor=inline", "checkpoint=[demo_multilingual]"]
    assert main([*words, "dataset.per_lang=7", f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/other"]) == 0
    with pytest.raises(UsageError, match=r"another point for demo_multilingual baseline raw at 0\.5"):
        collect([multirun / "2", tmp_path / "other"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["curve"], "arguments"),
        (["curve", "nowhere"], "a folder with report.json"),
        (["curve", "RUN", "--slice", "language=xx"], "a slice with a min_confidence"),
        (["curve", "RUN", "--wrong"], "--wrong"),
        (["curv", "RUN"], "curve"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(multirun, capsys, words, said):
    assert main([str(multirun / "0") if word == "RUN" else word for word in words]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_damaged_table_is_named(multirun, tmp_path, capsys):
    copy = tmp_path / "run"
    shutil.copytree(multirun / "0", copy)
    (copy / "metrics.parquet").write_bytes((copy / "metrics.parquet").read_bytes()[:-20])
    assert main(["curve", str(copy)]) == 2
    assert "a whole metrics.parquet" in capsys.readouterr().err
