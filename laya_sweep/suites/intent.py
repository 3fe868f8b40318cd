"""Intent suites: one utterance, one choice question over its label and others (MASSIVE, the bundled corpus).

Question, option texts and sampling are those of the published 51-language MASSIVE tables, so figures compare. The
scenario suite reads the same rows, asks for the area of the request, and draws in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from laya_sweep.domain.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.domain.identity import digest_text, ordered_json
from laya_sweep.domain.question import INTENT_QUESTION
from laya_sweep.domain.settings import DatasetSettings
from laya_sweep.errors import DatasetError, Problem, name_list
from laya_sweep.files.hub import Hub
from laya_sweep.suites.label_set import stated_labels
from laya_sweep.suites.languages import LANGUAGES
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText
from laya_sweep.suites.source import DemoSource, FolderSource, HubSource, LanguageError, Source

INSTRUCTIONS = "What is the user asking for in `utterance`?"


class LabelQuestion(NamedTuple):
    """What a suite asks about an utterance, and which label a row of the source stands for."""

    qid: str
    instructions: str
    label_of: Callable[[str], str]


INTENT = LabelQuestion(INTENT_QUESTION, INSTRUCTIONS, lambda intent: intent)

#: `iot_hue_lightchange` is of the scenario `iot`.
SCENARIO = LabelQuestion(
    "scenario",
    "Which area does the request in `utterance` belong to?",
    lambda intent: intent.partition("_")[0] or intent,
)

_ASKED = {"massive_scenario": SCENARIO}

#: Version of everything below that shapes a case; part of a cell's identity.
RECIPE_VERSION = 1


class IntentSuite:
    """One utterance, one choice question; see `Suite` for the contract."""

    def __init__(self, settings: DatasetSettings, hub: Hub) -> None:
        """Find the rows; a repository is resolved to a commit.

        Raises:
            DatasetError: the rows are not where the settings say, or the file of labels has faults.
        """
        self._settings = settings
        given = stated_labels(settings.labels)
        self._labels = None if given is None else dict(sorted(given))
        self._asked = _ASKED.get(settings.name, INTENT)
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
            **self._stated,
        }

    def cases(self, language: str) -> list[Case]:
        """The first `per_lang` cases of a language.

        Raises:
            LanguageError: the language's rows are missing or broken.
            DatasetError: a row has a label that is not among those of the settings.
        """
        settings = self._settings
        rows = [row._replace(label=self._asked.label_of(row.label)) for row in self._source.rows(language)]
        texts = dict.fromkeys(sorted({row.label for row in rows})) if self._labels is None else self._labels
        labels = [*texts]
        if len(labels) < 2:
            raise LanguageError(f"{language}: expected at least 2 labels in the split, got {len(labels)}")
        wanted = rows[: settings.per_lang]
        _require_known(wanted, labels, language)
        options = SAMPLINGS[settings.sampling](wanted, labels, settings.n_opts, settings.seed)
        pairs = zip(wanted, options, strict=True)
        return freeze(
            _draft(self._asked, row, {label: texts[label] for label in drawn}, index, language)
            for index, (row, drawn) in enumerate(pairs)
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
            "instructions": self._asked.instructions,
            **self._stated,
        }

    def notes(self) -> tuple[str, ...]:
        """See `Suite.notes`."""
        return ()

    @property
    def _stated(self) -> dict[str, Any]:
        return {} if self._labels is None else {"labels": self._labels}


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
    [(qid, question)] = case.questions.items()
    criteria = question["criteria"]
    return {
        "lang": case.language,
        "index": case.row_index,
        "state": case.state,
        "instructions": question["instructions"],
        "options": [*criteria],
        "option_texts": [*criteria.values()],
        "gold_index": [*criteria].index(case.expected[qid]),
    }


def _require_known(rows: Sequence[LabelledText], labels: Sequence[str], language: str) -> None:
    """Every row's label is one that may be drawn."""
    known = set(labels)
    lacking = {row.label: row.row_id for row in reversed(rows) if row.label not in known}
    problems = [
        Problem(
            f"dataset.labels: language {language}, row {row_id}",
            f"the row's label to be among them ({name_list(labels, label)[:200]})",
            repr(label),
            "add it, or leave the row out",
        )
        for label, row_id in reversed(lacking.items())
    ]
    if problems:
        raise DatasetError(*problems)


def _draft(
    asked: LabelQuestion, row: LabelledText, options: Mapping[str, str | None], index: int, language: str
) -> Draft:
    question = {
        "type": "choice",
        "instructions": asked.instructions,
        "criteria": {
            label: label.replace("_", " ").replace(".", ": ") if text is None else text
            for label, text in options.items()
        },
    }
    return Draft(
        source_id=row.row_id,
        row_index=index,
        language=language,
        state={"utterance": row.text},
        questions={asked.qid: question},
        expected={asked.qid: row.label},
    )
