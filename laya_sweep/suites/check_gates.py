"""What a check's figure must reach in a language: limits as data, over which a run may lay its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from laya_sweep.domain.checked import Takes, checked
from laya_sweep.domain.tolerance import SLACK, within
from laya_sweep.errors import Problem
from laya_sweep.suites.check_registry import CORRECT, CheckName


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """The least and the largest value that pass; None where there is no such limit, equal passes."""

    min: float | None = None
    max: float | None = None

    def keeps(self, value: float | None) -> bool:
        """Whether a figure passes; one without value never does."""
        if value is None:
            return False
        low = self.min is None or within(self.min - value, 0.0, SLACK)
        return low and (self.max is None or within(value - self.max, 0.0, SLACK))

    def document(self) -> dict[str, float]:
        """As JSON values: the limits that there are."""
        pairs = (("min", self.min), ("max", self.max))
        return {name: limit for name, limit in pairs if limit is not None}

    def __str__(self) -> str:
        shown = (f"{sign} {limit:g}" for sign, limit in ((">=", self.min), ("<=", self.max)) if limit is not None)
        return " and ".join(shown)


#: Language -> check -> limits.
Gates: TypeAlias = Mapping[str, Mapping[str, CheckLimits]]


_OBJECT = Takes("an object", CORRECT)
_LIMITS = Annotated[
    dict[Literal["min", "max"], Annotated[float, Field(allow_inf_nan=False)]],
    Field(min_length=1),
    Takes("min or max or both, finite numbers", "correct the limits"),
]
_GATES = Annotated[dict[str, Annotated[dict[CheckName, _LIMITS], _OBJECT]], _OBJECT]


def parse_gates(raw: object, where: str, problems: list[Problem]) -> dict[str, dict[str, CheckLimits]]:
    """Gates from JSON values; faults are added to `problems`."""
    found: dict[str, dict[str, dict[str, float]]] = checked(_GATES, raw, where, problems) or {}
    return {
        language: {check: CheckLimits(**limits) for check, limits in checks.items()}
        for language, checks in found.items()
        if checks
    }


def overlaid(gates: Gates, own: Gates) -> dict[str, dict[str, CheckLimits]]:
    """The gates of a document with those of a run laid over them, check by check."""
    return {
        language: {**gates.get(language, {}), **own.get(language, {})} for language in dict.fromkeys([*gates, *own])
    }


def policy_rules(language: str, gates: Mapping[str, CheckLimits], counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """A language's gates as rules of a gate policy; `counts` is how many readings each figure must be over."""
    return [
        {"slice": {"language": language}, "metric": check, "min_count": counts.get(check, 1), name: limit}
        for check, limits in gates.items()
        for name, limit in limits.document().items()
    ]


def only(gates: Gates, languages: Sequence[str]) -> dict[str, Mapping[str, CheckLimits]]:
    """The gates of some languages."""
    return {language: gates[language] for language in languages if language in gates}
