"""Everything that can go wrong for a user, and the exit code each kind ends with.

    SweepError
    ├── UsageError            2   the request cannot be run as written
    │   ├── ConfigError           a config key or value
    │   ├── DatasetError          a dataset folder, repository or file
    │   ├── CheckpointError       a checkpoint folder or repository
    │   ├── CapacityError         more CPUs or GPUs than the cluster has
    │   ├── OutputError           a folder that cannot be written
    │   └── ParityError           our logits disagree with the runtime: nothing can be trusted
    ├── QualityError          1   a result fails a gate
    ├── IncompleteError       3   a language or cell failed, or rows are missing
    └── SweepInterruptedError      130 stopped by the user

Code raises these with fields; `exit_code` is the one place where a type becomes a number.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

#: Characters of a foreign value that a message shows.
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault, in the four parts a person needs: what, what was expected, what was got, what to do."""

    what: str
    expected: str
    got: str
    next_step: str

    def __str__(self) -> str:
        return f"{self.what}: expected {self.expected}, got {self.got}; {self.next_step}"


class SweepError(Exception):
    """Base of every error this package raises on purpose."""


class UsageError(SweepError):
    """The request cannot be run as written; carries every fault that was found, not only the first."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems: tuple[Problem, ...] = problems

    def __reduce__(self) -> tuple[type[UsageError], tuple[Problem, ...]]:
        return type(self), self.problems


class ConfigError(UsageError):
    """A config key is unknown, or its value cannot mean anything."""


class DatasetError(UsageError):
    """A dataset cannot be found or read at all (one broken language is not this: it is recorded)."""


class CheckpointError(UsageError):
    """A checkpoint cannot be found, or is not a Laya checkpoint."""


class CapacityError(UsageError):
    """The cluster does not have the CPUs or GPUs that were asked for."""


class OutputError(UsageError):
    """A folder for results or facts cannot be written."""


class ParityError(UsageError):
    """Our logit path and the runtime's public answer differ by more than the tolerance."""


class QualityError(SweepError, AssertionError):
    """A result fails a gate; an AssertionError too, so that a test suite reports it as a failed test."""

    def __init__(self, *failures: str) -> None:
        super().__init__("\n".join(failures))
        self.failures: tuple[str, ...] = failures

    def __reduce__(self) -> tuple[type[QualityError], tuple[str, ...]]:
        return type(self), self.failures


class IncompleteError(SweepError):
    """A language or cell failed, or rows are missing: the rest stands, the whole does not."""


class SweepInterruptedError(SweepError):
    """The user stopped the run; committed parts stay and the same command resumes."""


#: The source of a checkpoint that stands for "the row's own, else the router's choice".
AUTO = "auto"

_EXIT_CODES: tuple[tuple[type[SweepError], int], ...] = (
    (UsageError, 2),
    (QualityError, 1),
    (IncompleteError, 3),
    (SweepInterruptedError, 130),
)

_PRECEDENCE = (2, 1, 3, 130)


def exit_code(error: SweepError) -> int:
    """Exit code of one error (the table in the module docstring)."""
    for kind, code in _EXIT_CODES:
        if isinstance(error, kind):
            return code
    raise TypeError(f"{type(error).__name__} has no exit code; add it to _EXIT_CODES")


def combine_exit_codes(codes: Iterable[int]) -> int:
    """The one code of a run in which several hold: 2, then 1, then 3."""
    present = set(codes) - {0}
    return next((code for code in _PRECEDENCE if code in present), 0)


def name_list(names: Sequence[str], wanted: str = "") -> str:
    """Valid names as a sentence part, the ones most like `wanted` first."""
    nearest = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5) if wanted else []
    rest = [name for name in names if name not in nearest]
    return ", ".join([*nearest, *rest])


def one_line(value: object) -> str:
    """A value from a file as a part of one line: bounded, and escaped where it does not print.

    A path is shown whole, since a person must find it.

    >>> one_line("choice_accuracy"), one_line("two\\nlines")
    ('choice_accuracy', "'two\\\\nlines'")
    """
    text = value if isinstance(value, str) else str(value)
    if len(text) > _SHOWN and not isinstance(value, PurePath):
        text = f"{text[:_SHOWN]}... ({len(text)} characters)"
    return text if text.isprintable() else ascii(text)
