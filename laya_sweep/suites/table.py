"""A text/label file as a suite: one choice question a row, over the labels of the file or those of a list.

The file is read and frozen as a whole, so a case has the same id whichever languages and however many rows a run
takes. The labels are one set for all languages. `source_id` is the row's id where it has one, else its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from laya_sweep.domain.case import Case, Draft, canonical_rows_digest, freeze
from laya_sweep.domain.settings import DatasetSettings, TableMapping
from laya_sweep.errors import name_list
from laya_sweep.files.strict_json import name_of, shown
from laya_sweep.suites.chosen import chosen_languages
from laya_sweep.suites.label_set import Labels, stated_labels
from laya_sweep.suites.labelled import Fault
from laya_sweep.suites.sampling import SAMPLINGS, LabelledText
from laya_sweep.suites.table_file import TableFile, read_table
from laya_sweep.suites.table_row import TableRow, cell_faults, columns_of, table_row

#: Version of how a row becomes a case; part of a cell's identity.
RECIPE_VERSION = 1

#: Values that a note lists.
_LISTED = 10


class TableSuite:
    """The rows of one file, by language; see `Suite` for the contract."""

    def __init__(self, settings: DatasetSettings) -> None:
        """Read the whole file.

        Raises:
            DatasetError: with every fault of the file, or of the file of labels.
        """
        if settings.path is None or settings.mapping is None:
            raise ValueError("Expected a dataset with `path` and `mapping`, but got none")
        self._settings, self._mapping = settings, settings.mapping
        given = stated_labels(settings.labels)
        self._file = read_table(settings.path, columns_of(self._mapping), self._mapping.format, self._mapping.quoted)
        self._rows = _checked_rows(self._file, self._mapping, given)
        self._labels: Labels = given or tuple((label, None) for label in sorted({row.label for row in self._rows}))
        if len(self._labels) < 2:
            raise self._file.error(
                [Fault(0, name_of(self._mapping.label), "at least 2 labels", str(len(self._labels)))]
            )
        self._cases = freeze(self._drafts())

    def languages(self, wanted: Sequence[str] | None) -> tuple[str, ...]:
        """See `Suite.languages`."""
        return chosen_languages(str(self._settings.path), {row.language for row in self._rows}, wanted)

    def recipe(self, language: str) -> dict[str, Any]:
        """See `Suite.recipe`: the bytes, how they are read, what is asked, how options are drawn."""
        mapping = self._mapping
        return {
            "name": "table",
            "version": RECIPE_VERSION,
            "source": {"sha256": self._file.sha256},
            "language": language,
            "format": [self._file.format, self._file.quoted],
            "columns": [mapping.text, mapping.label, mapping.language],
            "labels": self._labels,
            "question": [mapping.question, mapping.instructions],
            "sampling": self._drawing(),
        }

    def cases(self, language: str) -> list[Case]:
        """See `Suite.cases`."""
        own = [case for case in self._cases if case.language == language]
        return own[: self._settings.per_lang]

    def input_digest(self, cases: Sequence[Case]) -> str:
        """See `Suite.input_digest`."""
        return canonical_rows_digest(cases)

    def dataset_digest(self, cases: Sequence[Case]) -> str:
        """The digest of the frozen rows: the bytes of the file do not say which columns were asked about."""
        return canonical_rows_digest(cases)

    def document(self) -> dict[str, Any]:
        """See `Suite.document`."""
        settings, mapping = self._settings, self._mapping
        return {
            "name": "table",
            "path": str(settings.path),
            "sha256": self._file.sha256,
            "format": self._file.format,
            "rows": len(self._rows),
            "text": mapping.text if isinstance(mapping.text, str) else dict(mapping.text),
            "label": mapping.label,
            "language": mapping.language,
            "id": mapping.id,
            "tags": list(mapping.tags),
            "labels": dict(self._labels),
            "question": mapping.question,
            "instructions": mapping.instructions,
            "per_lang": settings.per_lang,
            "n_opts": settings.n_opts or None,
            "seed": settings.seed,
            "sampling": settings.sampling,
        }

    def notes(self) -> tuple[str, ...]:
        """What is in the file, and labels that no row has."""
        labels = Counter(row.label for row in self._rows)
        languages = Counter(row.language or "-" for row in self._rows)
        found = f"{self._file.path}: {len(self._rows)} rows; labels: {_counts(labels)}; languages: {_counts(languages)}"
        unused = [label for label, _ in self._labels if label not in labels]
        more = [f"labels that no row has: {name_list(unused)[:300]}"] if unused else []
        return (found, *more)

    def _drawing(self) -> list[Any] | None:
        """What decides a row's options beyond the labels; with all of them nothing does."""
        settings = self._settings
        if not settings.n_opts:
            return None
        by_id = self._mapping.id if settings.sampling == "by_row" else None
        return [settings.sampling, settings.seed, settings.n_opts, by_id]

    def _drafts(self) -> list[Draft]:
        texts, options = dict(self._labels), self._options()
        described = any(text is not None for text in texts.values())
        drafts = []
        for index, (row, drawn) in enumerate(zip(self._rows, options, strict=True)):
            criteria: Any = {label: texts[label] for label in drawn} if described else list(drawn)
            asked = {"type": "choice", "instructions": self._mapping.instructions, "criteria": criteria}
            drafts.append(
                Draft(
                    source_id=_row_id(index, row),
                    row_index=index,
                    language=row.language,
                    state=row.state,
                    questions={self._mapping.question: asked},
                    expected={self._mapping.question: row.label},
                    tags=row.tags,
                )
            )
        return drafts

    def _options(self) -> list[list[str]]:
        """Options of every row; a drawing walks each language by itself, as in the other suites."""
        settings, labels = self._settings, [label for label, _ in self._labels]
        options = [labels] * len(self._rows)
        if not settings.n_opts:
            return options
        for language in dict.fromkeys(row.language for row in self._rows):
            places = [i for i, row in enumerate(self._rows) if row.language == language]
            own = [LabelledText(_row_id(i, self._rows[i]), "", self._rows[i].label) for i in places]
            drawn = SAMPLINGS[settings.sampling](own, labels, settings.n_opts, settings.seed)
            for i, chosen in zip(places, drawn, strict=True):
                options[i] = chosen
        return options


def _checked_rows(file: TableFile, mapping: TableMapping, given: Labels | None) -> list[TableRow]:
    """Every row, or the one error of all faults of the file, in order of lines."""
    known = None if given is None else [label for label, _ in given]
    among = set(known or ())
    faults, rows = [*file.cells.faults], []
    for line, cells in file.cells.rows:
        own = [*cell_faults(mapping, cells)]
        row = None if own else table_row(mapping, cells)
        faults += [Fault(line, *fault) for fault in own]
        if row is not None and known is not None and row.label not in among:
            expected = f"one of the labels {name_list(known, row.label)[:300]}"
            faults.append(Fault(line, name_of(mapping.label), expected, shown(row.label)))
        if row is not None:
            rows.append(row)
    if faults:
        raise file.error(sorted(faults, key=lambda fault: fault.line))
    return rows


def _row_id(index: int, row: TableRow) -> str:
    return f"row {index}" if row.row_id is None else row.row_id


def _counts(counted: Counter[str]) -> str:
    pairs: Iterable[tuple[str, int]] = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    shown_pairs = [f"{name_of(name)} {count}" for name, count in pairs]
    more = [f"and {len(shown_pairs) - _LISTED} more"] if len(shown_pairs) > _LISTED else []
    return ", ".join([*shown_pairs[:_LISTED], *more])
