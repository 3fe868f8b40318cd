"""The one judge of results: everything they are asked, and a verdict for each of them.

A sweep judges what it has just written by reading it back, and the verbs judge what was written before, so a gate
that is added later meets the same figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from laya_sweep.domain.result_key import GatedKey, ResultKey
from laya_sweep.files.atomic import write_json
from laya_sweep.gates.door import Door
from laya_sweep.gates.figure_name import is_among
from laya_sweep.gates.judgement import Demands, Pairing, judge
from laya_sweep.gates.part import Part
from laya_sweep.gates.verdict import Verdict
from laya_sweep.judging.baselines import Baselines
from laya_sweep.judging.opened import OpenResult, open_figures
from laya_sweep.store.stored_run import StoredRun


class Judged(NamedTuple):
    """A verdict and what it is about: a result, one of its thresholds, or a document."""

    result: GatedKey | ResultKey | str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Gate:
    """Everything a result is asked, read and checked before any model loads.

    Attributes:
        demands: what is asked.
        baselines: what results are compared with.
        door: by which it was called, which is how advice is spelled.
    """

    demands: Demands
    baselines: Baselines | None = None
    door: Door = Door.PYTHON

    def __bool__(self) -> bool:
        return bool(self.demands.thresholds) or self.demands.policy is not None or self.baselines is not None

    def foresee(self, keys: Iterable[GatedKey], home: Path | None) -> None:
        """Refuse what is known to be wrong of the results of a sweep before any of them is computed.

        Raises:
            UsageError: one of them has no baseline among those named, or would be its own.
        """
        if self.baselines is not None:
            self.baselines.foresee([*keys], home)

    def judge(self, results: Iterable[OpenResult]) -> list[Judged]:
        """Verdicts on some results: one each, or of several thresholds of one result one on what no threshold moves
        and one each on what it moves, where that is asked.

        Raises:
            UsageError: a run as baseline has no such result, or the gate cannot be applied to one.
        """
        groups: dict[ResultKey | str, list[OpenResult]] = {}
        for result in results:
            groups.setdefault(result.name.result if isinstance(result.name, GatedKey) else result.name, []).append(
                result
            )
        judged = []
        for key, group in groups.items():
            if len(group) == 1:
                judged.append(self._judged(group[0]))
            else:
                parts = [self._judged(group[0], Part.UNMOVED, key), *(self._judged(own, Part.MOVED) for own in group)]
                judged += [part for part in parts if _says_something(part.verdict)] or parts[:1]
        return judged

    def _judged(
        self, result: OpenResult, part: Part = Part.WHOLE, name: GatedKey | ResultKey | str | None = None
    ) -> Judged:
        demands, compared = self.demands, None
        notes: tuple[str, ...] = ()
        other = None if self.baselines is None else self.baselines.of(result)
        if other is not None:
            assert self.baselines is not None
            baseline = other.facing(result)
            if self.baselines.languages is not None:
                baseline = baseline.restricted(languages=self.baselines.languages)
            compared = Pairing(result.facing(other), baseline)
            notes = _other_name(result, other)
        elif self.baselines is not None:
            demands, notes = replace(demands, tolerances={}, only=None), ("compared with nothing: it has no baseline",)
        verdict = judge(result.card, demands, compared, part)
        shown = result.name if name is None else name
        title = verdict.candidate.replace(str(result.name), str(shown))
        return Judged(shown, replace(verdict, candidate=title, notes=(*notes, *verdict.notes)))


def _says_something(verdict: Verdict) -> bool:
    """Whether it judged more than that a threshold is the same on both sides."""
    return any(check.kind != "comparability" or not check.passed for check in verdict.checks)


def _other_name(result: OpenResult, other: OpenResult) -> tuple[str, ...]:
    """Says so where a result is compared with one of another checkpoint, regime or transform."""
    if isinstance(result.name, GatedKey) and isinstance(other.name, GatedKey) and result.name[0] != other.name[0]:
        return (f"compared with {other.name.result}",)
    return ()


def judge_run(folder: Path, gate: Gate) -> list[Judged]:
    """A verdict for every result of a run.

    Raises:
        UsageError: the folder holds no readable run, or the gate cannot be applied to it.
    """
    return gate.judge(open_figures(StoredRun.open(folder), "candidate").results)


def write_verdicts(path: Path, judged: Iterable[Judged]) -> None:
    """verdict.json: one entry a result."""
    entries = [{"result": str(name), **verdict.document()} for name, verdict in judged]
    write_json(path, {"passed": all(entry["passed"] for entry in entries), "results": entries})


def verdict_lines(judged: Sequence[Judged], door: Door, *, everything: bool = False) -> list[str]:
    """All verdicts in words, and what a person may do about them, in the spelling of the door."""
    rest = door.everything
    lines = [f"{name}: {line}" for name, verdict in judged for line in verdict.lines(everything=everything, rest=rest)]
    return [*lines, *(f"note: {advice}" for advice in _advice(judged, door))]


def _advice(judged: Sequence[Judged], door: Door) -> Iterator[str]:
    checks = [check for _, verdict in judged for check in verdict.checks]
    asked = judged[0].verdict.asked if judged else {}
    named = {*asked.get("tolerances", ()), *asked.get("only", ())}
    if any(check.kind == "baseline" and check.figure and not is_among(named, check.figure) for check in checks):
        only, own = door.written("only", "METRIC,METRIC"), door.option("tolerance")
        only = only if door is Door.COMMAND else door.written("only", "[METRIC,METRIC]")
        yield f"without a tolerance of its own a figure is held to 0: {only} chooses what is judged, {own} how far"
    if any(check.limit_name == "max_errored_share" and not check.passed for check in checks):
        yield f"a share of cases without an answer is allowed by {door.written('max_errored_share', 'SHARE')}"
