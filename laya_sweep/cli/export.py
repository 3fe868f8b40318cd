"""`export RUN --format F`: one result of a run as a document that other tools read."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laya_sweep.cli.arguments import Arguments, add_result_selectors, threshold_of
from laya_sweep.documents.imported_document import imported_document
from laya_sweep.documents.laya_eval import laya_eval_document
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.documents.metamorphic import metamorphic_document
from laya_sweep.documents.shape import LAYA_EVALS, METAMORPHIC, SHAPES_WRITTEN
from laya_sweep.domain.settings import BASELINE
from laya_sweep.domain.thresholds import MinConfidence, shown
from laya_sweep.errors import OutputError, Problem, UsageError
from laya_sweep.files.atomic import write_json
from laya_sweep.store.stored_run import StoredResult, StoredRun


def main(words: Sequence[str]) -> int:
    """Write the document to --out, or to the standard output."""
    options = _parser().parse_args(words)
    result = StoredRun.open(options.run).select(options.checkpoint, options.regime, _transform(options))
    document = _document(result, options)
    if options.out is None:
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        return 0
    try:
        write_json(options.out, document)
    except OSError as error:
        raise OutputError(
            Problem(f"--out {options.out}", "a file that can be written", str(error), "name another")
        ) from error
    return 0


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep export", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, metavar="RUN", help="out_dir of a run, or what `import` made")
    parser.add_argument(
        "--format",
        required=True,
        choices=SHAPES_WRITTEN,
        help="laya-eval: the published 51-language document; laya-evals: a report that `laya-evals compare` reads; "
        "laya-metamorphic: the baseline and every transform beside it",
    )
    add_result_selectors(parser)
    parser.add_argument(
        "--min-confidence",
        metavar="T",
        help="laya-evals: the threshold or map whose abstention marks the answers carry, or none for no marks",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write here instead of to the standard output")
    return parser


def _document(result: StoredResult, options: argparse.Namespace) -> dict[str, Any]:
    imported_document(result, options.format)
    if options.format == LAYA_EVALS:
        return laya_evals_document(result, _threshold(result, options.min_confidence))
    if options.min_confidence is not None:
        step = "drop it, or export --format laya-evals"
        got = f"{options.format}, which has none"
        raise UsageError(Problem("--min-confidence", "a format that holds marks", got, step))
    return metamorphic_document(result) if options.format == METAMORPHIC else laya_eval_document(result)


def _transform(options: argparse.Namespace) -> str | None:
    """The transform that was named; a document of all of them starts from the baseline.

    Raises:
        UsageError: one was named for a document that holds all.
    """
    if options.format != METAMORPHIC:
        return str(options.transform) if options.transform is not None else None
    if options.transform not in (None, BASELINE):
        step = "drop it, or export another format"
        raise UsageError(Problem("--transform", f"none for {METAMORPHIC}", repr(options.transform), step))
    return BASELINE


def _threshold(result: StoredResult, wanted: str | None) -> MinConfidence:
    """The one threshold of the run that was asked for; no marks at all is always there to ask for.

    Raises:
        UsageError: none was named and the run has several, or the named one is not among them.
    """
    known = result.run.thresholds
    if wanted is None and len(known) < 2:
        return known[0] if known else None
    if wanted is not None and (asked := threshold_of(wanted)) in [*known, None]:
        return asked
    names = ", ".join(dict.fromkeys(map(shown, [*known, None])))
    got = f"{len(known)} results that differ in it" if wanted is None else repr(wanted)
    raise UsageError(Problem("--min-confidence", f"one of {names}", got, "name one of them"))
