"""`validate FILE`: a labelled JSONL file checked without a model: what is in it, or every fault at once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path

from laya_sweep.cli.arguments import Arguments
from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.errors import Problem, UsageError
from laya_sweep.suites.labelled import LabelledSet, read_labelled
from laya_sweep.suites.score_scale import OffScale, off_scale, refuse_off_scale

#: Values of a field that are listed; a set may have as many tags as rows.
_LISTED = 30


def main(words: Sequence[str]) -> int:
    """Print what a file holds; with --template print a commented example of one."""
    options = _parser().parse_args(words)
    if options.template == (options.file is not None):
        raise UsageError(Problem("validate", "a FILE or --template", "both" if options.template else "neither", _HELP))
    if options.strict and options.template:
        raise UsageError(Problem("validate", "--strict with a FILE", "--template", _HELP))
    if options.template:
        sys.stdout.write(resources.files("laya_sweep.suites").joinpath("template.jsonl").read_text("utf-8"))
    else:
        labelled = read_labelled(options.file)
        if options.strict:
            refuse_off_scale(_off_scale(labelled))
        sys.stdout.write("".join(f"{line}\n" for line in summary(labelled)))
    return 0


def summary(labelled: LabelledSet) -> Iterator[str]:
    """The lines about a set: rows, questions, labels, and the values to slice by."""
    examples = labelled.examples
    kinds = Counter(question["type"] for one in examples for question in one.questions.values())
    labels = Counter(one.questions[qid]["type"] for one in examples for qid in one.expected)
    asked, answered = sum(kinds.values()), sum(labels.values())
    yield f"{labelled.path}: {len(examples)} rows, {asked} questions, {answered} of them labelled"
    yield "types: " + ", ".join(f"{kind} {kinds[kind]} ({labels[kind]} labelled)" for kind in sorted(kinds))
    yield "questions: " + _counts(qid for one in examples for qid in one.questions)
    yield "languages: " + _counts(one.language or "(none)" for one in examples)
    yield "tags: " + _counts(tag for one in examples for tag in one.tags)
    yield "forced models: " + _counts(one.model for one in examples if one.model is not None)
    if labelled.unread:
        yield "fields that are not read: " + ", ".join(f"{key} {n}" for key, n in sorted(labelled.unread.items()))
    yield from (f"note: {one.note()}" for one in _off_scale(labelled))
    yield f"dataset_sha256: {labelled.sha256}"
    yield f"questions_sha256: {questions_fingerprint(examples)}"


def _off_scale(labelled: LabelledSet) -> list[OffScale]:
    return off_scale((f"line {example.line}", example) for example in labelled.examples)


_HELP = "see validate --help"


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep validate", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a labelled JSONL file")
    parser.add_argument("--strict", action="store_true", help="right scores outside their scale are faults")
    parser.add_argument("--template", action="store_true", help="print a commented example and stop")
    return parser


def _counts(values: Iterable[str]) -> str:
    counted = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [f"{' '.join(value.split())} {n}" for value, n in counted[:_LISTED]]
    more = [f"and {len(counted) - _LISTED} more"] if len(counted) > _LISTED else []
    return ", ".join([*shown, *more]) or "none"
