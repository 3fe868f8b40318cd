"""The options and the right answer of a question, as scoring reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Target:
    """Option labels in canonical order and, where known, the gold index or (score) the gold number."""

    options: tuple[str, ...]
    gold_index: int | None
    gold_score: float | None


def target_of(question: dict[str, Any], expected: Any) -> Target:  # noqa: ANN401 - a label, number or bool
    """The target of a question in the runtime's form; `expected` None means unlabelled.

    Raises:
        ValueError: the gold answer is none of the options.
    """
    options = option_labels(question)
    if expected is None:
        return Target(options, None, None)
    if question["type"] == "score":
        return Target(options, None, float(expected))
    if question["type"] == "noul":
        return Target(options, int(bool(expected)), None)
    if str(expected) not in options:
        raise ValueError(f"Expected the gold answer to be one of {options}, but got {expected!r}")
    return Target(options, options.index(str(expected)), None)


def option_labels(question: dict[str, Any]) -> tuple[str, ...]:
    """Labels of a choice, level numbers of a score, `false` and `true` of a noul."""
    if question["type"] == "noul":
        return ("false", "true")
    if question["type"] == "score":
        return tuple(str(level) for level in range(len(question["criteria"])))
    return tuple(str(label) for label in question["criteria"])
