"""A question in the runtime's public form -> the form its sequence builder reads."""

from __future__ import annotations

import json
from typing import Any


def internal_question(question: dict[str, Any]) -> dict[str, Any]:
    """The `build_sequence` form of a question: type `t`, instructions `ins`, criteria `crit`, labels, option order.

    A list of choice labels becomes labels without descriptions, noul keys become "true" and "false", and
    instructions that are no text become their JSON, as the runtime does (a test compares the two).
    """
    kind, criteria = question["type"], question.get("criteria")
    if kind == "choice" and isinstance(criteria, list):
        criteria = dict.fromkeys(criteria)
    elif kind == "noul" and isinstance(criteria, dict):
        criteria = {str(key).lower(): text for key, text in criteria.items()}
    instructions = question["instructions"]
    if not isinstance(instructions, str):
        instructions = json.dumps(instructions, ensure_ascii=False)
    internal = {"t": kind, "ins": instructions, "crit": criteria}
    if "labels" in question:
        internal["labels"] = question["labels"]
    if "option_order" in question:
        internal["option_order"] = [int(index) for index in question["option_order"]]
    return internal
