"""Where the rows of XNLI are: a folder in the layout of the Hub dataset, or the repository at a pinned commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from laya_sweep.domain.identity import canonical_json, digest_text
from laya_sweep.errors import DatasetError, Problem
from laya_sweep.files.hub import Hub
from laya_sweep.files.strict_json import shown
from laya_sweep.suites.chosen import chosen_languages
from laya_sweep.suites.labelled import Fault
from laya_sweep.suites.languages import XNLI_LANGUAGES
from laya_sweep.suites.source import LanguageError
from laya_sweep.suites.table_file import TableFile, read_table

#: Labels in the order of the dataset's numbers: 0, 1, 2.
RELATIONS = ("entailment", "neutral", "contradiction")

_COLUMNS = ("premise", "hypothesis", "label")

#: A config of the repository that holds all translations of a row at once: no language.
_NO_LANGUAGE = "all_languages"

_STEP = "correct dataset.path or dataset.split"


class Pair(NamedTuple):
    """A premise, a hypothesis, and how the second relates to the first."""

    premise: str
    hypothesis: str
    relation: str


class XnliSource(Protocol):
    """The rows of one split, language by language."""

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """The languages to build."""
        ...

    def identity(self, language: str) -> dict[str, str]:
        """What decides the rows of a language: a commit, or a digest of the bytes read."""
        ...

    def pairs(self, language: str) -> list[Pair]:
        """Every row of a language, in order."""
        ...


class XnliFolder:
    """`<language>/<split>*.parquet`, shards in order of their names, or `<language>/<split>.jsonl`."""

    def __init__(self, path: Path, split: str) -> None:
        """Look at the folder.

        Raises:
            DatasetError: it is missing, or has no file of the split.
        """
        self._path = path
        self._read: dict[str, list[TableFile]] = {}
        layout = f"a folder in the layout <language>/{split}*.parquet or <language>/{split}.jsonl"
        if not path.is_dir():
            raise DatasetError(Problem(f"dataset.path {path}", layout, "no such folder", _STEP))
        folders = [entry for entry in sorted(path.iterdir()) if entry.is_dir() and entry.name != _NO_LANGUAGE]
        self._files = {entry.name: found for entry in folders if (found := _files(entry, split))}
        if not self._files:
            raise DatasetError(Problem(f"dataset.path {path}", layout, f"no file of the split {split!r} in it", _STEP))

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """Those of the folder, and no others.

        Raises:
            DatasetError: with every language that is wanted and not there.
        """
        return chosen_languages(str(self._path), self._files, wanted)

    def identity(self, language: str) -> dict[str, str]:
        """See `XnliSource.identity`.

        Raises:
            LanguageError: the files cannot be read.
        """
        return {"sha256": digest_text(canonical_json([file.sha256 for file in self._tables(language)]))}

    def pairs(self, language: str) -> list[Pair]:
        """See `XnliSource.pairs`.

        Raises:
            LanguageError: the files cannot be read, or with their number of faults and the first.
        """
        made: list[Pair] = []
        for file in self._tables(language):
            pairs, faults = _checked(file.cells.rows)
            if found := [*file.cells.faults, *faults]:
                raise LanguageError(f"{language}: {len(found)} faults, the first: {file.error(found[:1])}")
            made += pairs
        return made

    def _tables(self, language: str) -> list[TableFile]:
        if language not in self._read:
            try:
                self._read[language] = [read_table(path, _COLUMNS) for path in self._files[language]]
            except DatasetError as error:
                raise LanguageError(f"{language}: {error}") from error
        return self._read[language]


class XnliHub:
    """The dataset repository, one config a language, pinned to the commit that its revision names now."""

    def __init__(self, repo: str, revision: str | None, split: str, hub: Hub) -> None:
        self._repo, self._split, self._hub = repo, split, hub
        self._commit = hub.resolve(repo, revision, "dataset")

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """The 15 of XNLI, or those that are named: one that the repository lacks is recorded when it is built."""
        return tuple(XNLI_LANGUAGES) if wanted is None else tuple(wanted)

    def identity(self, language: str) -> dict[str, str]:
        """See `XnliSource.identity`."""
        return {"repo": self._repo, "commit": self._commit}

    def pairs(self, language: str) -> list[Pair]:
        """See `XnliSource.pairs`.

        Raises:
            LanguageError: the repository has no such config or split, or with the number of faults and the first.
        """
        try:
            rows = self._hub.rows(self._repo, self._commit, language, self._split)
        except DatasetError as error:
            raise LanguageError(f"{language}: {error}") from error
        pairs, faults = _checked(enumerate(rows, start=1))
        if faults:
            first = faults[0]
            what = f"row {first.line}, {first.field}: expected {first.expected}, got {first.got}"
            raise LanguageError(f"{language}: {len(faults)} faults, the first: {what}")
        return pairs


def _files(folder: Path, split: str) -> list[Path]:
    plain = folder / f"{split}.jsonl"
    shards = [*folder.glob(f"{split}.parquet"), *folder.glob(f"{split}-*.parquet")]
    return sorted(shards) or ([plain] if plain.is_file() else [])


def _checked(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> tuple[list[Pair], list[Fault]]:
    pairs, faults = [], []
    for line, cells in rows:
        own = [Fault(line, name, expected, shown(cells.get(name))) for name, expected in _wrong(cells)]
        faults += own
        if not own:
            label = cells["label"]
            relation = label if isinstance(label, str) else RELATIONS[label]
            pairs.append(Pair(cells["premise"], cells["hypothesis"], relation))
    return pairs, faults


def _wrong(cells: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name in ("premise", "hypothesis"):
        if not isinstance(cells.get(name), str) or not cells[name].strip():
            yield name, "a text that is not blank"
    label = cells.get("label")
    numbered = isinstance(label, int) and not isinstance(label, bool) and 0 <= label < len(RELATIONS)
    if not numbered and label not in RELATIONS:
        yield "label", f"0, 1 or 2, or one of {', '.join(RELATIONS)}"
