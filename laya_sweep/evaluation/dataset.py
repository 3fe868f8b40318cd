"""The data of an evaluation: a labelled file, or rows that a program made, as frozen cases with their identity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from laya_sweep.domain import fingerprint
from laya_sweep.domain.case import Case, canonical_rows_digest
from laya_sweep.errors import DatasetError, Problem
from laya_sweep.suites.jsonl import labelled_cases
from laya_sweep.suites.labelled import LabelledSet, labelled_rows, read_labelled

#: A labelled file by its path, one that was read, or rows of its form.
Data: TypeAlias = str | Path | LabelledSet | Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Dataset:
    """What is asked: `source` is the file's path as given, None for rows; `sha256` of the bytes or the frozen rows."""

    source: str | None
    sha256: str
    cases: tuple[Case, ...]
    lines: tuple[int, ...]

    @property
    def questions(self) -> int:
        """How many questions are asked."""
        return sum(len(case.questions) for case in self.cases)

    def place(self, index: int) -> str:
        """A row for a message: its index, and for a file its line."""
        return f"row {index}" + ("" if self.source is None else f" (line {self.lines[index]} of {self.source})")


def read_dataset(data: Data) -> Dataset:
    """The data as frozen cases.

    Raises:
        DatasetError: the file cannot be read, or with every fault of its rows.
    """
    found = labelled_set(data)
    cases = tuple(labelled_cases(found.examples))
    lines = tuple(example.line for example in found.examples)
    if isinstance(data, str | Path | LabelledSet):
        return Dataset(str(found.path), found.sha256, cases, lines)
    return Dataset(None, canonical_rows_digest(cases), cases, lines)


def labelled_set(data: Data) -> LabelledSet:
    """The rows of data, checked; errors as `read_dataset`."""
    if isinstance(data, LabelledSet):
        return data
    if isinstance(data, str | Path):
        return read_labelled(Path(data))
    if not isinstance(data, Iterable):
        expected = "the path of a labelled file, a LabelledSet, or rows"
        raise DatasetError(Problem("data", expected, type(data).__name__, "data come first, then who answers"))
    return labelled_rows(data)


def questions_fingerprint(data: Data) -> str:
    """SHA-256 of what is asked, whatever the rows: `questions_sha256` of reports, here and upstream.

    Raises:
        DatasetError: as `read_dataset`.
    """
    return fingerprint.questions_fingerprint(labelled_set(data).examples)


def file_fingerprint(path: str | Path) -> str:
    """SHA-256 of a file's bytes: `dataset_sha256` of reports, here and upstream.

    Raises:
        DatasetError: the file cannot be read.
    """
    return fingerprint.file_fingerprint(Path(path))
