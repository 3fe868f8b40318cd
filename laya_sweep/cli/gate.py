"""`gate RUN ...` and `compare RUN --baseline X`: the gates on results that were made before."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from laya_sweep.cli.arguments import Arguments, add_result_selectors, threshold_of
from laya_sweep.domain.result_key import GatedKey
from laya_sweep.domain.settings import BaselinePaths, GateSettings
from laya_sweep.errors import Problem, UsageError, name_list, one_line
from laya_sweep.gates.door import Door
from laya_sweep.gates.limits import limits_from_words
from laya_sweep.judging.gate import verdict_lines, write_verdicts
from laya_sweep.judging.opened import Opened, OpenResult, open_figures
from laya_sweep.judging.preparation import prepare_gate


def main(words: Sequence[str]) -> int:
    """Judge every selected result of a run; exit code 1 when a check fails."""
    return _judge("gate", "thresholds, a policy or a baseline on the results of a run", words)


def compare(words: Sequence[str]) -> int:
    """Judge a run or report against a baseline; exit code 1 when it drifted or cannot be compared."""
    return _judge("compare", "a run or report against a baseline", words, needs_baseline=True)


def _judge(verb: str, what: str, words: Sequence[str], *, needs_baseline: bool = False) -> int:
    options = _parser(verb, what, needs_baseline=needs_baseline).parse_args(words)
    settings = _settings(options)
    found = open_figures(options.candidate, "candidate", model=settings.model, branch=settings.branch)
    gate = prepare_gate(settings, _baseline(options.baseline, found), Door.COMMAND, found)
    if not gate:
        expected = "something to judge by: --min, --max, --min-accuracy, --max-ece, --policy or --baseline"
        raise UsageError(Problem(f"laya_sweep {verb}", expected, "none", f"see laya_sweep {verb} --help"))
    judged = gate.judge(_selected(found, options))
    sys.stdout.write("".join(f"{line}\n" for line in verdict_lines(judged, Door.COMMAND, everything=options.all)))
    if options.json is not None:
        write_verdicts(options.json, judged)
    return max(verdict.exit_code for _, verdict in judged)


def _selected(found: Opened, options: argparse.Namespace) -> list[OpenResult]:
    """Results of the run that the selectors leave; a selector that leaves none, or has nothing to choose from, is a
    mistake."""
    names = ("checkpoint", "regime", "transform")
    wanted = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.min_confidence is not None:
        wanted["min_confidence"] = threshold_of(options.min_confidence)
    keyed = [(result.name, result) for result in found.results if isinstance(result.name, GatedKey)]
    if not keyed:
        if wanted:
            given = ", ".join(f"--{name.replace('_', '-')}" for name in wanted)
            got = f"{options.candidate}, which holds one result"
            raise UsageError(Problem(given, "a run or its report.json to select from", got, "drop it"))
        return [*found.results]
    known = [({**key.result._asdict(), "min_confidence": key.min_confidence}, result) for key, result in keyed]
    chosen = [result for own, result in known if all(own[name] == value for name, value in wanted.items())]
    if not chosen:
        there = "; ".join(str(key) for key, _ in keyed)
        step = "name one of them"
        raise UsageError(Problem(f"run {options.candidate}", "selectors that leave a result", there, step))
    return chosen


def _settings(options: argparse.Namespace) -> GateSettings:
    return GateSettings(
        mode=options.mode,
        min_accuracy=options.min_accuracy,
        max_ece=options.max_ece,
        min=limits_from_words(options.min, "--min"),
        max=limits_from_words(options.max, "--max"),
        tolerance=limits_from_words(options.tolerance, "--tolerance"),
        tolerances=options.tolerances,
        policy=options.policy,
        two_sided=options.two_sided,
        max_errored_share=options.max_errored_share,
        model=options.model,
        branch=options.branch,
        languages=None if options.languages is None else tuple(dict.fromkeys(options.languages.split(","))),
        only=tuple(dict.fromkeys(name for word in options.only for name in word.split(","))) or None,
        baseline_checkpoint=options.baseline_checkpoint,
        baseline_regime=options.baseline_regime,
        baseline_transform=options.baseline_transform,
    )


def _baseline(words: Sequence[str], candidate: Opened) -> BaselinePaths:
    """The word of --baseline, or words NAME=X, one for each checkpoint of the candidate.

    Raises:
        UsageError: several words of which one names no checkpoint, or names one twice.
    """
    known = {result.name.result.checkpoint for result in candidate.results if isinstance(result.name, GatedKey)}
    if len(words) < 2 and not any(word.partition("=")[0] in known and "=" in word for word in words):
        return Path(words[0]) if words else None
    found: dict[str, Path | None] = {}
    for word in words:
        name, sign, path = word.partition("=")
        if not sign or name not in known or name in found:
            expected = f"one baseline, or NAME=X once for each checkpoint ({name_list(sorted(known), name) or 'none'})"
            raise UsageError(Problem("--baseline", expected, one_line(word), "correct the word"))
        found[name] = None if path == "null" else Path(path)
    return found


def _parser(verb: str, what: str, *, needs_baseline: bool) -> Arguments:
    parser = Arguments(prog=f"laya_sweep {verb}", description=f"Judge {what}.")
    parser.add_argument(
        "candidate", type=Path, metavar="RUN_OR_JSON", help="out_dir of a run, its report.json, or another report"
    )
    parser.add_argument(
        "--baseline",
        action="append",
        default=[],
        required=needs_baseline,
        metavar="X",
        help="a run or a JSON document; NAME=X, which may be repeated, is that of one checkpoint",
    )
    for name in ("checkpoint", "regime", "transform"):
        said = f"the {name} whose results are the baseline, if not that of the same name"
        parser.add_argument(f"--baseline-{name}", metavar=name[0].upper(), help=said)
    parser.add_argument("--min-accuracy", type=float, metavar="V", help="choice accuracy, else noul accuracy")
    parser.add_argument("--max-ece", type=float, metavar="V")
    for name, said in (
        ("--min", "a metric's least value"),
        ("--max", "its largest value"),
        ("--tolerance", "its drift"),
    ):
        parser.add_argument(name, action="append", default=[], metavar="METRIC=V", help=f"{said}; may be repeated")
    parser.add_argument("--tolerances", type=Path, metavar="FILE", help="tolerances as a JSON map")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="a gate policy, version 1")
    parser.add_argument("--mode", choices=("strict", "compatible"), help="default: strict between runs of ours")
    parser.add_argument("--two-sided", action="store_true", help="an improvement beyond the tolerance fails too")
    parser.add_argument("--max-errored-share", type=float, default=0.0, metavar="V")
    parser.add_argument("--model", metavar="M", help="which model of a published part_a.by_model document")
    parser.add_argument(
        "--branch", metavar="B", help="which branch of a published per_language.<lang>.<branch> document"
    )
    parser.add_argument("--languages", metavar="L,L", help="compare with the baseline in these languages alone")
    add_result_selectors(parser)
    parser.add_argument("--min-confidence", metavar="T", help="the result of this threshold or map; none for none")
    said = "which metrics are compared with the baseline, macro.METRIC too; may be repeated"
    parser.add_argument("--only", action="append", default=[], metavar="METRIC,METRIC", help=said)
    parser.add_argument(
        "--all", action="store_true", help="every check, those that passed too, and not 15 lines a result"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the verdicts")
    return parser
