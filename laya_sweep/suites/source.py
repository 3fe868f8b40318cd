"""Where the rows of a text-label suite are: a local folder, a pinned Hub repository, or the bundled corpus."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, TextIO

from laya_sweep.demo.corpus import CORPUS_FILE, read_corpus
from laya_sweep.domain.identity import digest_file
from laya_sweep.errors import DatasetError, Problem
from laya_sweep.files.hub import Hub
from laya_sweep.suites.sampling import LabelledText


class LanguageError(Exception):
    """One language cannot be built; it is recorded, the others go on."""


class Source(Protocol):
    """The rows of one split, language by language."""

    def identity(self, language: str) -> dict[str, str]:
        """What decides the rows of a language: a commit, or a digest of the bytes read."""
        ...

    def rows(self, language: str) -> list[LabelledText]:
        """Every row of a language, in order.

        Raises:
            LanguageError: the rows are missing or broken.
        """
        ...


class FolderSource:
    """A folder in the layout of the Hub dataset: `data/<language>/<split>.jsonl.gz` (or `.jsonl`)."""

    def __init__(self, path: Path, split: str) -> None:
        """Look at the folder.

        Raises:
            DatasetError: it is missing, or has no file of the split.
        """
        self._path, self._split = path, split
        layout = f"a folder in the layout data/<language>/{split}.jsonl.gz"
        if not path.is_dir():
            raise DatasetError(Problem(f"dataset.path {path}", layout, "no such folder", "correct dataset.path"))
        if not any((path / "data").glob(f"*/{split}.jsonl*")):
            got = f"no data/<language>/{split}.jsonl.gz in it"
            raise DatasetError(Problem(f"dataset.path {path}", layout, got, "correct dataset.path or dataset.split"))

    def identity(self, language: str) -> dict[str, str]:
        """See `Source.identity`."""
        try:
            return {"sha256": digest_file(self._file(language))}
        except OSError as error:
            raise LanguageError(f"{language}: {error}") from error

    def rows(self, language: str) -> list[LabelledText]:
        """See `Source.rows`."""
        return _labelled(language, _json_lines(language, self._file(language)))

    def _file(self, language: str) -> Path:
        folder = self._path / "data" / language
        packed, plain = folder / f"{self._split}.jsonl.gz", folder / f"{self._split}.jsonl"
        return plain if plain.exists() and not packed.exists() else packed


class HubSource:
    """A dataset repository with one config a language, pinned to the commit that its revision names now."""

    def __init__(self, repo: str, revision: str | None, split: str, hub: Hub) -> None:
        self._repo, self._split, self._hub = repo, split, hub
        self._commit = hub.resolve(repo, revision, "dataset")

    def identity(self, language: str) -> dict[str, str]:
        """See `Source.identity`."""
        return {"repo": self._repo, "commit": self._commit}

    def rows(self, language: str) -> list[LabelledText]:
        """See `Source.rows`."""
        try:
            return _labelled(language, self._hub.rows(self._repo, self._commit, language, self._split))
        except DatasetError as error:
            raise LanguageError(f"{language}: {error}") from error


class DemoSource:
    """The corpus that ships with the package."""

    def __init__(self, split: str) -> None:
        """Read the corpus.

        Raises:
            DatasetError: it has no such split.
        """
        self._rows: dict[str, list[LabelledText]] = {}
        corpus = read_corpus()
        for row in corpus:
            if row.split == split:
                text = LabelledText(row.source_id, row.text, row.intent)
                self._rows.setdefault(row.language, []).append(text)
        if not self._rows:
            splits = ", ".join(sorted({row.split for row in corpus}))
            raise DatasetError(Problem("dataset.split", f"one of {splits}", repr(split), "correct dataset.split"))
        self._digest = digest_file(CORPUS_FILE)

    def identity(self, language: str) -> dict[str, str]:
        """See `Source.identity`."""
        return {"sha256": self._digest}

    def rows(self, language: str) -> list[LabelledText]:
        """See `Source.rows`."""
        return self._rows[language]


def _json_lines(language: str, path: Path) -> Iterator[Any]:
    try:
        with _open_text(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _parse(language, path, number, line)
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise LanguageError(f"{language}: cannot read {path.name}: {error or type(error).__name__}") from error


def _open_text(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _parse(language: str, path: Path, number: int, line: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise LanguageError(f"{language}: {path.name} line {number}: expected JSON, got {error}") from error


def _labelled(language: str, raw: Iterable[Any]) -> list[LabelledText]:
    rows = [_labelled_row(language, number, value) for number, value in enumerate(raw, start=1)]
    if not rows:
        raise LanguageError(f"{language}: expected at least 1 row, got none")
    return rows


def _labelled_row(language: str, number: int, value: Any) -> LabelledText:  # noqa: ANN401 - any JSON value
    fields = [value.get(key) if isinstance(value, dict) else None for key in ("id", "text", "label_text")]
    if not all(isinstance(field, str) and field for field in fields):
        got = f"{value!r:.200}"
        raise LanguageError(f"{language}: row {number}: expected texts `id`, `text` and `label_text`, got {got}")
    try:
        "".join(map(str, fields)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise LanguageError(f"{language}: row {number}: expected Unicode texts, got {error}") from error
    return LabelledText(*map(str, fields))
