"""The labels of a text/label file as somebody writes them down: a list, or a map of label to description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from laya_sweep.errors import DatasetError, Problem
from laya_sweep.files.strict_json import parse_strict, shown

#: Pairs of (label, description or None), in the order in which options are shown.
Labels = tuple[tuple[str, str | None], ...]

#: Notes a fault: what was expected, what was got.
Complain = Callable[[str, object], None]

_FORM = "a list of labels or a map of label to description"


def labels_of(raw: object, complain: Complain) -> Labels:
    """Labels from plain values; every fault goes to `complain`.

    A whole number is the label of its digits, as it is in a column; a bool or another number is no label.
    """
    if isinstance(raw, Mapping):
        pairs = [*raw.items()]
    elif isinstance(raw, Sequence) and not isinstance(raw, str):
        pairs = [(label, None) for label in raw]
    else:
        complain(_FORM, raw)
        return ()
    made = [(label_text(label), description) for label, description in pairs]
    for (label, _), (text, description) in zip(pairs, made, strict=True):
        if text is None:
            complain("labels that are texts", label)
        if description is not None and not (isinstance(description, str) and description.strip()):
            complain(f"a description of {shown(label)} that is a text, or null", description)
    found: Labels = tuple((text, description) for text, description in made if text is not None)
    for label, count in Counter(label for label, _ in found).items():
        if count > 1:
            complain(f"each label once, not {count} times", label)
    if len(pairs) < 2:
        complain("at least 2 labels", len(pairs))
    return found


def label_text(value: object) -> str | None:
    """A label as a text: a text that is not blank, or a whole number by its digits; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def stated_labels(labels: Labels | Path | None) -> Labels | None:
    """The labels that somebody wrote down, or named a file of; None where nobody did.

    Raises:
        DatasetError: the file cannot be read, or with every fault.
    """
    return read_labels(labels) if isinstance(labels, Path) else labels


def read_labels(path: Path) -> Labels:
    """Labels from a JSON file.

    Raises:
        DatasetError: it cannot be read, or with every fault.
    """
    problems: list[Problem] = []

    def complain(expected: str, got: object) -> None:
        problems.append(Problem(f"dataset.labels {path}", expected, shown(got), "correct the file"))

    labels = labels_of(_value(path), complain)
    if problems:
        raise DatasetError(*problems)
    return labels


def _value(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        got = error.strerror or type(error).__name__
        step = "name a file, or write the labels themselves: a list, or a map"
        raise DatasetError(Problem(f"dataset.labels {path}", f"a JSON file with {_FORM}", got, step)) from error
    except UnicodeDecodeError as error:
        raise DatasetError(Problem(f"dataset.labels {path}", "UTF-8", str(error), "correct the file")) from error
    parsed = parse_strict(text)
    if parsed.faults:
        step = "correct the file"
        raise DatasetError(*(Problem(f"dataset.labels {path}", f.expected, f.got, step) for f in parsed.faults))
    return parsed.value
