"""Reading a verb's words: mistakes are one line and exit code 2, as everywhere in this house."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

import pyarrow as pa

from laya_sweep.errors import Problem, UsageError
from laya_sweep.store import TABLES, DamagedFileError, read_parquet


class Arguments(argparse.ArgumentParser):
    """An argument parser that raises instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """A wrong word.

        Raises:
            UsageError: always.
        """
        raise UsageError(Problem(self.prog, "its arguments", message, f"see {self.prog} --help"))


def run_folders(paths: list[Path]) -> list[Path]:
    """Run folders named directly, or as the parent that a multirun made (`OUT/0`, `OUT/1`, ...).

    Raises:
        UsageError: a path is neither.
    """
    folders: list[Path] = []
    for path in paths:
        inside = sorted((entry for entry in path.glob("*") if entry.name.isdigit()), key=lambda entry: int(entry.name))
        if (path / "report.json").is_file():
            folders.append(path)
        elif inside:
            folders += run_folders(inside)
        else:
            raise UsageError(Problem(f"run {path}", "a folder with report.json", "none", "name the out_dir of a run"))
    return folders


def read_table(folder: Path, name: str) -> pa.Table:
    """A table of a run.

    Raises:
        UsageError: it is missing or damaged.
    """
    try:
        return read_parquet(folder / f"{name}.parquet", TABLES[name])
    except DamagedFileError as error:
        raise UsageError(
            Problem(f"run {folder}", f"a whole {name}.parquet", str(error), "run the sweep again")
        ) from error
