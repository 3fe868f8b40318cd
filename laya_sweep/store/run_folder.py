"""The folder of one run: claimed by one process at a time, filled with whole files."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from laya_sweep.errors import OutputError, Problem
from laya_sweep.files.atomic import make_folder, write_bytes
from laya_sweep.store.parquet import parquet_bytes
from laya_sweep.store.schemas import TABLES

_DEFAULT_PARENT = Path("outputs") / "runs"

#: What a run's folder holds beside its tables.
_RUN_FILES = ("report.json", "report.md", "timing.json", "provenance.json", "verdict.json")


@contextmanager
def claim(out_dir: Path | None) -> Iterator[Path]:
    """The run's folder, locked while the run writes to it; without `out_dir` a new one that nobody else has.

    Raises:
        OutputError: the folder cannot be made, or another run is writing to it.
    """
    made = out_dir is None or not out_dir.exists()
    folder = out_dir if out_dir is not None else _fresh_folder()
    make_folder(folder, "out_dir")
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        _lock(descriptor, folder)
        try:
            yield folder
        finally:
            if made:
                _drop_if_empty(folder)
    finally:
        os.close(descriptor)


def write_tables(folder: Path, tables: Mapping[str, pa.Table]) -> None:
    """Each table as `<name>.parquet`, checked against its written schema."""
    for name, table in tables.items():
        write_bytes(folder / f"{name}.parquet", parquet_bytes(table.cast(TABLES[name]), {"table": name}))


def clear_run(folder: Path) -> None:
    """Take the files of an earlier run out of a folder, the report first: without it there is no run to misread."""
    for name in (*_RUN_FILES, *(f"{table}.parquet" for table in TABLES)):
        (folder / name).unlink(missing_ok=True)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        problem = Problem(
            f"out_dir {folder}", "a folder of this run alone", "another run writing to it", "name another"
        )
        raise OutputError(problem) from error


def _drop_if_empty(folder: Path) -> None:
    """A run that ended before it wrote anything leaves no folder behind."""
    with suppress(OSError):
        folder.rmdir()


def _fresh_folder() -> Path:
    """A new folder named by the second; runs of one second get a counter, by exclusive creation."""
    make_folder(_DEFAULT_PARENT, "out_dir")
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    for counter in range(1, 10_000):
        folder = _DEFAULT_PARENT / (stamp if counter == 1 else f"{stamp}-{counter}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise OutputError(Problem(f"out_dir {_DEFAULT_PARENT}", "room for a new folder", "10,000 of this second", "wait"))
