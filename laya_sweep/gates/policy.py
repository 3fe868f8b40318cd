"""A gate policy: version 1 of a small JSON document that makes reviewed slices a requirement.

    {"version": 1, "rules": [
      {"slice": {"language": "zh"}, "metric": "choice_accuracy", "min_count": 50, "max_drop": 0.05}]}

Every fault of a document is found in one reading, before any model is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

from laya_sweep.domain.slices import DIMENSIONS
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.json_file import read_json
from laya_sweep.gates.scorecard import FigureKey

RuleLimit: TypeAlias = Literal["min", "max", "max_drop", "max_increase"]

POLICY_VERSION: Final = 1
LIMITS: Final = ("min", "max", "max_drop", "max_increase")
RELATIVE: Final = ("max_drop", "max_increase")
_REQUIRED: Final = ("slice", "metric", "min_count")
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
    if not isinstance(document, Mapping):
        got = _shown(document)
        raise UsageError(Problem(what, "an object with version and rules", got, f"write rules like {_EXAMPLE}"))
    problems = _frame_problems(document, what)
    rules = document.get("rules")
    found: list[Rule] = []
    for index, given in enumerate(rules if isinstance(rules, list) else [], 1):
        faults = _rule_problems(given, f"{what} rule {index}")
        problems += faults
        if not faults:
            found.append(_rule(index, given))
    if problems:
        raise UsageError(*problems)
    return Policy(tuple(found), dict(document))


def _frame_problems(document: Mapping[str, Any], what: str) -> list[Problem]:
    problems = []
    if keys := _key_fault(document, ("version", "rules")):
        problems.append(Problem(what, "exactly the keys version and rules", keys, "correct the keys"))
    version = document.get("version")
    if "version" in document and (type(version) is not int or version != POLICY_VERSION):
        problems.append(Problem(f"{what} version", str(POLICY_VERSION), _shown(version), "correct the version"))
    rules = document.get("rules")
    if "rules" in document and (not isinstance(rules, list) or not rules):
        got = "an empty list" if rules == [] else _shown(rules)
        problems.append(Problem(f"{what} rules", "a list of at least one rule", got, f"write rules like {_EXAMPLE}"))
    return problems


def _rule_problems(rule: Any, what: str) -> list[Problem]:  # noqa: ANN401 - any JSON value
    """Every fault of one rule."""
    if not isinstance(rule, Mapping):
        return [Problem(what, "an object", _shown(rule), f"write it like {_EXAMPLE}")]
    problems = []
    given = [name for name in LIMITS if name in rule]
    if keys := _key_fault(rule, _REQUIRED, LIMITS):
        problems.append(Problem(what, "slice, metric, min_count and one limit", keys, "correct the keys"))
    if len(given) != 1:
        got = " and ".join(given) or "none"
        problems.append(Problem(what, f"exactly one limit of {', '.join(LIMITS)}", got, "keep one"))
    if "slice" in rule:
        problems += _slice_problems(rule["slice"], f"{what} slice")
    if "metric" in rule and not _is_name(rule["metric"]):
        got = _shown(rule["metric"])
        problems.append(Problem(f"{what} metric", "a metric's name", got, "name it as a report does"))
    count = rule.get("min_count")
    if "min_count" in rule and (type(count) is not int or count < 1):
        wanted = "a whole number of at least 1"
        problems.append(Problem(f"{what} min_count", wanted, _shown(count), "correct the value"))
    return problems + [problem for name in given for problem in _limit_problems(name, rule[name], what)]


def _slice_problems(selector: Any, what: str) -> list[Problem]:  # noqa: ANN401 - any JSON value
    wanted = f"one of {', '.join(DIMENSIONS)} and one value, such as {{'language': 'zh'}}"
    if not isinstance(selector, Mapping) or len(selector) != 1:
        got = f"{len(selector)} keys" if isinstance(selector, Mapping) else _shown(selector)
        return [Problem(what, wanted, got, "name one slice a rule")]
    [(dimension, value)] = selector.items()
    if dimension not in DIMENSIONS:
        return [Problem(what, wanted, one_line(dimension), "correct the dimension")]
    if not _is_name(value):
        return [Problem(f"{what} {dimension}", "a text that is not blank", _shown(value), "quote the value")]
    return []


def _limit_problems(name: str, limit: Any, what: str) -> list[Problem]:  # noqa: ANN401 - any JSON value
    number = finite_number(limit)
    if number is None:
        return [Problem(f"{what} {name}", "a finite number", _shown(limit), "correct the value")]
    if name in RELATIVE and number < 0:
        return [Problem(f"{what} {name}", "a number of at least 0", _shown(limit), "correct the value")]
    return []


def _rule(index: int, rule: Mapping[str, Any]) -> Rule:
    [(dimension, value)] = rule["slice"].items()
    [limit_name] = [name for name in LIMITS if name in rule]
    figure = FigureKey(dimension, value, rule["metric"])
    return Rule(index, figure, rule["min_count"], cast(RuleLimit, limit_name), float(rule[limit_name]))


def _key_fault(document: Mapping[str, Any], required: tuple[str, ...], allowed: tuple[str, ...] = ()) -> str | None:
    """What is wrong with the keys of an object, None if nothing is."""
    absent = [f"no {name}" for name in required if name not in document]
    extra = [f"unknown key {one_line(key)}" for key in document if key not in (*required, *allowed)]
    return ", ".join([*absent, *extra]) or None


def _is_name(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, str) and bool(value.strip())


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if value is None:
        return "null"
    try:
        return one_line(repr(value))
    except ValueError:  # a whole number with too many digits to print
        return f"a {type(value).__name__} too large to show"
