"""A gate policy: version 1 of a small JSON document that makes reviewed slices a requirement.

    {"version": 1, "rules": [
      {"slice": {"language": "zh"}, "metric": "choice_accuracy", "min_count": 50, "max_drop": 0.05}]}

Every fault of a document is found in one reading, before any model is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, Field

from laya_sweep.domain.checked import Count, Document, Finite, Least0, Name, Takes, checked
from laya_sweep.domain.slices import DIMENSIONS
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.json_file import read_json
from laya_sweep.gates.part import Part
from laya_sweep.gates.scorecard import FigureKey

RuleLimit: TypeAlias = Literal["min", "max", "max_drop", "max_increase"]

POLICY_VERSION: Final = 1
LIMITS: Final[tuple[RuleLimit, ...]] = ("min", "max", "max_drop", "max_increase")
RELATIVE: Final = ("max_drop", "max_increase")
_EXAMPLE: Final = '{"slice": {"language": "zh"}, "metric": "ece", "min_count": 50, "max": 0.1}'


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement on one figure of one slice; `index` counts from 1, as messages do."""

    index: int
    figure: FigureKey
    min_count: int
    limit_name: RuleLimit
    limit: float

    @property
    def relative(self) -> bool:
        """Whether the rule needs a baseline."""
        return self.limit_name in RELATIVE


@dataclass(frozen=True, slots=True)
class Policy:
    """A whole policy; `document` is it as JSON, as results record it."""

    rules: tuple[Rule, ...]
    document: Mapping[str, Any]

    @property
    def needs_baseline(self) -> bool:
        """Whether any rule is relative."""
        return any(rule.relative for rule in self.rules)

    def of(self, part: Part) -> Policy:
        """Its rules about the figures of a part."""
        return replace(self, rules=tuple(rule for rule in self.rules if part.has(rule.figure.metric)))


def read_policy(path: Path) -> Policy:
    """The policy in a JSON file.

    Raises:
        UsageError: the file cannot be read, or as `parse_policy`.
    """
    return parse_policy(read_json(path, "gate policy", any_number=True), f"gate policy {one_line(path)}")


def parse_policy(document: Any, what: str = "gate policy") -> Policy:  # noqa: ANN401 - whatever JSON held
    """The policy in a JSON value.

    Args:
        document: the value.
        what: its name for messages.

    Raises:
        UsageError: with every fault of the document.
    """
    problems: list[Problem] = []
    frame = checked(_Frame, document, what, problems, joint=" ")
    given = document.get("rules") if isinstance(document, Mapping) else None
    rules = [_rule(at, rule, f"{what} rule {at}", problems) for at, rule in enumerate(_listed(given), 1)]
    if problems or frame is None:
        raise UsageError(*problems)
    return Policy(tuple(rule for rule in rules if rule is not None), dict(document))


def _one_dimension(selector: dict[str, str]) -> dict[str, str]:
    if len(selector) == 1 and set(selector) <= set(DIMENSIONS):
        return selector
    raise ValueError("not one slice")


class _Frame(Document):
    """The document around the rules, which are read one by one."""

    version: Annotated[int, Field(ge=POLICY_VERSION, le=POLICY_VERSION), Takes(f"{POLICY_VERSION}")]
    rules: Annotated[
        list[Any], Field(min_length=1), Takes("a list of at least one rule", f"write rules like {_EXAMPLE}")
    ]


class _Rule(Document):
    """A rule as it is written; the one limit that is there is among the fields that are set."""

    slice: Annotated[
        dict[str, Name],
        AfterValidator(_one_dimension),
        Takes(f"one of {', '.join(DIMENSIONS)} and one value, such as {{'language': 'zh'}}", "name one slice a rule"),
    ]
    metric: Annotated[Name, Takes("a metric's name", "name it as a report does")]
    min_count: Count
    min: Finite = 0.0
    max: Finite = 0.0
    max_drop: Least0 = 0.0
    max_increase: Least0 = 0.0


def _rule(index: int, given: Any, what: str, problems: list[Problem]) -> Rule | None:  # noqa: ANN401 - any JSON value
    """One rule; None with every fault of it noted."""
    rule = checked(_Rule, given, what, problems, joint=" ")
    named = [name for name in LIMITS if isinstance(given, Mapping) and name in given]
    if isinstance(given, Mapping) and len(named) != 1:
        got = " and ".join(named) or "none"
        problems.append(Problem(what, f"exactly one limit of {', '.join(LIMITS)}", got, "keep one"))
    if rule is None or len(named) != 1:
        return None
    [(dimension, value)] = rule.slice.items()
    return Rule(index, FigureKey(dimension, value, rule.metric), rule.min_count, named[0], getattr(rule, named[0]))


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
