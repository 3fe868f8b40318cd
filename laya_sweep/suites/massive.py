"""MASSIVE intent as a suite: 51 parallel languages, one choice question a case (`mteb/amazon_massive_intent`).

Question, option texts and sampling are those of the published 51-language tables, so figures compare.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from laya_sweep.errors import DatasetError, Problem
from laya_sweep.hub import Hub
from laya_sweep.identity import digest_file, digest_text, ordered_json
from laya_sweep.settings import DatasetSettings
from laya_sweep.suites.case import Case, Draft, freeze
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText

QUESTION_ID = "intent"
INSTRUCTIONS = "What is the user asking for in `utterance`?"

#: Version of everything below that shapes a case; part of a cell's identity.
RECIPE_VERSION = 1


class LanguageError(Exception):
    """One language cannot be built; it is recorded, the others go on."""


class MassiveSuite:
    """Builds the frozen cases of one language at a time from a local folder or a pinned Hub repository."""

    name = "massive"

    def __init__(self, settings: DatasetSettings, hub: Hub) -> None:
        """Finds the dataset; resolves a repository to a commit, once.

        Raises:
            DatasetError: the folder is missing or is not in the layout of the dataset.
        """
        self._settings = settings
        self._hub = hub
        self.commit = None if settings.path else hub.resolve(settings.repo, settings.revision, "dataset")
        if settings.path:
            _check_folder(settings.path, settings.split)

    def recipe(self, language: str) -> dict[str, Any]:
        """The identity of one language's cases: source bytes and how they are drawn, never how many."""
        settings = self._settings
        return {
            "name": self.name,
            "version": RECIPE_VERSION,
            "source": self._source_identity(language),
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
        rows = self._rows(language)
        settings = self._settings
        labels = sorted({row.label for row in rows})
        if len(labels) < 2:
            raise LanguageError(f"{language}: expected at least 2 labels in the split, got {len(labels)}")
        wanted = rows[: settings.per_lang]
        options = SAMPLINGS[settings.sampling](wanted, labels, settings.n_opts, settings.seed)
        return freeze(
            _draft(row, drawn, index, language) for index, (row, drawn) in enumerate(zip(wanted, options, strict=True))
        )

    def _source_identity(self, language: str) -> dict[str, str]:
        if self.commit is not None:
            return {"repo": self._settings.repo, "commit": self.commit}
        try:
            return {"sha256": digest_file(self._file(language))}
        except OSError as error:
            raise LanguageError(f"{language}: {error}") from error

    def _rows(self, language: str) -> list[LabelledText]:
        settings = self._settings
        if self.commit is not None:
            try:
                raw: Iterator[Any] = iter(self._hub.rows(settings.repo, self.commit, language, settings.split))
            except DatasetError as error:
                raise LanguageError(f"{language}: {error}") from error
            return _labelled(language, raw)
        return _labelled(language, _json_lines(language, self._file(language)))

    def _file(self, language: str) -> Path:
        if self._settings.path is None:
            raise TypeError("a Hub dataset has no local file")
        folder = self._settings.path / "data" / language
        packed = folder / f"{self._settings.split}.jsonl.gz"
        plain = folder / f"{self._settings.split}.jsonl"
        return plain if plain.exists() and not packed.exists() else packed


def published_input_digest(cases: Sequence[Case]) -> str:
    """`input_sha256` of the published documents: SHA-256 of the compact JSON list of what was asked."""
    return digest_text(ordered_json([_published_input(case) for case in cases]))


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


def _check_folder(path: Path, split: str) -> None:
    layout = f"a folder in the layout data/<language>/{split}.jsonl.gz"
    if not path.is_dir():
        raise DatasetError(Problem(f"dataset.path {path}", layout, "no such folder", "correct dataset.path"))
    if not any((path / "data").glob(f"*/{split}.jsonl*")):
        got = f"no data/<language>/{split}.jsonl.gz in it"
        raise DatasetError(Problem(f"dataset.path {path}", layout, got, "correct dataset.path or dataset.split"))


def _json_lines(language: str, path: Path) -> Iterator[Any]:
    try:
        with _open_text(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _parse(language, path, number, line)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise LanguageError(f"{language}: cannot read {path.name}: {error or type(error).__name__}") from error


def _open_text(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _parse(language: str, path: Path, number: int, line: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise LanguageError(f"{language}: {path.name} line {number}: expected JSON, got {error}") from error


def _labelled(language: str, raw: Iterator[Any]) -> list[LabelledText]:
    rows = [_labelled_row(language, number, value) for number, value in enumerate(raw, start=1)]
    if not rows:
        raise LanguageError(f"{language}: expected at least 1 row, got none")
    return rows


def _labelled_row(language: str, number: int, value: Any) -> LabelledText:  # noqa: ANN401 - any JSON value
    fields = [value.get(key) if isinstance(value, dict) else None for key in ("id", "text", "label_text")]
    if not all(isinstance(field, str) and field for field in fields):
        raise LanguageError(
            f"{language}: row {number}: expected texts `id`, `text` and `label_text`, got {value!r:.200}"
        )
    return LabelledText(*map(str, fields))
