"""Limits a person wrote: maps of metric to number, from a config, a file or words of a command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from laya_sweep.domain.checked import Finite, Name, Takes, checked
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.json_file import read_json
from laya_sweep.gates.mode import Mode

_EXAMPLE = "write it as {choice_accuracy: 0.02}"
_LIMITS = Annotated[
    dict[Annotated[Name, Takes("a metric's name as key", _EXAMPLE)], Finite],
    Takes("a map of metric to number", _EXAMPLE),
]


def limits(given: Any, what: str) -> dict[str, float]:  # noqa: ANN401 - whatever a config or file holds
    """A map of metric to finite number; None is the empty map.

    Args:
        given: the map.
        what: its name for messages, such as `gate.min`.

    Raises:
        UsageError: not a map, or an entry that is no finite number: every such entry at once. An infinite limit
            could not fail, a NaN could not pass, and a bool is a slip.
    """
    problems: list[Problem] = []
    found: dict[str, float] = checked(_LIMITS, {} if given is None else given, what, problems, joint=" ")
    if problems:
        raise UsageError(*problems)
    return found


def tolerances(given: Any, mode: Mode, what: str = "tolerance") -> dict[str, float]:  # noqa: ANN401 - as limits
    """Tolerances by metric. In strict mode they are also not negative; in compatible mode such a one is never met.

    Raises:
        UsageError: as `limits`; a negative tolerance in strict mode.
    """
    found = limits(given, what)
    negative = [name for name, value in found.items() if value < 0]
    if mode == "strict" and negative:
        wanted = "a number of at least 0"
        raise UsageError(
            *(Problem(f"{what} {one_line(name)}", wanted, str(found[name]), "correct the value") for name in negative)
        )
    return found


def read_limits(path: Path, what: str) -> dict[str, float]:
    """Limits from a JSON file, such as committed tolerances.

    Raises:
        UsageError: the file cannot be read, or as `limits`.
    """
    document = read_json(path, f"{what} file", any_number=True)
    return limits([] if document is None else document, f"{what} file {one_line(path)}")


def limits_from_words(words: Iterable[str], what: str) -> dict[str, float]:
    """Limits from words like `choice_accuracy=0.02`.

    >>> limits_from_words(["selective_accuracy@50=0.9"], "--min")
    {'selective_accuracy@50': 0.9}

    Raises:
        UsageError: a word of another form, no finite number, or two words for one metric.
    """
    found: dict[str, float] = {}
    problems = []
    for word in words:
        name, _, text = word.partition("=")
        number = _number(text)
        if not name.strip() or number is None:
            problems.append(Problem(what, "METRIC=NUMBER with a finite number", one_line(word), "correct the word"))
        elif name.strip() in found:
            problems.append(Problem(f"{what} {one_line(name)}", "one limit", "two", "drop one of them"))
        else:
            found[name.strip()] = number
    if problems:
        raise UsageError(*problems)
    return found


def _number(text: str) -> float | None:
    try:
        return finite_number(float(text))
    except ValueError:
        return None
