"""A labelled JSONL file as a suite: the questions of each row as they stand, nothing sampled.

The file is frozen as a whole, so a case has the same id whichever languages a run takes. `source_id`, by which
intervals resample, is the row's `id` where it has one (the same message in several languages, or asked twice),
else the row's place in the file. A row without a language belongs to the language "".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from laya_sweep.domain.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.domain.settings import DatasetSettings
from laya_sweep.suites.chosen import chosen_languages
from laya_sweep.suites.labelled import Example, LabelledSet, read_labelled

#: Version of how a row becomes a case; part of a cell's identity.
RECIPE_VERSION = 1


class JsonlSuite:
    """The rows of one file, by language; see `Suite` for the contract."""

    def __init__(self, settings: DatasetSettings) -> None:
        """Read the whole file.

        Raises:
            DatasetError: with every fault of the file.
        """
        if settings.path is None:
            raise ValueError("Expected a dataset with `path`, but got none")
        self._settings = settings
        self._set: LabelledSet = read_labelled(settings.path)
        self._cases = labelled_cases(self._set.examples)

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """See `Suite.languages`."""
        return chosen_languages(str(self._settings.path), {case.language for case in self._cases}, wanted)

    def recipe(self, language: str) -> dict[str, Any]:
        """See `Suite.recipe`."""
        return {
            "name": "jsonl",
            "version": RECIPE_VERSION,
            "source": {"sha256": self._set.sha256},
            "language": language,
        }

    def cases(self, language: str) -> list[Case]:
        """See `Suite.cases`."""
        own = [case for case in self._cases if case.language == language]
        return own[: self._settings.per_lang]

    def input_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.input_digest`."""
        return canonical_rows_digest(cases)

    def dataset_digest(self, cases: Sequence[Case]) -> str:
        """The file's digest; of a part of its rows the digest of these, since it is another measurement."""
        return self._set.sha256 if len(cases) == len(self._cases) else canonical_rows_digest(cases)

    def document(self) -> dict[str, Any]:
        """See `Suite.document`."""
        settings = self._settings
        return {
            "name": "jsonl",
            "path": str(settings.path),
            "sha256": self._set.sha256,
            "rows": len(self._cases),
            "per_lang": settings.per_lang,
        }

    def notes(self) -> tuple[str, ...]:
        """Rows that name a checkpoint decide for a routed one alone: named checkpoints answer every row."""
        forced = Counter(case.model for case in self._cases if case.model is not None)
        if not forced:
            return ()
        names = ", ".join(sorted(forced))
        return (f"{sum(forced.values())} rows name a model ({names}); auto goes by it, named checkpoints do not",)


def labelled_cases(examples: Iterable[Example]) -> list[Case]:
    """Rows of a labelled set as frozen cases, in the same order."""
    return freeze(_draft(i, example) for i, example in enumerate(examples))


def _draft(index: int, example: Example) -> Draft:
    return Draft(
        source_id=f"row {index}" if example.row_id is None else example.row_id,
        row_index=index,
        language=example.language or "",
        state=example.state,
        questions=example.questions,
        expected=example.expected,
        tags=example.tags,
        model=example.model,
    )
