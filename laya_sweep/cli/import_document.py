"""`import FILE --out DIR`: a published document as a run; one without cases as its figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laya_sweep.cli.arguments import Arguments
from laya_sweep.documents.figures_intake import imported_figures
from laya_sweep.documents.intake import Imported, Names, imported_run
from laya_sweep.documents.language_table import read_language_table
from laya_sweep.documents.laya_eval import result_table
from laya_sweep.documents.metamorphic import metamorphic_document
from laya_sweep.documents.metamorphic_intake import imported_metamorphic
from laya_sweep.documents.published_document import read_document
from laya_sweep.documents.verification import Verification, verify_tables
from laya_sweep.domain.identity import digest_file
from laya_sweep.domain.settings import BASELINE
from laya_sweep.errors import IncompleteError, Problem, UsageError, combine_exit_codes, exit_code
from laya_sweep.files.atomic import require_writable, write_bytes, write_json
from laya_sweep.files.json_file import read_object
from laya_sweep.reports.markdown import markdown
from laya_sweep.store.run_folder import claim, clear_run, write_tables
from laya_sweep.store.stored_run import TIMING_FILE, StoredRun

_EXIT_MISMATCH = 1

#: What a document without cases does not tell; the verbs say the same, each of its own.
_FIGURES_ALONE = "figures alone: they can be compared and gated, and not be derived again"


def main(words: Sequence[str]) -> int:
    """Import, and hold the figures recomputed from the tables against the published ones.

    Exit code 1 where they differ, 3 where a language of the report has no cases; the tables are written either way.
    """
    options = _parser().parse_args(words)
    imported = _imported(options)
    require_writable(options.out, "--out")
    with claim(options.out) as folder:
        _require_free(folder, digest_file(options.file), overwrite=options.overwrite)
        clear_run(folder)
        write_tables(folder, imported.tables)
        write_bytes(folder / "report.md", markdown(imported.results).encode("utf-8"))
        if imported.marks:
            write_json(folder / TIMING_FILE, {"min_confidence": [*imported.marks]})
        write_json(folder / "report.json", imported.report)
    lines, agrees = _told(imported, options)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    incomplete = 0 if all(result.complete for result in imported.results) else exit_code(IncompleteError())
    return combine_exit_codes([0 if agrees else _EXIT_MISMATCH, incomplete])


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep import", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="a document that laya-eval, laya-evals or export wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the run folder to make")
    parser.add_argument(
        "--as", dest="names", metavar="CHECKPOINT/REGIME", help="what to call them, so that runs can be compared"
    )
    parser.add_argument("--model", metavar="M", help="which model of a part_a.by_model document")
    parser.add_argument("--branch", metavar="B", help="which branch of a per_language.<lang>.<branch> document")
    parser.add_argument("--overwrite", action="store_true", help="replace another run that is in DIR")
    return parser


def _imported(options: argparse.Namespace) -> Imported:
    document, names = read_object(options.file, "published document"), _names(options.names)
    chosen = {"model": options.model, "branch": options.branch}
    if "results" in document and "cases" in document:
        _refuse_idle(chosen)
        return imported_metamorphic(document, str(options.file), digest_file(options.file), names)
    if "cases" in document and "overall" not in document:
        _refuse_idle(chosen)
        return imported_run(read_document(options.file), names)
    imported = imported_figures(document, str(options.file), digest_file(options.file), names, chosen)
    _refuse_idle({name: value for name, value in chosen.items() if _SHAPE_OF[name] not in document})
    return imported


#: Selector -> the key of the documents that have it.
_SHAPE_OF = {"model": "part_a", "branch": "per_language"}


def _names(text: str | None) -> Names:
    if text is None:
        return Names()
    checkpoint, _, regime = text.rpartition("/")
    if not checkpoint or not regime:
        raise UsageError(Problem("--as", "CHECKPOINT/REGIME, as english/served", repr(text), "name both"))
    return Names(checkpoint, regime)


def _refuse_idle(chosen: dict[str, str | None]) -> None:
    for name, value in chosen.items():
        if value is not None:
            got = f"{value!r} for a document that has none"
            raise UsageError(Problem(f"--{name}", "a document with several to choose from", got, "drop it"))


def _require_free(folder: Path, sha256: str, *, overwrite: bool) -> None:
    """The rule of run folders: the same request replaces what is there, another does not unless it is told to.

    Raises:
        UsageError: another run is in the folder.
    """
    if overwrite or not (folder / "report.json").is_file():
        return
    own: Any = read_object(folder / "report.json", "report").get("config")
    before = own.get("imported") if isinstance(own, dict) else None
    if isinstance(before, dict) and before.get("sha256") == sha256:
        return
    got = "another imported document" if isinstance(before, dict) else "a run of a sweep"
    step = "name another folder, or add --overwrite"
    raise UsageError(Problem(f"--out {folder}", "a folder without a run, or with this import", got, step))


def _told(imported: Imported, options: argparse.Namespace) -> tuple[list[str], bool]:
    """What was imported, in words, and whether its figures are those that the document says."""
    if "decisions" not in imported.tables:
        counted = f"{imported.tables['metrics'].num_rows} figures of {len(imported.results[0].ran)} language(s)"
        return [f"{counted} in {options.out}", _FIGURES_ALONE], True
    if len(imported.results) > 1:
        return _told_of_transforms(imported, options)
    recomputed = result_table(StoredRun.open(options.out).results[0])
    outcome = verify_tables(recomputed, read_language_table(options.file, "published document"))
    agrees = outcome.compared and not outcome.differing
    cases = imported.tables["decisions"].num_rows
    head = f"{cases} cases of {len(imported.results[0].ran)} language(s) in {options.out}"
    return [head, *outcome.findings(), _verdict(outcome)], agrees


def _told_of_transforms(imported: Imported, options: argparse.Namespace) -> tuple[list[str], bool]:
    """A document of all transforms is the same again, or its report is not that of its cases."""
    again = metamorphic_document(StoredRun.open(options.out).select(transform=BASELINE))
    agrees = again["report"] == read_object(options.file, "published document")["report"]
    head = f"{imported.tables['decisions'].num_rows} answers of {len(imported.results)} transforms in {options.out}"
    return [head, "all agree: the report follows from the cases" if agrees else "MISMATCH: report"], agrees


def _verdict(outcome: Verification) -> str:
    """Only what the document tells is held against the tables; a figure that they do not give is named above."""
    size = f"{len(outcome.metrics)} metric(s) over {len(outcome.shared)} language(s)"
    if not outcome.compared:
        return "MISMATCH: the document has no figure that its cases give, so nothing was verified"
    if outcome.differing:
        return f"MISMATCH: {', '.join(outcome.differing)} ({size})"
    return f"all agree: {size}"
