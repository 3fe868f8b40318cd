"""Abstention marks: legal thresholds and marks are the runtime's own, so that what is recorded is what is served."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya.confidence import apply_confidence_gate, check_min_confidence

from laya_sweep.errors import Problem, UsageError
from laya_sweep.evaluation.runner import AskedThreshold

_MARKS = ("low_confidence", "abstention", "abstention_threshold")


def checked_threshold(given: Any) -> AskedThreshold | None:  # noqa: ANN401 - whatever a caller has
    """A threshold that the runtime takes: a number, a map by option bucket, or None for none.

    Raises:
        UsageError: the runtime refuses it.
    """
    if given is None:
        return None
    try:
        checked: AskedThreshold = check_min_confidence(dict(given) if isinstance(given, Mapping) else given)
    except ValueError as error:
        expected = "a number within [0, 1], a map of them by option bucket, or None"
        raise UsageError(Problem("min_confidence", expected, str(error), "correct the threshold")) from error
    return checked


def marked(answer: Mapping[str, Any], threshold: AskedThreshold | None) -> dict[str, Any]:
    """A copy of an answer with the marks that the runtime's rule gives it, and no others."""
    bare = {name: value for name, value in answer.items() if name not in _MARKS}
    apply_confidence_gate([{"answers": {"asked": bare}}], threshold)
    return bare


def mark_fault(answer: Mapping[str, Any], threshold: AskedThreshold | None) -> tuple[str, str] | None:
    """The first mark of an answer that is not by the runtime's rule: expected and got; None where all agree."""
    if threshold is None:
        return None
    wanted = marked(answer, threshold)
    for name in _MARKS:
        if answer.get(name) != wanted.get(name):
            return f"{name} {wanted.get(name)!r} by the runtime's rule", repr(answer.get(name))
    return None
