"""XNLI as a suite: a premise and a hypothesis, and a choice of how the second relates to the first.

Three options in one order, those of the dataset, and nothing drawn. `source_id` is the premise (the place of its
first row), in all languages alike since the dataset is parallel: several rows share a premise, and intervals that
took them for independent would be too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from laya_sweep.domain.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.domain.settings import DatasetSettings
from laya_sweep.files.hub import Hub
from laya_sweep.suites.source import LanguageError
from laya_sweep.suites.xnli_source import RELATIONS, XnliFolder, XnliHub, XnliSource

QUESTION_ID = "relation"
INSTRUCTIONS = "How does `hypothesis` relate to `premise`?"

#: Option texts by label.
OPTION_TEXTS = dict(
    zip(
        RELATIONS,
        (
            "if the premise is true, so is the hypothesis",
            "the premise leaves open whether the hypothesis is true",
            "if the premise is true, the hypothesis is false",
        ),
        strict=True,
    )
)

#: Version of everything above that shapes a case; part of a cell's identity.
RECIPE_VERSION = 1


class XnliSuite:
    """Premise, hypothesis, relation; see `Suite` for the contract."""

    def __init__(self, settings: DatasetSettings, hub: Hub) -> None:
        """Find the rows; a repository is resolved to a commit.

        Raises:
            DatasetError: the rows are not where the settings say.
        """
        self._settings = settings
        self._source = _source(settings, hub)

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """See `Suite.languages`."""
        return self._source.languages(wanted)

    def recipe(self, language: str) -> dict[str, Any]:
        """See `Suite.recipe`.

        Raises:
            LanguageError: the language's rows are missing.
        """
        source = self._source.identity(language)
        return {"name": "xnli", "version": RECIPE_VERSION, "source": source, "split": self._settings.split}

    def cases(self, language: str) -> list[Case]:
        """See `Suite.cases`."""
        pairs = self._source.pairs(language)
        if not pairs:
            raise LanguageError(f"{language}: expected at least 1 row, got none")
        first: dict[str, int] = {}
        drafts = []
        for index, pair in enumerate(pairs[: self._settings.per_lang]):
            place = first.setdefault(pair.premise, index)
            question = {"type": "choice", "instructions": INSTRUCTIONS, "criteria": OPTION_TEXTS}
            drafts.append(
                Draft(
                    source_id=f"premise {place}",
                    row_index=index,
                    language=language,
                    state={"premise": pair.premise, "hypothesis": pair.hypothesis},
                    questions={QUESTION_ID: question},
                    expected={QUESTION_ID: pair.relation},
                )
            )
        return freeze(drafts)

    def input_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.input_digest`."""
        return canonical_rows_digest(cases)

    def dataset_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.dataset_digest`: the rows that were taken are the dataset."""
        return canonical_rows_digest(cases)

    def document(self) -> dict[str, Any]:
        """See `Suite.document`."""
        settings = self._settings
        return {
            "name": "xnli",
            "path": None if settings.path is None else str(settings.path),
            "repo": settings.repo if settings.path is None else None,
            "split": settings.split,
            "per_lang": settings.per_lang,
            "instructions": INSTRUCTIONS,
        }

    def notes(self) -> tuple[str, ...]:
        """See `Suite.notes`."""
        return ()


def _source(settings: DatasetSettings, hub: Hub) -> XnliSource:
    if settings.path is not None:
        return XnliFolder(settings.path, settings.split)
    if settings.repo is None:
        raise ValueError("Expected a dataset with `path` or `repo`, but got neither")
    return XnliHub(settings.repo, settings.revision, settings.split, hub)
