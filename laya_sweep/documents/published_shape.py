"""What a published case may hold: its own keys, which it must have, and those that our exports add.

Keys of others are kept and not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from laya_sweep.domain.checked import Document, Takes, filled, refuser
from laya_sweep.files.json_file import kind_of

#: (where, expected, got) of what is wrong in a document.
Fault = tuple[str, str, str]

Index = Annotated[int, Field(ge=0, lt=2**31), Takes("an index", whole=True)]
Label = Annotated[str, Takes("a label", whole=True)]
Share = Annotated[float, Field(ge=0, le=1), Takes("a number in [0, 1]", whole=True)]
Text = Annotated[str, Takes("a text", whole=True)]
Texts = Annotated[list[str], Takes("a list of texts", whole=True)]
Told = Annotated[str, Field(min_length=1), Takes("a text", whole=True)]


def _different(labels: list[str]) -> list[str]:
    if labels and len(set(labels)) == len(labels):
        return labels
    raise ValueError("none, or one twice")


def _present(value: object) -> object:
    if value is None:
        raise ValueError("null")
    return value


def _right_or_wrong(value: object) -> object:
    if value in (0, 1):
        return value
    raise ValueError("neither")


class PublishedShape(Document, extra="ignore"):
    """The keys of every published case."""

    lang: Annotated[str, AfterValidator(filled), Takes("a language", whole=True)]
    index: Index
    state: Annotated[Any, AfterValidator(_present), Takes("a state", whole=True)]
    instructions: Told
    options: Annotated[list[str], AfterValidator(_different), Takes("a list of different labels", whole=True)]
    gold_index: Index | None
    gold_label: Label
    pred_index: Index
    pred_label: Label
    probability: Share
    p_gold: Share
    confidence: Share
    correct: Annotated[Any, AfterValidator(_right_or_wrong), Takes("0 or 1", whole=True)]
    temperature: Annotated[float, Field(gt=0), Takes("a positive number", whole=True)]


class _Shape(PublishedShape):
    """A published case with the keys of ours."""

    model: Told = ""
    asked_model: Told = ""
    source_id: Told = ""
    variant: Told = ""
    tags: Texts = Field(default_factory=list)
    occurrence: Annotated[int, Field(ge=0, lt=2**31), Takes("a whole number", whole=True)] = 0
    gate_confidence: Share = 0.0


class Kept(Document, extra="ignore"):
    """What a narrowed case says of the options that were kept."""

    labels: list[str]
    n: Index


#: The keys that every published case has.
PUBLISHED_KEYS: Final = tuple(PublishedShape.model_fields)

_refusals = refuser(_Shape)


def shape_faults(where: str, case: object) -> Iterator[Fault]:
    """What is wrong in the keys of a case, each by itself."""
    if not isinstance(case, Mapping):
        yield where, "an object", f"a {kind_of(case)}"
        return
    for one in _refusals(case):
        key = str(one.place[0])
        yield f"{where}.{key}", one.words, "none" if one.value is MISSING else f"{case[key]!r:.60}"
