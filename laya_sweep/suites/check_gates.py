"""What a check's figure must reach in a language: limits as data, over which a run may lay its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from laya_sweep.domain.tolerance import SLACK, within
from laya_sweep.errors import Problem, name_list, one_line
from laya_sweep.suites.check_registry import CHECKS


@dataclass(frozen=True, slots=True)
class Limits:
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
Gates: TypeAlias = Mapping[str, Mapping[str, Limits]]


def parse_gates(raw: object, where: str, problems: list[Problem]) -> dict[str, dict[str, Limits]]:
    """Gates from JSON values; faults are added to `problems`."""
    found: dict[str, dict[str, Limits]] = {}
    for language, checks in _mapping(raw, where, problems).items():
        place = f"{where}.{one_line(language)}"
        for check, limits in _mapping(checks, place, problems).items():
            if check not in CHECKS:
                expected = f"a check ({name_list([*CHECKS], str(check))})"
                problems.append(Problem(f"{place}.{one_line(check)}", expected, "an unknown one", "correct the name"))
                continue
            found.setdefault(str(language), {})[check] = _limits(limits, f"{place}.{check}", problems)
    return found


def overlaid(gates: Gates, own: Gates) -> dict[str, dict[str, Limits]]:
    """The gates of a document with those of a run laid over them, check by check."""
    return {
        language: {**gates.get(language, {}), **own.get(language, {})} for language in dict.fromkeys([*gates, *own])
    }


def policy_rules(language: str, gates: Mapping[str, Limits], counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """A language's gates as rules of a gate policy; `counts` is how many readings each figure must be over."""
    return [
        {"slice": {"language": language}, "metric": check, "min_count": counts.get(check, 1), name: limit}
        for check, limits in gates.items()
        for name, limit in limits.document().items()
    ]


def only(gates: Gates, languages: Sequence[str]) -> dict[str, Mapping[str, Limits]]:
    """The gates of some languages."""
    return {language: gates[language] for language in languages if language in gates}


def _mapping(raw: object, where: str, problems: list[Problem]) -> Mapping[Any, Any]:
    if isinstance(raw, Mapping):
        return raw
    problems.append(Problem(where, "an object", one_line(repr(raw)), "correct the document"))
    return {}


def _limits(raw: object, where: str, problems: list[Problem]) -> Limits:
    if isinstance(raw, Mapping) and raw and set(raw) <= {"min", "max"} and all(map(_is_number, raw.values())):
        return Limits(**{name: float(value) for name, value in raw.items()})
    problems.append(Problem(where, "min or max or both, finite numbers", one_line(repr(raw)), "correct the limits"))
    return Limits()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
