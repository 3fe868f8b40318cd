"""Reading a verb's words: mistakes are one line and exit code 2, as everywhere here."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from laya_sweep.domain.thresholds import MinConfidence, from_document, parse
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.json_file import read_json


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


def threshold_of(text: str) -> MinConfidence:
    """The value of --min-confidence: none, a number, a map by bucket, or a JSON file that holds one.

    Raises:
        UsageError: it is none of these.
    """
    try:
        return from_document(read_json(Path(text), "--min-confidence")) if text.endswith(".json") else parse(text)
    except ValueError as error:
        expected = "none, a number in [0, 1], a map as '{choice:2: 0.7, default: 0.5}', or a JSON file with one"
        raise UsageError(Problem("--min-confidence", expected, repr(one_line(text)), "correct it")) from error


def add_result_selectors(parser: argparse.ArgumentParser) -> None:
    """The options that choose one result of a run; each may be left out where one is left anyway."""
    parser.add_argument("--checkpoint", metavar="C", help="the result of this checkpoint")
    parser.add_argument("--regime", metavar="R", help="the result of this regime")
    parser.add_argument("--transform", metavar="T", help="the result of this transform")
