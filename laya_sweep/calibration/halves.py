"""The rows to fit on and the rows to judge by: two runs, or one run split by source and input; never a row in both."""

from __future__ import annotations

from dataclasses import dataclass

from laya_sweep.calibration.overlap import DatasetRow, joined_sources, rows_document, shared_rows, some_of
from laya_sweep.calibration.stored import Selection, StoredLogits, every_row, held_out, other_rows
from laya_sweep.errors import Problem, UsageError
from laya_sweep.store.stored_run import StoredResult


@dataclass(frozen=True)
class Halves:
    """Logits to fit on and to judge by, each with the part of its rows; `seed` is that of a split, else None."""

    fit: StoredLogits
    fit_part: Selection
    judge: StoredLogits
    judge_part: Selection
    seed: int | None

    @property
    def fit_rows(self) -> list[DatasetRow]:
        """The dataset rows of the fit."""
        return self.fit.dataset_rows(self.fit_part)


def halves_of(result: StoredResult, other: StoredResult | None, share: float, seed: int) -> Halves:
    """The halves: `result` and `other`, or without another a part of `result` held out by source and input.

    Raises:
        UsageError: no logits, one half is empty, the two runs are of different weights, or they share rows.
    """
    fit = StoredLogits(result)
    if other is None:
        judged = held_out(share, seed, joined_sources(fit.dataset_rows()))
        halves = Halves(fit, other_rows(judged), fit, judged, seed)
    else:
        _require_same_weights(result, other)
        halves = Halves(fit, every_row, StoredLogits(other), every_row, None)
    for logits, part, name in ((fit, halves.fit_part, "to fit on"), (halves.judge, halves.judge_part, "held out")):
        if not logits.labelled(part):
            step = "take a larger run, or name another with --heldout"
            raise UsageError(Problem(f"rows {name}", "labelled answers", "none", step))
    shared = shared_rows(rows_document(halves.fit_rows), halves.judge.dataset_rows(halves.judge_part))
    if shared and other is not None:
        step = "name a run over other rows"
        raise UsageError(Problem("--heldout", "rows that nothing is fitted on", some_of(shared), step))
    return halves


def _require_same_weights(one: StoredResult, other: StoredResult) -> None:
    """What is fitted on one checkpoint says nothing of another."""
    digests = [result.run.config["checkpoints"][result.checkpoint]["digests"] for result in (one, other)]
    if digests[0] != digests[1]:
        step = "name a run of the same weights, or its checkpoint with --heldout-checkpoint"
        raise UsageError(Problem("--heldout", f"a run of {one.checkpoint}'s weights", other.checkpoint, step))
