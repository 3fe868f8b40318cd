"""The presentation checks as a suite: every state of a language with the questions of every check, no right answers.

A case is one state under one check, so that a check that is added or reworded leaves the rows of the others where
they are. `source_id` is the state's place: state i of every language is the same message. `tags` name the check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from laya_sweep.domain.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.domain.identity import digest_text, ordered_json
from laya_sweep.domain.settings import DatasetSettings
from laya_sweep.errors import DatasetError, Problem, name_list
from laya_sweep.suites.check_design import Design, LanguageDesign, bundled_design, read_design

#: Version of how a document becomes cases; part of a cell's identity.
RECIPE_VERSION = 1


class PresentationSuite:
    """The document of the checks, language by language; see `Suite` for the contract."""

    def __init__(self, settings: DatasetSettings) -> None:
        """Read the document: that of the settings, else the bundled one.

        Raises:
            UsageError: it cannot be read, or with every fault of it.
        """
        self._path = settings.path
        self.design: Design = bundled_design() if settings.path is None else read_design(settings.path)

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """See `Suite.languages`."""
        known = [*self.design.languages]
        missing = [code for code in wanted or () if code not in known]
        if missing:
            step = "name them, languages=all, or a document of your own with dataset.path"
            problems = (
                Problem("languages", f"languages of the checks ({name_list(known, code)})", repr(code), step)
                for code in missing
            )
            raise DatasetError(*problems)
        return tuple(known if wanted is None else wanted)

    def recipe(self, language: str) -> dict[str, Any]:
        """See `Suite.recipe`. The questions are not in it: they decide the ids of the cases."""
        states = ordered_json(list(self.design.languages[language].states))
        return {
            "name": "presentation",
            "version": RECIPE_VERSION,
            "source": {"states_sha256": digest_text(states)},
            "language": language,
        }

    def cases(self, language: str) -> list[Case]:
        """See `Suite.cases`."""
        return freeze(_drafts(language, self.design.languages[language]))

    def input_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.input_digest`."""
        return canonical_rows_digest(cases)

    def dataset_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.dataset_digest`."""
        return canonical_rows_digest(cases)

    def document(self) -> dict[str, Any]:
        """See `Suite.document`; with the whole document, so that a run's figures need no other file."""
        path = None if self._path is None else str(self._path)
        return {"name": "presentation", "path": path, "document": self.design.document}

    def notes(self) -> tuple[str, ...]:
        """See `Suite.notes`."""
        return ()


def _drafts(language: str, design: LanguageDesign) -> Iterator[Draft]:
    for check, probes in design.probes.items():
        questions = {
            qid: question
            for probe in probes
            for qid, question in zip(probe.question_ids(check), probe.questions, strict=True)
        }
        for i, state in enumerate(design.states):
            yield Draft(
                source_id=f"state {i}",
                row_index=i,
                language=language,
                state=state,
                questions=questions,
                expected={},
                tags=(check,),
            )
