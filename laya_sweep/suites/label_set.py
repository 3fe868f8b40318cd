"""The labels of a text/label file as somebody writes them down: a list, or a map of label to description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from laya_sweep.domain.checked import Name, Refusal, Takes, refuser
from laya_sweep.errors import DatasetError, Problem
from laya_sweep.files.strict_json import parse_strict, shown

#: Pairs of (label, description or None), in the order in which options are shown.
Labels = tuple[tuple[str, str | None], ...]

_FORM = "a list of labels or a map of label to description"
_LABEL = refuser(Annotated[Name | int, Takes("labels that are texts", whole=True)])
_DESCRIPTION = refuser(Name | None)


def labels_of(raw: object) -> tuple[Labels, list[Refusal]]:
    """Labels from plain values, and every fault of them.

    A whole number is the label of its digits, as it is in a column; a bool or another number is no label.
    """
    if isinstance(raw, Mapping):
        pairs = [*raw.items()]
    elif isinstance(raw, Sequence) and not isinstance(raw, str):
        pairs = [(label, None) for label in raw]
    else:
        return (), [Refusal((), _FORM, raw)]
    labels: list[tuple[str, str | None]] = []
    found: list[Refusal] = []
    for label, description in pairs:
        own = _LABEL(label)
        words = f"a description of {shown(label)} that is a text, or null"
        found += [*own, *(one._replace(words=words) for one in _DESCRIPTION(description))]
        labels += [] if own else [(str(label), description)]
    for text, count in Counter(text for text, _ in labels).items():
        if count > 1:
            found.append(Refusal((), f"each label once, not {count} times", text))
    if len(pairs) < 2:
        found.append(Refusal((), "at least 2 labels", len(pairs)))
    return tuple(labels), found


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
    labels, found = labels_of(_value(path))
    if found:
        what, step = f"dataset.labels {path}", "correct the file"
        raise DatasetError(*(Problem(what, one.words, shown(one.value), step) for one in found))
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
