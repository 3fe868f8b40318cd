"""`verify RUN_OR_JSON --against PUBLISHED.json`: per-language figures, cell by cell, against published ones."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from laya_sweep.cli.arguments import Arguments, add_result_selectors
from laya_sweep.documents.language_table import LanguageTable, read_language_table
from laya_sweep.documents.laya_eval import result_table
from laya_sweep.documents.verification import verify_tables
from laya_sweep.errors import Problem, UsageError
from laya_sweep.store.stored_run import StoredRun

_EXIT_MISMATCH = 1


def main(words: Sequence[str]) -> int:
    """Print one line a metric, what could not be compared, and the verdict; exit code 1 on a mismatch."""
    options = _parser().parse_args(words)
    right = read_language_table(options.against, "--against", options.model, options.branch)
    left = _left(options)
    _refuse_idle_selectors(options, left, right)
    outcome = verify_tables(left, right)
    sys.stdout.write("".join(f"{line}\n" for line in outcome.lines()))
    return 0 if outcome.agrees else _EXIT_MISMATCH


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep verify", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("candidate", type=Path, metavar="RUN_OR_JSON", help="out_dir of a run, or a published document")
    parser.add_argument("--against", type=Path, required=True, metavar="FILE", help="the published document")
    parser.add_argument("--model", metavar="M", help="which model of a part_a.by_model document, on either side")
    parser.add_argument(
        "--branch", metavar="B", help="which branch of a per_language.<lang>.<branch> document, on either side"
    )
    parser.add_argument("--left-model", metavar="M", help="which model of RUN_OR_JSON, where it is another")
    parser.add_argument("--left-branch", metavar="B", help="which branch of RUN_OR_JSON, where it is another")
    add_result_selectors(parser)
    return parser


def _left(options: argparse.Namespace) -> LanguageTable:
    selectors = {f"--{name}": getattr(options, name) for name in ("checkpoint", "regime", "transform")}
    if (options.candidate / "report.json").is_file() or options.candidate.is_dir():
        return result_table(StoredRun.open(options.candidate).select(*selectors.values()))
    if given := [name for name, value in selectors.items() if value is not None]:
        problem = Problem(", ".join(given), "a run folder to select from", f"the file {options.candidate}", "drop it")
        raise UsageError(problem)
    model, branch = (own if own is not None else both for own, both in _selected(options).values())
    return read_language_table(options.candidate, "candidate", model, branch)


def _selected(options: argparse.Namespace) -> dict[str, tuple[str | None, str | None]]:
    """Selector -> what the left side alone was given, and what was given for whichever side has a choice."""
    return {
        "--model": (options.left_model, options.model),
        "--branch": (options.left_branch, options.branch),
    }


def _refuse_idle_selectors(options: argparse.Namespace, left: LanguageTable, right: LanguageTable) -> None:
    """A selector that no document it is for has a place for would be an option that goes nowhere."""
    for name, (own, both) in _selected(options).items():
        used = name in right.selectors or (own is None and name in left.selectors)
        idle = [(name, both)] if both is not None and not used else []
        idle += [(f"--left-{name[2:]}", own)] if own is not None and name not in left.selectors else []
        for option, value in idle:
            got = f"{value!r} for documents that have none"
            raise UsageError(Problem(option, "a document with several to choose from", got, "drop it"))
