"""The keys that our exports add to a published case, held against the others: numbers, options, what was kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from laya_sweep.documents.narrowed import NAMES
from laya_sweep.documents.published_case import CASE_DECIMALS, NUMBERS
from laya_sweep.documents.published_shape import Fault, Kept
from laya_sweep.domain.checked import refuser
from laya_sweep.domain.question import option_labels
from laya_sweep.domain.tolerance import finite_number

_kept_refusals: Final = refuser(Kept)


def own_key_faults(where: str, case: Mapping[str, Any]) -> Iterator[Fault]:
    """(where, expected, got) of what is wrong in the keys of ours, of a case whose published keys are right."""
    if "unrounded" in case and not _rounds_to(case["unrounded"], case):
        expected = "the numbers that the case has rounded to 6 decimals"
        yield f"{where}.unrounded", expected, f"{case['unrounded']!r:.60}"
    yield from _question_faults(where, case)
    yield from _narrowing_faults(where, case)


def _question_faults(where: str, case: Mapping[str, Any]) -> Iterator[Fault]:
    labels: Sequence[str] = case["options"]
    if "questions" in case:
        found = _choice(case["questions"])
        if found is None:
            yield f"{where}.questions", "one choice question by its id", f"{case['questions']!r:.60}"
            return
        labels = option_labels(found)
    indices = case.get("canonical_indices", [*range(len(case["options"]))])
    whole = isinstance(indices, list) and all(_count(index) and index < len(labels) for index in indices)
    if not whole or len(set(indices)) != len(indices) or len(indices) != len(case["options"]):
        expected = f"an index among {len(labels)} options for each of {len(case['options'])} slots"
        yield f"{where}.canonical_indices", expected, f"{indices!r:.60}"
    elif "questions" in case and "variant" not in case and [labels[index] for index in indices] != case["options"]:
        yield f"{where}.options", "the options of its question", f"{case['options']!r:.60}"


def _narrowing_faults(where: str, case: Mapping[str, Any]) -> Iterator[Fault]:
    """A gold option may be missing among those shown where some were dropped, and nowhere else."""
    kept = [name for name in NAMES.values() if name in case]
    for name in kept:
        own, status = case[name], case.get(f"{name}_status")
        if _kept_refusals(own):
            yield f"{where}.{name}", "the labels that were kept, of n", f"{own!r:.60}"
        if not isinstance(status, str):
            yield f"{where}.{name}_status", "a text", f"{status!r:.60}"
    if case["gold_index"] is None and not kept:
        yield f"{where}.gold_index", "an index", "None"


def _rounds_to(exact: Any, case: Mapping[str, Any]) -> bool:  # noqa: ANN401 - any JSON value
    if not isinstance(exact, dict):
        return False
    known = {name: finite_number(exact.get(name)) for name in NUMBERS}
    return all(
        value is not None and 0 <= value <= 1 and round(value, CASE_DECIMALS) == case[name]
        for name, value in known.items()
    )


def _choice(questions: Any) -> dict[str, Any] | None:  # noqa: ANN401 - any JSON value
    """The one choice of a case; None for anything else."""
    if not isinstance(questions, dict) or len(questions) != 1 or "" in questions:
        return None
    [question] = questions.values()
    if not isinstance(question, dict) or question.get("type") != "choice":
        return None
    criteria = question.get("criteria")
    return question if isinstance(criteria, dict | list) and criteria and "instructions" in question else None


def _count(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
