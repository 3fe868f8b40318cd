"""Answers over the options that were kept, put back among all options of the question, and whose fault a miss is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: Columns that facts and decisions share.
NARROWING_COLUMNS: Final = ("narrowing", "narrowing_cap", "full_options", "kept", "kept_scores", "rounds")

#: Narrowing -> what a miss is called: the gold answer was not kept; it was, and another was given.
MISSES: Final[Mapping[str, tuple[str, str]]] = {
    "shortlist": ("retrieval_miss", "decision_miss"),
    "knockout": ("elimination_miss", "final_choice_miss"),
}
CORRECT: Final = "correct"


def kept_question(question: Mapping[str, Any], kept: Sequence[int]) -> dict[str, Any]:
    """The choice with the kept options alone, in this order.

    An `option_order` has a slot for each option, so it fits no smaller question and is dropped, as the runtime does.

    >>> kept_question({"type": "choice", "criteria": ["a", "b", "c"], "option_order": [2, 1, 0]}, [2, 0])
    {'type': 'choice', 'criteria': ['c', 'a']}
    """
    criteria = question["criteria"]
    labels = [*criteria]
    left = [labels[place] for place in kept]
    small = {name: value for name, value in question.items() if name != "option_order"}
    return small | {"criteria": {label: criteria[label] for label in left} if isinstance(criteria, dict) else left}


def over_all(p: NDArray[np.float64], kept: Sequence[int], options: int) -> NDArray[np.float64]:
    """Probabilities of all options: what was not kept cannot be answered.

    >>> over_all(np.array([0.75, 0.25]), [2, 0], 4).tolist()
    [0.25, 0.0, 0.75, 0.0]
    """
    found = np.zeros(options)
    found[[*kept]] = p
    return found


def status(narrowing: str, kept: Sequence[int], gold: int | None, predicted: int) -> str | None:
    """What became of a labelled question; None for one without a gold answer.

    >>> status("shortlist", [2, 0], 1, 2), status("knockout", [2, 0], 2, 2), status("knockout", [2, 0], 0, 2)
    ('retrieval_miss', 'correct', 'final_choice_miss')
    """
    if gold is None:
        return None
    lost, missed = MISSES[narrowing]
    if gold not in kept:
        return lost
    return CORRECT if gold == predicted else missed


def narrowing_of(row: Mapping[str, Any], gold: int | None, predicted: int) -> dict[str, Any]:
    """The narrowing columns of a decision; all null where nothing was narrowed."""
    columns = {name: row.get(name) for name in NARROWING_COLUMNS}
    narrowing, kept = row.get("narrowing"), row.get("kept")
    said = None if narrowing is None or kept is None else status(narrowing, kept, gold, predicted)
    return {**columns, "narrowing_status": said}
