"""The bundled corpus: 80 utterances in each of 51 languages, parallel by `source_id` (see README.md beside it).

Standard library only, so that a suite reads it without torch.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

#: One table, since a language is a row in a table: tab-separated, UTF-8, no quoting.
CORPUS_FILE = Path(__file__).parent / "corpus.tsv"


class CorpusRow(NamedTuple):
    """One utterance in one language.

    `source_id` ties the same utterance across languages; `split` is `train` or `test`, the same in every
    language; `urgency` is 0 (not urgent), 1 (soon) or 2 (immediately).
    """

    language: str
    source_id: str
    intent: str
    split: str
    urgency: int
    text: str


class CorpusError(Exception):
    """The bundled table is not the one that was shipped: an edited or damaged installation."""


def read_corpus() -> tuple[CorpusRow, ...]:
    """Every row, in file order: languages by code, utterances in source order.

    Fields are plain text between tabs; a quotation mark is a character like any other.

    Raises:
        CorpusError: the header or a row is not in the expected form.
    """
    text = CORPUS_FILE.read_bytes().decode("utf-8")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = tuple(next(reader, ()))
    if header != CorpusRow._fields:
        raise CorpusError(f"{CORPUS_FILE.name}: expected the header {CorpusRow._fields}, got {header}")
    return tuple(_row(number, fields) for number, fields in enumerate(reader, start=2))


def _row(number: int, fields: list[str]) -> CorpusRow:
    if len(fields) != len(CorpusRow._fields) or fields[4] not in ("0", "1", "2"):
        expected = f"{len(CorpusRow._fields)} fields with an urgency of 0, 1 or 2"
        raise CorpusError(f"{CORPUS_FILE.name} line {number}: expected {expected}, got {fields!r:.200}")
    language, source_id, intent, split, urgency, text = fields
    return CorpusRow(language, source_id, intent, split, int(urgency), text)
