"""The folder of a run: one writer, fresh names, whole files, nothing left behind."""

import json
import subprocess
import sys
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from laya_sweep.errors import OutputError
from laya_sweep.files.atomic import write_json
from laya_sweep.store import run_folder
from laya_sweep.store.run_folder import claim, write_tables
from laya_sweep.store.schemas import CASES, TABLES


def test_a_second_run_is_refused_while_the_first_holds_the_folder(tmp_path):
    out = tmp_path / "out"
    with claim(out) as folder:
        (folder / "file").write_text("x")
        with pytest.raises(OutputError) as caught, claim(out):
            pass
        assert (folder / "file").read_text() == "x"
        [problem] = caught.value.problems
        assert (problem.what, problem.got) == (f"out_dir {out}", "another run writing to it")
    with claim(out) as folder:
        assert (folder / "file").exists()


def test_the_refused_run_leaves_the_first_ones_folder_alone(tmp_path):
    """Also before the first has written anything: were the folder removed, a third run could claim the name."""
    out = tmp_path / "out"
    with claim(out):
        with pytest.raises(OutputError), claim(out):
            pass
        assert out.is_dir()
        with pytest.raises(OutputError), claim(out):
            pass


def test_a_run_of_another_process_is_refused_too(tmp_path):
    script = (
        "import sys; from pathlib import Path; from laya_sweep.errors import OutputError\n"
        "from laya_sweep.store.run_folder import claim\n"
        "try:\n    with claim(Path(sys.argv[1])): print('claimed')\nexcept OutputError: print('refused')"
    )

    def other():
        done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    (tmp_path / "file").write_text("x")
    with claim(tmp_path):
        assert other() == "refused"
    assert other() == "claimed"


def test_runs_of_one_second_get_folders_of_their_own(tmp_path, monkeypatch):
    class Stopped(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 2, 3, 4, 5)

    monkeypatch.setattr(run_folder, "datetime", Stopped)
    monkeypatch.chdir(tmp_path)
    with claim(None) as first, claim(None) as second, claim(None) as third:
        assert [str(folder) for folder in (first, second, third)] == [
            f"outputs/runs/20260102-030405{suffix}" for suffix in ("", "-2", "-3")
        ]
        (first / "file").write_text("x")
    with claim(None) as fourth:
        assert fourth.name == "20260102-030405-2"
        assert not [*fourth.iterdir()]


@pytest.mark.parametrize("named", [True, False])
def test_a_run_that_failed_before_it_wrote_leaves_no_folder(tmp_path, monkeypatch, named):
    monkeypatch.chdir(tmp_path)
    folders = []
    with suppress(ValueError), claim(tmp_path / "out" if named else None) as folder:
        folders.append((folder, folder.is_dir()))
        raise ValueError("stop")
    [(folder, was_there)] = folders
    assert was_there
    assert not folder.exists()


def test_a_run_that_failed_after_it_wrote_leaves_what_it_wrote(tmp_path):
    with suppress(ValueError), claim(tmp_path / "out") as folder:
        (folder / "file").write_text("x")
        raise ValueError("stop")
    assert (tmp_path / "out" / "file").read_text() == "x"


def test_a_folder_that_was_there_stays(tmp_path):
    """An empty folder that the user made is not the run's to remove."""
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(ValueError, match="stop"), claim(out):
        raise ValueError("stop")
    assert out.is_dir()


def test_a_claim_closes_what_it_opened(tmp_path):
    def descriptors():
        return len([*Path("/proc/self/fd").iterdir()])

    before = descriptors()
    for _ in range(20):
        with claim(tmp_path / "out") as folder:
            (folder / "file").write_text("x")
        with claim(tmp_path / "out"), pytest.raises(OutputError), claim(tmp_path / "out"):
            pass
    assert descriptors() == before


def test_a_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="out_dir"), claim(tmp_path / "file" / "out"):
        pass


def test_tables_are_checked_against_their_schema(tmp_path):
    row = dict.fromkeys(CASES.names, "x") | {"row_index": 3, "tags": ["x"]}
    write_tables(tmp_path, {"cases": pa.Table.from_pylist([row])})
    assert pa.parquet.read_table(tmp_path / "cases.parquet").schema.equals(TABLES["cases"])
    with pytest.raises((pa.ArrowInvalid, ValueError)):
        write_tables(tmp_path, {"cases": pa.Table.from_pylist([{**row, "row_index": "three"}])})
    with pytest.raises(KeyError):
        write_tables(tmp_path, {"unknown": pa.Table.from_pylist([row])})
    assert [path.name for path in tmp_path.iterdir()] == ["cases.parquet"]


def test_documents_are_utf8_for_people_and_hold_no_nan(tmp_path):
    write_json(tmp_path / "a.json", {"b": "größer", "a": [1, None]})
    text = (tmp_path / "a.json").read_bytes().decode("utf-8")
    assert text == '{\n  "b": "größer",\n  "a": [\n    1,\n    null\n  ]\n}\n'
    assert json.loads(text) == {"b": "größer", "a": [1, None]}
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(tmp_path / "a.json", {"value": float("nan")})
    assert (tmp_path / "a.json").read_text("utf-8") == text
