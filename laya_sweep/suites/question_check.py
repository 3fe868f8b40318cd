"""What the runtime accepts as a question, and what is a right answer to it: every fault, not only the first.

The rules are those of laya 0.4.15's `Agent._check_question`, so that a set which passes here is never refused at
its first forward pass (a test holds the two side by side). Typed answers are ours: the runtime's own evaluation
leaves an answer of another type out without a word.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator
from typing import Any

from laya_sweep.domain.question import QUESTION_TYPES, label_index
from laya_sweep.files.strict_json import FieldFault, name_of, shown

#: Labels that a message lists.
_LISTED = 8


def question_faults(qid: str, question: Any) -> Iterator[FieldFault]:  # noqa: ANN401 - any JSON value
    """Faults of one question definition."""
    where = f"questions.{name_of(qid)}"
    if not qid.strip():
        yield FieldFault("questions", "question ids that are not blank", shown(qid))
    if not isinstance(question, dict):
        yield FieldFault(where, "an object", shown(question))
        return
    kind = question.get("type")
    if kind not in QUESTION_TYPES:
        yield FieldFault(f"{where}.type", "one of choice, score, noul", _got(question, "type"))
    yield from _instruction_faults(where, question)
    if isinstance(kind, str) and kind in _CRITERIA:
        criteria = [*_CRITERIA[kind](f"{where}.criteria", question)]
        yield from criteria or _order_faults(f"{where}.option_order", question)
        yield from _label_faults(f"{where}.labels", question)


def truth_faults(qid: str, question: dict[str, Any], truth: Any) -> Iterator[FieldFault]:  # noqa: ANN401
    """Faults of the right answer to a question that has none itself."""
    field = f"expected.{name_of(qid)}"
    kind = question["type"]
    if kind == "noul" and not isinstance(truth, bool):
        yield FieldFault(field, "true or false for a noul question", shown(truth))
    if kind == "score" and not _finite(truth):
        yield FieldFault(field, "a finite number for a score question", shown(truth))
    if kind == "choice" and label_index(question["criteria"], truth) is None:
        yield FieldFault(field, f"one of the labels {_listed(question['criteria'], truth)}", shown(truth))


def _instruction_faults(where: str, question: dict[str, Any]) -> Iterator[FieldFault]:
    given = question.get("instructions")
    blank = given is None or (isinstance(given, str) and not given.strip())
    if blank or given in ([], {}):
        expected = "the text that the model should answer"
        yield FieldFault(f"{where}.instructions", expected, _got(question, "instructions"))


def _choice_faults(field: str, question: dict[str, Any]) -> Iterator[FieldFault]:
    criteria = question.get("criteria")
    if not isinstance(criteria, dict | list) or not criteria:
        expected = "an object label -> description or a list of labels, with at least one"
        yield FieldFault(field, expected, _got(question, "criteria"))
    elif isinstance(criteria, list):
        yield from _listed_label_faults(field, criteria)


def _listed_label_faults(field: str, labels: list[Any]) -> Iterator[FieldFault]:
    first: dict[Any, int] = {}
    for i, label in enumerate(labels):
        if not isinstance(label, str | int | float):
            yield FieldFault(f"{field}[{i}]", "a text, number or bool", shown(label))
        elif label in first:  # as answer keys 1, 1.0 and true are one
            got = f"{shown(label)}, which repeats label {first[label]} ({shown(labels[first[label]])})"
            yield FieldFault(f"{field}[{i}]", "a label of its own", got)
        else:
            first[label] = i


def _score_faults(field: str, question: dict[str, Any]) -> Iterator[FieldFault]:
    criteria = question.get("criteria")
    if not isinstance(criteria, list) or not criteria:
        expected = "a list of level descriptions, level 0 first, with at least one"
        yield FieldFault(field, expected, _got(question, "criteria"))
        return
    for i, level in enumerate(criteria):
        if level is None:
            yield FieldFault(f"{field}[{i}]", "a description of the level", "null")


def _noul_faults(field: str, question: dict[str, Any]) -> Iterator[FieldFault]:
    criteria = question.get("criteria")
    expected = "an object with the keys true and false, one of them, or nothing"
    if criteria is not None and not isinstance(criteria, dict):
        yield FieldFault(field, expected, shown(criteria))
    elif criteria is not None:
        for key in criteria:
            if key.lower() not in ("true", "false"):
                yield FieldFault(f"{field}.{name_of(key)}", expected, shown(key))


def _listed(labels: Iterable[Any], wanted: Any) -> str:  # noqa: ANN401 - any JSON value
    """Labels for a message, the ones most like `wanted` first where there are many."""
    texts = [name_of(label) if isinstance(label, str) else repr(label) for label in labels]
    if len(texts) <= _LISTED:
        return ", ".join(texts)
    near = difflib.get_close_matches(str(wanted), texts, n=3, cutoff=0.5)
    return ", ".join([*near, *(text for text in texts if text not in near)][:_LISTED]) + ", ..."


_CRITERIA = {"choice": _choice_faults, "score": _score_faults, "noul": _noul_faults}


def _order_faults(field: str, question: dict[str, Any]) -> Iterator[FieldFault]:
    if "option_order" not in question:
        return
    order = question["option_order"]
    count = 2 if question["type"] == "noul" else len(question["criteria"])
    whole = isinstance(order, list) and all(isinstance(i, int) and not isinstance(i, bool) for i in order)
    if not whole or sorted(order) != [*range(count)]:
        yield FieldFault(field, f"each of 0 .. {count - 1} once", shown(order))


def _label_faults(field: str, question: dict[str, Any]) -> Iterator[FieldFault]:
    if "labels" not in question:
        return
    labels = question["labels"]
    if question["type"] != "noul":
        yield FieldFault(field, "labels in noul questions alone", shown(labels))
    elif labels is not None and not _two_labels(labels):
        yield FieldFault(field, "different texts for exactly the keys false and true", shown(labels))


def _two_labels(labels: Any) -> bool:  # noqa: ANN401 - any JSON value
    if not isinstance(labels, dict) or labels.keys() != {"false", "true"}:
        return False
    if not all(isinstance(text, str) and text.strip() for text in labels.values()):
        return False
    return bool(labels["false"].strip() != labels["true"].strip())


def _finite(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond any float
        return False


def _got(holder: dict[str, Any], key: str) -> str:
    return shown(holder[key]) if key in holder else "nothing"
