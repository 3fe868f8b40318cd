"""`advise RUN --target-accuracy A --out FILE`: the lowest min_confidence of each bucket that reaches an accuracy."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from laya_sweep.calibration.advice import CERTAINTY, Advice, Kept, advise, kept_by, map_of_advice
from laya_sweep.calibration.halves import Halves
from laya_sweep.calibration.stored import Selection
from laya_sweep.cli.arguments import Arguments
from laya_sweep.cli.halves import add_halves, read_halves
from laya_sweep.errors import Problem, UsageError
from laya_sweep.files.atomic import write_json
from laya_sweep.metrics.columns import DecisionColumns
from laya_sweep.results.columns import decision_columns
from laya_sweep.store.stored_run import StoredResult

_EXIT_NOT_REACHED = 1


def main(words: Sequence[str]) -> int:
    """Print a line a bucket and write the map; exit code 1 where no threshold of some bucket reaches the target."""
    options = _parser().parse_args(words)
    _check_share("--target-accuracy", options.target_accuracy)
    _check_share("--confidence", options.confidence)
    halves = read_halves(options, options.regime)
    _require_same_regime(halves)
    advices = advise(_columns(halves.fit.result, halves.fit_part), options.target_accuracy, options.confidence)
    if not advices:
        expected = "labelled choice or noul answers"
        raise UsageError(
            Problem(f"run {options.run}", expected, "none", "thresholds are of answers that are right or wrong")
        )
    thresholds = map_of_advice(advices)
    judged = kept_by(_columns(halves.judge.result, halves.judge_part), thresholds)
    head = (
        f"accepted answers right in at least {options.target_accuracy:g}, with {options.confidence:g} confidence a "
        "bucket (Clopper-Pearson, one-sided, shared out among the cuts that were tried)"
    )
    lines = [head, *_notes(halves.fit.result)]
    lines += [_line(entry, options.target_accuracy, judged.get(entry.bucket)) for entry in advices]
    if options.out is not None:
        write_json(options.out, thresholds)
        lines.append(f"min_confidence={options.out}  (buckets without answers here: default {CERTAINTY:g})")
    if options.json is not None:
        write_json(options.json, _document(options, halves, advices, judged, thresholds))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return _EXIT_NOT_REACHED if any(entry.threshold is None for entry in advices) else 0


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep advise", description=(__doc__ or "").splitlines()[0])
    add_halves(parser)
    parser.add_argument("--regime", metavar="R", help="whose confidences are gated")
    parser.add_argument("--target-accuracy", type=float, required=True, metavar="A", help="of accepted answers, as 0.9")
    parser.add_argument(
        "--confidence", type=float, default=0.95, metavar="V", help="that a bucket's bound holds (0.95)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="the map, to be used as min_confidence=FILE")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also all figures")
    return parser


def _check_share(name: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        step = "nothing can be promised to be always right" if value == 1.0 else "correct it"
        raise UsageError(Problem(name, "a number between 0 and 1", repr(value), step))


def _require_same_regime(halves: Halves) -> None:
    """A regime of one name may divide by other temperatures in another run: those confidences do not compare."""
    one, other = (_regime(logits.result) for logits in (halves.fit, halves.judge))
    if one != other:
        step = "run both with the same map"
        raise UsageError(Problem("--heldout", "a run with the same regime", "another of that name", step))


def _regime(result: StoredResult) -> dict[str, Any]:
    document = result.run.config["regimes"][result.regime]
    return {name: document.get(name) for name in ("kind", "temperature", "map", "lang_temperatures")}


def _columns(result: StoredResult, part: Selection) -> DecisionColumns:
    table = result.decisions
    inside = pa.array([part(source) for source in table["source_id"].to_pylist()], pa.bool_())
    return decision_columns(table.filter(inside))


def _notes(result: StoredResult) -> list[str]:
    regime = result.run.config["regimes"][result.regime]
    if regime.get("fitted_rows") == "allow":
        return [f"regime {result.regime} may have been fitted on these rows: then the bounds are too good"]
    return []


def _line(entry: Advice, target: float, judged: Kept | None) -> str:
    if entry.kept is None or entry.bound is None:
        told = f"no threshold reaches {target:g}: {entry.n} answers are too few, it takes {entry.needed} and all right"
        return f"{entry.bucket} {told}"
    seen = f"{_said(entry.kept)}, at least {entry.bound:.4f}"
    if entry.threshold is None:
        return f"{entry.bucket} no threshold reaches {target:g}: the best of {entry.candidates} cuts {seen}"
    held = "; held out: no such answers" if judged is None else f"; held out: {_said(judged)}{_interval(judged)}"
    return f"{entry.bucket} min_confidence={entry.threshold:.4f} {seen}{held}"


def _said(kept: Kept) -> str:
    precision = "nothing" if kept.precision is None else f"{kept.precision:.4f} right"
    return f"keeps {kept.coverage:.4f} ({kept.accepted} of {kept.n}), {precision}"


def _interval(kept: Kept) -> str:
    return "" if kept.interval is None else f" [{kept.interval.low:.4f}, {kept.interval.high:.4f}]"


def _document(
    options: argparse.Namespace,
    halves: Halves,
    advices: Sequence[Advice],
    judged: dict[str, Kept],
    thresholds: dict[str, float],
) -> dict[str, Any]:
    buckets = {
        entry.bucket: {
            "threshold": entry.threshold,
            "candidates": entry.candidates,
            "bound": entry.bound,
            "calibration": None if entry.kept is None else entry.kept.document(),
            "held_out": judged[entry.bucket].document() if entry.bucket in judged else None,
        }
        for entry in advices
    }
    return {
        "result": str(halves.fit.result.key),
        "target_accuracy": options.target_accuracy,
        "confidence": options.confidence,
        "held_out_seed": halves.seed,
        "min_confidence": thresholds,
        "buckets": buckets,
    }
