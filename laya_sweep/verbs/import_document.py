"""`import FILE --out DIR`: a published 51-language document with cases, as the tables of a run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from laya_sweep.errors import IncompleteError, combine_exit_codes, exit_code
from laya_sweep.language_table import read_language_table
from laya_sweep.published import import_document, read_document, result_table, verify_tables
from laya_sweep.store import require_writable
from laya_sweep.stored_run import StoredRun
from laya_sweep.verbs.arguments import Arguments

_EXIT_MISMATCH = 1


def main(words: Sequence[str]) -> int:
    """Import, and hold the figures recomputed from the tables against the published ones.

    Exit code 1 where they differ, 3 where a language of the report has no cases; the tables are written either way.
    """
    options = _parser().parse_args(words)
    document = read_document(options.file)
    require_writable(options.out, "--out")
    result = import_document(document, options.out)
    recomputed = result_table(StoredRun.open(options.out).results[0])
    published = read_language_table(options.file, "published document")
    outcome = verify_tables(recomputed, published)
    lines = [f"{len(document.cases)} cases of {len(result.ran)} language(s) in {options.out}", *outcome.lines()]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    agrees = all(metric.agrees for metric in outcome.metrics)
    incomplete = 0 if result.complete else exit_code(IncompleteError())
    return combine_exit_codes([0 if agrees else _EXIT_MISMATCH, incomplete])


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep import", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="a document that laya-eval or `export` wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run folder to make")
    return parser
