"""The contract of a suite, and the one place where a dataset's name becomes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from laya_sweep.domain.case import Case
from laya_sweep.domain.settings import PRESENTATION, DatasetSettings
from laya_sweep.files.hub import Hub
from laya_sweep.suites.intent import IntentSuite
from laya_sweep.suites.jsonl import JsonlSuite
from laya_sweep.suites.languages import LANGUAGES, KnownLanguage
from laya_sweep.suites.presentation import PresentationSuite
from laya_sweep.suites.table import TableSuite
from laya_sweep.suites.xnli import XnliSuite


class Suite(Protocol):
    """Builds the frozen cases of one language at a time; the driver alone has one."""

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """The languages to build: those wanted, None for all there are.

        Raises:
            DatasetError: one that is wanted does not exist here.
        """
        ...

    def recipe(self, language: str) -> dict[str, Any]:
        """The identity of one language's cases: what decides them, never how many.

        Raises:
            LanguageError: the language's rows are missing.
        """
        ...

    def cases(self, language: str) -> list[Case]:
        """The first `per_lang` cases of a language.

        Raises:
            LanguageError: the language's rows are missing or broken.
        """
        ...

    def input_digest(self, cases: Sequence[Case]) -> str:
        """Digest of what was asked in these cases."""
        ...

    def dataset_digest(self, cases: Sequence[Case]) -> str:
        """`dataset_sha256` of a run over these cases: of the file, or where there is none of the frozen rows."""
        ...

    def document(self) -> dict[str, Any]:
        """What a report says of its dataset."""
        ...

    def notes(self) -> tuple[str, ...]:
        """What a person should know before a run."""
        ...


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """What the house asks of a suite by its name.

    Attributes:
        make: the suite of its settings.
        options: those of `DatasetSettings` that it has; a preset in conf/dataset/ writes each of them.
        languages: codes that may be asked for; None where the files say which there are.
        file: what `path` is where rows have no other place, for messages.
        hub: whether `repo` names the rows where `path` does not.
    """

    make: Callable[[DatasetSettings, Hub], Suite]
    options: tuple[str, ...]
    languages: Mapping[str, KnownLanguage] | None = None
    file: str | None = None
    hub: bool = False


_DRAWN = ("path", "repo", "revision", "split", "per_lang", "labels", "n_opts", "seed", "sampling")

SUITES: dict[str, SuiteEntry] = {
    "demo": SuiteEntry(IntentSuite, _DRAWN, LANGUAGES),
    "massive": SuiteEntry(IntentSuite, _DRAWN, LANGUAGES, hub=True),
    "massive_scenario": SuiteEntry(IntentSuite, _DRAWN, LANGUAGES, hub=True),
    "jsonl": SuiteEntry(lambda settings, _: JsonlSuite(settings), ("path", "per_lang"), file="a JSONL file"),
    PRESENTATION: SuiteEntry(lambda settings, _: PresentationSuite(settings), ("path",)),
    "table": SuiteEntry(
        lambda settings, _: TableSuite(settings),
        ("path", "per_lang", "labels", "n_opts", "seed", "sampling"),
        file="a CSV, TSV, JSONL or Parquet file",
    ),
    "xnli": SuiteEntry(XnliSuite, ("path", "repo", "revision", "split", "per_lang"), hub=True),
}


def make_suite(settings: DatasetSettings, hub: Hub) -> Suite:
    """The suite of a dataset.

    Raises:
        DatasetError: its rows are not where the settings say, or have faults.
    """
    return SUITES[settings.name].make(settings, hub)
