"""The document of the checks: states, texts and gates by language; the package ships one, a run may name another.

{"version": 1,
 "languages": {"en": {"states": [...], "checks": {"score_slot0_identical": {"instructions": ..., ...}}}},
 "gates": {"en": {"score_slot0_identical": {"min": -0.2}}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from laya_sweep.errors import DatasetError, Problem, name_list, one_line
from laya_sweep.files.json_file import parse_json, read_json
from laya_sweep.suites.check_block import Block, Missing
from laya_sweep.suites.check_gates import Gates, parse_gates
from laya_sweep.suites.check_probe import Probe
from laya_sweep.suites.check_registry import CHECKS

VERSION = 1

#: Fewer states than this leave nothing to leave one out of.
LEAST_STATES = 2

_KEYS = ("version", "languages", "gates")


@dataclass(frozen=True, slots=True)
class LanguageDesign:
    """What one language is asked: its states (any JSON the model takes), and the probes of each of its checks."""

    states: tuple[Any, ...]
    probes: Mapping[str, tuple[Probe, ...]]


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
    raw = document if isinstance(document, Mapping) else {}
    if sorted(raw) != sorted(_KEYS) or raw["version"] != VERSION:
        expected = f"an object with version {VERSION}, languages and gates (which may be empty)"
        problems.append(Problem(where, expected, one_line(", ".join(map(str, raw)) or repr(document)), "see its docs"))
        raise DatasetError(*problems)
    languages = Block(raw["languages"], f"{where} languages", problems)
    found = {str(code): _language(languages.inner(code), problems) for code in languages.keys()}  # noqa: SIM118
    if not found and not problems:
        languages.complain("", "at least one language", raw["languages"])
    gates = parse_gates(raw["gates"], f"{where} gates", problems)
    for language, checks in gates.items():
        problems += _gates_of_nothing(f"{where} gates.{language}", checks, found.get(language))
    if problems:
        raise DatasetError(*problems)
    return Design(found, gates, dict(document))


def _language(block: Block, problems: list[Problem]) -> LanguageDesign:
    states = block.get("states")
    if not _are_states(states):
        block.complain("states", f"at least {LEAST_STATES} distinct texts, objects or lists", states)
        states = []
    checks = block.inner("checks")
    probes: dict[str, tuple[Probe, ...]] = {}
    for name in checks.keys():  # noqa: SIM118
        if name not in CHECKS:
            checks.complain(one_line(name), f"a check ({name_list([*CHECKS], name)})", Missing("an unknown one"))
            continue
        texts = checks.inner(name)
        probes[name] = tuple(CHECKS[name](texts))
        ids = [qid for probe in probes[name] for qid in probe.question_ids(name)]
        if len(set(ids)) < len(ids):
            texts.complain("", "texts that name each configuration apart", Missing("two of one name"))
        texts.close()
    if not checks.keys() and not problems:
        checks.complain("", "at least one check", Missing("none"))
    block.close()
    return LanguageDesign(tuple(states), probes)


def _gates_of_nothing(where: str, checks: Mapping[str, Any], language: LanguageDesign | None) -> list[Problem]:
    """A gate on what the document never asks would fail for ever, or look like one that holds."""
    asked = {} if language is None else language.probes
    return [
        Problem(f"{where}.{check}", "a check that this language is asked", "one that it is not", "remove the gate")
        for check in checks
        if check not in asked
    ]


def _are_states(states: Any) -> bool:  # noqa: ANN401 - any JSON value
    return (
        isinstance(states, list)
        and len(states) >= LEAST_STATES
        and all(isinstance(state, str | dict | list) and bool(state) for state in states)
        and all(not isinstance(state, str) or state.strip() for state in states)
        and all(state not in states[:i] for i, state in enumerate(states))
    )
