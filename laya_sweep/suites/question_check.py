"""What the runtime accepts as a question, and what is a right answer to it: every fault, not only the first.

The rules are those of laya 0.4.15's `Agent._check_question`, so that a set which passes here is never refused at
its first forward pass (a test holds the two side by side). Typed answers are ours: the runtime's own evaluation
leaves an answer of another type out without a word.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, InstanceOf, ValidationInfo, model_validator

from laya_sweep.domain.checked import Document, Finite, Flag, Name, Refusal, Refuser, Takes, filled, refuse, refuser
from laya_sweep.domain.question import Question, label_index, option_count
from laya_sweep.files.strict_json import name_of, shown

#: Labels that a message lists.
_LISTED = 8

_SCALARS = (str, int, float)


def question_refusals(qid: str, question: Any) -> list[Refusal]:  # noqa: ANN401 - any JSON value
    """Faults of one question definition, by their places in its row."""
    kind = question.get("type") if isinstance(question, dict) else None
    found = (_SHAPES.get(kind, _ASKED) if isinstance(kind, str) else _ASKED)(question)
    blank = [] if qid.strip() else [Refusal(("questions",), "question ids that are not blank", qid)]
    return blank + [one._replace(place=("questions", qid, *one.place)) for one in found]


def truth_refusals(qid: str, question: Question, truth: Any) -> list[Refusal]:  # noqa: ANN401 - any JSON value
    """Faults of the right answer to a question that has none itself, by its place in the row."""
    place = ("expected", qid)
    if question["type"] != "choice":
        return [one._replace(place=place) for one in _TRUTHS[question["type"]](truth)]
    if label_index(question["criteria"], truth) is not None:
        return []
    return [Refusal(place, f"one of the labels {_listed(question['criteria'], truth)}", truth)]


def is_blank(value: object) -> bool:
    """Null, or an empty or blank one."""
    return not value.strip() if isinstance(value, str) else value in (None, [], {})


def saying(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Beside a type: not a blank one."""
    if is_blank(value):
        raise ValueError("blank")
    return value


def _listed(labels: Iterable[Any], wanted: Any) -> str:  # noqa: ANN401 - any JSON value
    """Labels for a message, the ones most like `wanted` first where there are many."""
    texts = [name_of(label) if isinstance(label, str) else repr(label) for label in labels]
    if len(texts) <= _LISTED:
        return ", ".join(texts)
    near = difflib.get_close_matches(str(wanted), texts, n=3, cutoff=0.5)
    return ", ".join([*near, *(text for text in texts if text not in near)][:_LISTED]) + ", ..."


def _labels_of_their_own(criteria: dict[str, Any] | list[Any]) -> dict[str, Any] | list[Any]:
    """Labels are answer keys, of which 1, 1.0 and true are one; those of an object are so as they stand."""
    labels = criteria if isinstance(criteria, list) else []
    first: dict[Any, int] = {}
    found = []
    for i, label in enumerate(labels):
        if not isinstance(label, _SCALARS):
            found.append(Refusal((i,), "a text, number or bool", label))
        elif label in first:
            got = f"{shown(label)}, which repeats label {first[label]} ({shown(labels[first[label]])})"
            found.append(Refusal((i,), "a label of its own", label, got=got))
        else:
            first[label] = i
    refuse(*found)
    return criteria


def _described(levels: list[Any]) -> list[Any]:
    missing = [i for i, level in enumerate(levels) if level is None]
    refuse(*(Refusal((i,), "a description of the level", None, got="null") for i in missing))
    return levels


def _side(key: str) -> str:
    if key.lower() in ("true", "false"):
        return key
    raise ValueError("no side")


def _each_option_once(order: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - any JSON value
    """An order is judged beside criteria that have no fault."""
    if "criteria" in info.data:
        count = option_count(info.data)
        whole = isinstance(order, list) and all(type(i) is int for i in order)
        if not whole or sorted(order) != [*range(count)]:
            refuse(Refusal((), f"each of 0 .. {count - 1} once", order))
    return order


def _of_noul_alone(labels: object) -> None:
    refuse(Refusal((), "labels in noul questions alone", labels))


_Order = Annotated[Any, AfterValidator(_each_option_once)]
_NoLabels = Annotated[Any, AfterValidator(_of_noul_alone)]


class _Asked(Document, extra="ignore"):
    """What every question has; its other fields are the runtime's to read."""

    type: Annotated[Literal["choice", "score", "noul"], Takes("one of choice, score, noul", whole=True)]
    instructions: Annotated[Any, AfterValidator(saying), Takes("the text that the model should answer", whole=True)]


class _Choice(_Asked):
    """One of several labels."""

    criteria: Annotated[
        InstanceOf[dict[str, Any]] | InstanceOf[list[Any]],
        AfterValidator(filled),
        Takes("an object label -> description or a list of labels, with at least one", whole=True),
        AfterValidator(_labels_of_their_own),
    ]
    option_order: _Order = None
    labels: _NoLabels = None


class _Score(_Asked):
    """A number on a scale of levels."""

    criteria: Annotated[
        InstanceOf[list[Any]],
        AfterValidator(filled),
        Takes("a list of level descriptions, level 0 first, with at least one", whole=True),
        AfterValidator(_described),
    ]
    option_order: _Order = None
    labels: _NoLabels = None


class _SideLabels(Document):
    """The two sides of a noul in other words."""

    false: Name
    true: Name

    @model_validator(mode="after")
    def _differ(self) -> _SideLabels:
        if self.false.strip() == self.true.strip():
            raise ValueError("the same")
        return self


_SIDES = Takes("an object with the keys true and false, one of them, or nothing")
_SideTexts = Annotated[dict[Annotated[str, AfterValidator(_side), _SIDES], Any], _SIDES]
_TwoLabels = Annotated[_SideLabels, Takes("different texts for exactly the keys false and true", whole=True)]


class _Noul(_Asked):
    """True or false."""

    criteria: _SideTexts | None = None
    option_order: _Order = None
    labels: _TwoLabels | None = None


_ASKED = refuser(_Asked)
_SHAPES: dict[str, Refuser] = {"choice": refuser(_Choice), "score": refuser(_Score), "noul": refuser(_Noul)}

#: What is a right answer, by the type of its question; of a choice it is one of the labels.
_TRUTHS: dict[str, Refuser] = {
    "score": refuser(Annotated[Finite, Takes("a finite number for a score question", whole=True)]),
    "noul": refuser(Annotated[Flag, Takes("true or false for a noul question", whole=True)]),
}
