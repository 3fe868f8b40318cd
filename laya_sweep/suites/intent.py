"""Intent suites: one utterance, one choice question over its label and others (MASSIVE, the bundled corpus).

Question, option texts and sampling are those of the published 51-language MASSIVE tables, so figures compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laya_sweep.hub import Hub
from laya_sweep.identity import digest_text, ordered_json
from laya_sweep.settings import DatasetSettings
from laya_sweep.suites.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.suites.languages import LANGUAGES
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText
from laya_sweep.suites.source import DemoSource, FolderSource, HubSource, LanguageError, Source

QUESTION_ID = "intent"
INSTRUCTIONS = "What is the user asking for in `utterance`?"

#: Version of everything below that shapes a case; part of a cell's identity.
RECIPE_VERSION = 1


class IntentSuite:
    """One utterance, one choice question; see `Suite` for the contract."""

    def __init__(self, settings: DatasetSettings, hub: Hub) -> None:
        """Find the rows; a repository is resolved to a commit.

        Raises:
            DatasetError: the rows are not where the settings say.
        """
        self._settings = settings
        self._source = _source(settings, hub)

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """See `Suite.languages`; a language that the folder lacks is recorded when it is built."""
        return tuple(LANGUAGES) if wanted is None else tuple(wanted)

    def recipe(self, language: str) -> dict[str, Any]:
        """The identity of one language's cases: source bytes and how they are drawn, never how many.

        Raises:
            LanguageError: the language's rows are missing.
        """
        settings = self._settings
        return {
            "name": settings.name,
            "version": RECIPE_VERSION,
            "source": self._source.identity(language),
            "split": settings.split,
            "sampling": settings.sampling,
            "seed": settings.seed,
            "n_opts": settings.n_opts,
        }

    def cases(self, language: str) -> list[Case]:
        """The first `per_lang` cases of a language.

        Raises:
            LanguageError: the language's rows are missing or broken.
        """
        rows, settings = self._source.rows(language), self._settings
        labels = sorted({row.label for row in rows})
        if len(labels) < 2:
            raise LanguageError(f"{language}: expected at least 2 labels in the split, got {len(labels)}")
        wanted = rows[: settings.per_lang]
        options = SAMPLINGS[settings.sampling](wanted, labels, settings.n_opts, settings.seed)
        return freeze(
            _draft(row, drawn, index, language) for index, (row, drawn) in enumerate(zip(wanted, options, strict=True))
        )

    def input_digest(self, cases: Sequence[Case]) -> str:
        """The published documents' digest."""
        return published_input_digest(cases)

    def dataset_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.dataset_digest`: what is drawn from the source is the dataset, not the source."""
        return canonical_rows_digest(cases)

    def document(self) -> dict[str, Any]:
        """See `Suite.document`."""
        settings = self._settings
        return {
            "name": settings.name,
            "path": None if settings.path is None else str(settings.path),
            "repo": settings.repo if settings.path is None else None,
            "split": settings.split,
            "per_lang": settings.per_lang,
            "n_opts": settings.n_opts,
            "seed": settings.seed,
            "sampling": settings.sampling,
            "instructions": INSTRUCTIONS,
        }

    def notes(self) -> tuple[str, ...]:
        """See `Suite.notes`."""
        return ()


def published_input_digest(cases: Sequence[Case]) -> str:
    """`input_sha256` of the published documents: SHA-256 of the compact JSON list of what was asked."""
    return digest_text(ordered_json([_published_input(case) for case in cases]))


def _source(settings: DatasetSettings, hub: Hub) -> Source:
    if settings.name == "demo":
        return DemoSource(settings.split)
    if settings.path is not None:
        return FolderSource(settings.path, settings.split)
    if settings.repo is None:
        raise ValueError("Expected a dataset with `path` or `repo`, but got neither")
    return HubSource(settings.repo, settings.revision, settings.split, hub)


def _published_input(case: Case) -> dict[str, Any]:
    criteria = case.questions[QUESTION_ID]["criteria"]
    return {
        "lang": case.language,
        "index": case.row_index,
        "state": case.state,
        "instructions": case.questions[QUESTION_ID]["instructions"],
        "options": [*criteria],
        "option_texts": [*criteria.values()],
        "gold_index": [*criteria].index(case.expected[QUESTION_ID]),
    }


def _draft(row: LabelledText, options: Sequence[str], index: int, language: str) -> Draft:
    question = {
        "type": "choice",
        "instructions": INSTRUCTIONS,
        "criteria": {label: label.replace("_", " ").replace(".", ": ") for label in options},
    }
    return Draft(
        source_id=row.row_id,
        row_index=index,
        language=language,
        state={"utterance": row.text},
        questions={QUESTION_ID: question},
        expected={QUESTION_ID: row.label},
    )
