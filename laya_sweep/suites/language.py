"""The frozen cases of one language, or why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from laya_sweep.domain.case import Case
from laya_sweep.suites.source import LanguageError
from laya_sweep.suites.suite import SUITES, Suite


@dataclass(frozen=True, slots=True)
class Language:
    """A language's frozen cases, or the error that kept it from being built."""

    code: str
    cases: tuple[Case, ...]
    recipe: dict[str, Any]
    error: str | None

    @property
    def row_recipe(self) -> dict[str, Any]:
        """What of the recipe decides an answer beside the id of its case.

        The cases of a file by itself are its rows, so their ids say it all: an edit elsewhere in the file, or another
        file with the same row, finds the answer that is there.
        """
        if SUITES[self.recipe["name"]].file is None:
            return self.recipe
        return {name: self.recipe[name] for name in ("name", "version", "language")}


def build_languages(suite: Suite, codes: Sequence[str]) -> tuple[Language, ...]:
    """Cases of each language; a broken language keeps its error and the others go on."""
    return tuple(_build_language(suite, code) for code in codes)


def _build_language(suite: Suite, code: str) -> Language:
    try:
        return Language(code, tuple(suite.cases(code)), suite.recipe(code), None)
    except LanguageError as error:
        return Language(code, (), {}, str(error))
