"""The options that say which rows are fitted on and which judge the fit."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from laya_sweep.calibration.halves import Halves, halves_of
from laya_sweep.errors import Problem, UsageError
from laya_sweep.store.stored_run import StoredRun


def add_halves(parser: argparse.ArgumentParser) -> None:
    """The run, its split by name, and what is held out."""
    parser.add_argument("run", type=Path, metavar="RUN", help="out_dir of a run over the calibration split")
    parser.add_argument("--split", metavar="S", help="refuse a run over another split than this")
    parser.add_argument("--checkpoint", metavar="C", help="the checkpoint to fit")
    parser.add_argument("--transform", metavar="T", help="the transform to fit on")
    parser.add_argument("--heldout", type=Path, metavar="RUN2", help="a run over the rows to judge by")
    parser.add_argument("--heldout-checkpoint", metavar="C", help="its name there; default: the same")
    parser.add_argument(
        "--heldout-share", type=float, default=0.3, metavar="V", help="without --heldout: share of sources (0.3)"
    )
    parser.add_argument("--seed", type=int, default=13, help="of that share (13)")


def read_halves(options: argparse.Namespace, regime: str | None, *, any_regime: bool = False) -> Halves:
    """What the options name; where only logits are wanted `any_regime` will do, since all have the same.

    Raises:
        UsageError: a run, name or share is wrong.
    """
    share = options.heldout_share
    if not (math.isfinite(share) and 0.0 < share < 1.0):
        raise UsageError(Problem("--heldout-share", "a number between 0 and 1", repr(share), "for example 0.3"))
    run = StoredRun.open(options.run)
    _require_split(run, options.split)
    result = run.select(options.checkpoint, _first_regime(run) if any_regime else regime, options.transform)
    other = None
    if options.heldout is not None:
        second = StoredRun.open(options.heldout)
        name = options.heldout_checkpoint or result.checkpoint
        other = second.select(name, _first_regime(second) if any_regime else result.regime, result.transform)
    return halves_of(result, other, share, options.seed)


def _first_regime(run: StoredRun) -> str | None:
    return run.results[0].regime if run.results else None


def _require_split(run: StoredRun, wanted: str | None) -> None:
    split = run.config.get("dataset", {}).get("split") or None
    if wanted is not None and split != wanted:
        problem = Problem(f"run {run.folder}", f"the split {wanted}", f"{split or 'no split'}", "name a run over it")
        raise UsageError(problem)
