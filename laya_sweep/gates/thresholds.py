"""Absolute limits on the figures of the whole result: `min` and `max` by metric, and two shorthands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from laya_sweep.domain.tolerance import finite_number, within
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.door import Door
from laya_sweep.gates.figure_name import label, overall_key
from laya_sweep.gates.limits import limits
from laya_sweep.gates.mode import Mode, slack_of
from laya_sweep.gates.part import Part
from laya_sweep.gates.scorecard import FigureKey, Scorecard
from laya_sweep.gates.verdict import Check, measured, why_no_value

LimitName: TypeAlias = Literal["min", "max"]


class _Limit(NamedTuple):
    """One threshold, and the name it was given under."""

    name: LimitName
    metric: str
    value: float
    given_as: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits asked for, on figures over all rows or, as `macro.METRIC`, on the mean over languages.

    Where `min` and `min_accuracy` name one metric, both are judged: no limit is dropped.
    """

    minimum: Mapping[str, float] = field(default_factory=dict)
    maximum: Mapping[str, float] = field(default_factory=dict)
    min_accuracy: float | None = None
    max_ece: float | None = None

    @classmethod
    def of(
        cls,
        minimum: Any = None,  # noqa: ANN401 - whatever a config holds
        maximum: Any = None,  # noqa: ANN401
        min_accuracy: Any = None,  # noqa: ANN401
        max_ece: Any = None,  # noqa: ANN401
        door: Door = Door.SWEEP,
    ) -> Thresholds:
        """Thresholds from values of a config; `door` is how they were written.

        Raises:
            UsageError: every limit that is no finite number.
        """
        problems: list[Problem] = []
        lowest = _limits(minimum, door.option("min"), problems)
        highest = _limits(maximum, door.option("max"), problems)
        accuracy = _number(min_accuracy, door.option("min_accuracy"), problems)
        ece = _number(max_ece, door.option("max_ece"), problems)
        if problems:
            raise UsageError(*problems)
        return cls(lowest, highest, accuracy, ece)

    def __bool__(self) -> bool:
        return bool(self.minimum or self.maximum) or self.min_accuracy is not None or self.max_ece is not None

    def document(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "min": dict(self.minimum),
            "max": dict(self.maximum),
            "min_accuracy": self.min_accuracy,
            "max_ece": self.max_ece,
        }

    def resolved(self, candidate: Scorecard) -> Iterator[_Limit]:
        """Each limit with the metric it means here: `min_accuracy` is of choices, else of nouls."""
        for metric, value in self.minimum.items():
            yield _Limit("min", metric, value, "min")
        for metric, value in self.maximum.items():
            yield _Limit("max", metric, value, "max")
        if self.min_accuracy is not None:
            metric = "noul_accuracy" if "choice_accuracy" not in candidate.overall else "choice_accuracy"
            yield _Limit("min", metric, self.min_accuracy, "min_accuracy")
        if self.max_ece is not None:
            yield _Limit("max", "ece", self.max_ece, "max_ece")


def threshold_checks(candidate: Scorecard, thresholds: Thresholds, mode: Mode, part: Part = Part.WHOLE) -> list[Check]:
    """One check per limit; a metric without value fails, and says why and which metrics there are."""
    limits = [(overall_key(limit.metric), limit) for limit in thresholds.resolved(candidate)]
    return [_check(candidate, key, limit, mode) for key, limit in limits if part.has(key.metric)]


def absolute(value: float, name: str, limit: float, slack: float) -> bool:
    """Whether a value keeps a `min` or `max`; NaN keeps neither."""
    return within(limit - value if name == "min" else value - limit, 0.0, slack)


def _limits(given: Any, what: str, problems: list[Problem]) -> dict[str, float]:  # noqa: ANN401 - as `of`
    try:
        return limits(given, what)
    except UsageError as error:
        problems += error.problems
        return {}


def _number(given: Any, what: str, problems: list[Problem]) -> float | None:  # noqa: ANN401 - as `of`
    number = finite_number(given)
    if given is not None and number is None:
        problems.append(Problem(what, "a finite number", one_line(repr(given)), "correct the value"))
    return number


def _check(candidate: Scorecard, key: FigureKey, limit: _Limit, mode: Mode) -> Check:
    name = label(key, candidate)
    side = measured(candidate, key)
    passed = side.value is not None and absolute(side.value, limit.name, limit.value, slack_of(mode))
    wanted = f"{limit.given_as} {limit.value:g}"
    if side.value is None:
        message = f"{name} has no value for {wanted}: {why_no_value(candidate, key)}"
    elif passed:
        message = f"{name} {side}, {wanted}: kept"
    else:
        message = f"{name} {side}, {wanted}: missed by {abs(side.value - limit.value):.4g}"
    return Check("threshold", passed, message, key, side, limit_name=limit.name, limit=limit.value)
