"""The document of the checks: states, texts and gates by language; the package ships one, a run may name another.

{"version": 1,
 "languages": {"en": {"states": [...], "checks": {"score_slot0_identical": {"instructions": ..., ...}}}},
 "gates": {"en": {"score_slot0_identical": {"min": -0.2}}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainValidator

from laya_sweep.domain.checked import Document, Listed, Name, Takes, checked, refuse, refused
from laya_sweep.errors import DatasetError, Problem, one_line
from laya_sweep.files.json_file import parse_json, read_json
from laya_sweep.suites.check_gates import Gates, parse_gates
from laya_sweep.suites.check_probe import Probe
from laya_sweep.suites.check_registry import CHECKS, CORRECT, DISTINCT, CheckName, CheckTexts

VERSION = 1

#: Fewer states than this leave nothing to leave one out of.
LEAST_STATES = 2

State = Annotated[Name | dict[str, Any] | list[Any], Field(min_length=1)]


def _named(checks: object) -> object:
    """Each check's texts with its name, which says their shape."""
    return {name: (name, texts) for name, texts in checks.items()} if isinstance(checks, dict) else checks


def _texts(named: tuple[str, object]) -> CheckTexts | None:
    name, texts = named
    if name not in CHECKS:
        return None  # the key is refused
    if refusals := refused(CHECKS[name], texts):
        refuse(*refusals)
    return CHECKS[name].model_validate(texts)


class LanguageDesign(Document):
    """What one language is asked: its states (any JSON the model takes), and the texts of each of its checks."""

    states: Annotated[
        tuple[State, ...],
        Listed,
        Field(min_length=LEAST_STATES),
        DISTINCT,
        Takes(f"at least {LEAST_STATES} distinct texts, objects or lists", CORRECT, whole=True),
    ]
    checks: Annotated[
        dict[CheckName, Annotated[Any, PlainValidator(_texts)]],
        Field(min_length=1),
        BeforeValidator(_named),
        Takes("an object of at least one check", CORRECT),
    ]

    @cached_property
    def probes(self) -> dict[str, tuple[Probe, ...]]:
        """The probes of each check."""
        return {name: tuple(texts.probes()) for name, texts in self.checks.items()}


class _DesignFrame(Document):
    """The document around the languages and the gates."""

    version: Annotated[int, Field(ge=VERSION, le=VERSION), Takes(f"{VERSION}", "see its docs")]
    languages: Annotated[Any, Takes("an object of language to states and checks")]
    gates: Annotated[Any, Takes("an object, which may be empty")]


_DOCUMENT = Annotated[
    _DesignFrame, Takes(f"an object with version {VERSION}, languages and gates (which may be empty)", "see its docs")
]
_LANGUAGES = Annotated[
    dict[str, Annotated[LanguageDesign, Takes("an object", CORRECT)]],
    Field(min_length=1),
    Takes("an object of at least one language", CORRECT),
]


@dataclass(frozen=True, slots=True)
class Design:
    """A whole document, parsed; `document` is it as JSON values."""

    languages: Mapping[str, LanguageDesign]
    gates: Gates
    document: Mapping[str, Any]


def bundled_design() -> Design:
    """The document that ships with the package."""
    data = resources.files("laya_sweep.suites").joinpath("presentation.json").read_bytes()
    return parse_design(parse_json(data), "the bundled document of the checks")


def read_design(path: Path) -> Design:
    """The document in a JSON file.

    Raises:
        UsageError: the file is no JSON document, or as `parse_design`.
    """
    return parse_design(read_json(path, "document of the checks"), one_line(path))


def parse_design(document: Any, where: str) -> Design:  # noqa: ANN401 - any JSON value
    """The design in a JSON value.

    Raises:
        DatasetError: with every fault of the document.
    """
    problems: list[Problem] = []
    frame: _DesignFrame | None = checked(_DOCUMENT, document, where, problems, joint=" ")
    if frame is None:
        raise DatasetError(*problems)
    languages: dict[str, LanguageDesign] | None = checked(_LANGUAGES, frame.languages, f"{where} languages", problems)
    gates = parse_gates(frame.gates, f"{where} gates", problems)
    if languages is not None:
        problems += [
            Problem(
                f"{where} gates.{one_line(code)}.{check}",
                "a check that this language is asked",
                "one that it is not",
                "remove the gate",
            )
            for code, checks in gates.items()
            for check in checks
            # A gate on what the document never asks would fail for ever, or look like one that holds.
            if code not in languages or check not in languages[code].checks
        ]
    if languages is None or problems:
        raise DatasetError(*problems)
    return Design(languages, gates, dict(document))
