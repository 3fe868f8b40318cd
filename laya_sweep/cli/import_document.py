"""`import FILE --out DIR`: a published 51-language document with cases, as the tables of a run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from laya_sweep.cli.arguments import Arguments
from laya_sweep.documents.intake import imported_run
from laya_sweep.documents.language_table import read_language_table
from laya_sweep.documents.laya_eval import result_table
from laya_sweep.documents.published_document import read_document
from laya_sweep.documents.verification import verify_tables
from laya_sweep.errors import IncompleteError, combine_exit_codes, exit_code
from laya_sweep.files.atomic import require_writable, write_bytes, write_json
from laya_sweep.reports.markdown import markdown
from laya_sweep.store.run_folder import claim, write_tables
from laya_sweep.store.stored_run import StoredRun

_EXIT_MISMATCH = 1


def main(words: Sequence[str]) -> int:
    """Import, and hold the figures recomputed from the tables against the published ones.

    Exit code 1 where they differ, 3 where a language of the report has no cases; the tables are written either way.
    """
    options = _parser().parse_args(words)
    document = read_document(options.file)
    require_writable(options.out, "--out")
    tables, report, result = imported_run(document)
    with claim(options.out) as folder:
        write_tables(folder, tables)
        write_json(folder / "report.json", report)
        write_bytes(folder / "report.md", markdown([result]).encode("utf-8"))
    recomputed = result_table(StoredRun.open(options.out).results[0])
    published = read_language_table(options.file, "published document")
    outcome = verify_tables(recomputed, published)
    agrees = outcome.compared and not outcome.differing
    lines = [f"{len(document.cases)} cases of {len(result.ran)} language(s) in {options.out}", *outcome.lines()]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    incomplete = 0 if result.complete else exit_code(IncompleteError())
    return combine_exit_codes([0 if agrees else _EXIT_MISMATCH, incomplete])


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep import", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="a document that laya-eval or `export` wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run folder to make")
    return parser
