"""What a gate found: every check with its numbers, as a document, as words, and as an exit code."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from laya_sweep.domain.slices import MACRO, OVERALL, SlicePlace
from laya_sweep.errors import one_line
from laya_sweep.gates.door import Door
from laya_sweep.gates.mode import Mode
from laya_sweep.gates.scorecard import Count, FigureKey, Scorecard
from laya_sweep.metrics.interval import Interval

VERDICT_SCHEMA: Final = "laya-sweep-verdict/1"

#: Lines of a verdict at most, unless everything is asked for.
LINES: Final = 15

#: data: something was not measured at all. comparability: two results are not one measurement.
Kind: TypeAlias = Literal["data", "comparability", "threshold", "baseline", "policy"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure as one side has it."""

    value: float | None
    count: Count | None
    interval: Interval | None

    def __str__(self) -> str:
        if self.value is None:
            return "no value"
        limits = "" if self.interval is None else f" [{self.interval.low:.4f}, {self.interval.high:.4f}]"
        return f"{self.value:.4f}{limits}{_counts(self.count)}"

    def document(self) -> dict[str, Any]:
        """As JSON values; a value that is not finite is its name."""
        count, interval = self.count, self.interval
        return {
            "value": _json_number(self.value),
            "n": None if count is None else count.scored,
            "accepted": None if count is None else count.accepted,
            "low": None if interval is None else _json_number(interval.low),
            "high": None if interval is None else _json_number(interval.high),
        }


@dataclass(frozen=True, slots=True)
class Check:
    """One question a gate asked, and the answer.

    Attributes:
        limit_name: min, max, tolerance, max_drop or max_increase; None for checks without a limit.
        drift: how far the candidate is from the baseline, in the direction the limit watches.
    """

    kind: Kind
    passed: bool
    message: str
    figure: FigureKey | None = None
    candidate: Measured | None = None
    baseline: Measured | None = None
    limit_name: str | None = None
    limit: float | None = None
    drift: float | None = None

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "kind": self.kind,
            "passed": self.passed,
            "message": self.message,
            **({} if self.figure is None else self.figure._asdict()),
            "candidate": None if self.candidate is None else self.candidate.document(),
            "baseline": None if self.baseline is None else self.baseline.document(),
            "limit_name": self.limit_name,
            "limit": _json_number(self.limit),
            "drift": _json_number(self.drift),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of one judgement. `asked` is what was to be judged (thresholds, tolerances, policy), as JSON."""

    candidate: str
    baseline: str | None
    mode: Mode
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    asked: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether every check passed; without a gate there is nothing to fail."""
        return all(check.passed for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0, or 1 for a quality failure."""
        return 0 if self.passed else 1

    @property
    def failures(self) -> list[Check]:
        """The checks that failed, in the order they were made."""
        return [check for check in self.checks if not check.passed]

    def document(self) -> dict[str, Any]:
        """The content of verdict.json: no time, no machine, no NaN."""
        return {
            "schema": VERDICT_SCHEMA,
            "passed": self.passed,
            "mode": self.mode,
            "candidate": self.candidate,
            "baseline": self.baseline,
            "asked": dict(self.asked),
            "checks": [check.document() for check in self.checks],
            "notes": list(self.notes),
        }

    def lines(self, *, everything: bool = False, rest: str = Door.PYTHON.everything) -> list[str]:
        """For the terminal: what failed and why, notes, and a summary that counts what passed; at most `LINES`.

        Args:
            everything: every check instead, those that passed first.
            rest: where the failures stand that are left out.
        """
        first = sorted(self.failures, key=lambda check: check.kind not in ("data", "comparability"))
        failed = [f"FAIL: {check.message}" for check in (self.failures if everything else first)]
        notes = [f"note: {note}" for note in self.notes]
        if everything:
            return [*(check.message for check in self.checks if check.passed), *failed, *notes, self.summary()]
        room = max(LINES - len(notes) - 1, 2)
        if len(failed) > room:
            failed[room - 1 :] = [f"and {len(failed) - room + 1} more that failed; {rest}"]
        return [*failed, *notes, self.summary()]

    def summary(self) -> str:
        """One line: how many checks, and how they ended."""
        if not self.checks:
            return "no gate was asked for"
        failed = len(self.failures)
        end = "all passed" if not failed else f"{failed} failed, {len(self.checks) - failed} passed"
        return f"gate {'passed' if self.passed else 'failed'}: {len(self.checks)} check(s), {end} ({self.mode})"


def measured(card: Scorecard, key: FigureKey) -> Measured:
    """A figure with its count and interval."""
    return Measured(card.value(key), card.counts.get(key), card.intervals.get(key))


def why_no_value(card: Scorecard, key: FigureKey) -> str:
    """Why a card has no such figure, and what it has instead."""
    figures = card.figures(SlicePlace(key.dimension, key.value))
    if reason := card.missing.get(key):
        return f"{one_line(reason)}; {_exist('metrics with a value', figures)}"
    if figures:
        return f"no such metric; {_exist('metrics that exist', figures)}"
    if (key.dimension, key.value) == OVERALL:
        return "there are no figures at all"
    if (key.dimension, key.value) == MACRO:
        return "there is no mean over languages here"
    values = card.slices.get(key.dimension, {})
    return f"no such slice; {_exist(f'values of {key.dimension}', values)}"


def names(found: Sequence[str] | Mapping[str, Any]) -> str:
    """Names in a sentence, bounded."""
    listed = sorted(one_line(name) for name in found)
    return ", ".join(listed[:60]) + (f" and {len(listed) - 60} more" if len(listed) > 60 else "") if listed else "none"


def _exist(what: str, found: Mapping[str, Any]) -> str:
    return f"{what}: {names(found)}"


def _counts(count: Count | None) -> str:
    if count is None:
        return ""
    accepted = "" if count.accepted is None else f", {count.accepted} accepted"
    return f" (n={count.scored}{accepted})"


def _json_number(value: float | None) -> float | str | None:
    """A number for JSON, which has no NaN and no infinity."""
    return value if value is None or math.isfinite(value) else str(value)
