"""A case: a state with typed questions and, where known, the right answers; frozen once built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from laya_sweep.domain.identity import digest_text, ordered_json

#: Hex digits of the input digest that a case id starts with: 128 bits, no chance of a collision.
_ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Draft:
    """A case before it has an id: what a suite reads or samples from one row."""

    source_id: str
    row_index: int
    language: str
    state: Any
    questions: dict[str, dict[str, Any]]
    expected: dict[str, Any]
    tags: tuple[str, ...] = ()
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A frozen case.

    `case_id` is the digest of what the model reads (state and questions, key order kept) plus an occurrence
    number, so the same input has the same id wherever it stands and identical rows stay apart. `source_id`
    ties the same utterance across languages. Questions are in the runtime's own form, by question id. `model` is
    the checkpoint that the row asks for, None where it asks for none.
    """

    case_id: str
    source_id: str
    row_index: int
    language: str
    state: Any
    questions: dict[str, dict[str, Any]]
    expected: dict[str, Any]
    input_sha256: str
    tags: tuple[str, ...] = ()
    model: str | None = None


def freeze(drafts: Iterable[Draft]) -> list[Case]:
    """Cases with their ids, in the order of the drafts."""
    seen: Counter[str] = Counter()
    cases = []
    for draft in drafts:
        digest = digest_text(ordered_json({"state": draft.state, "questions": draft.questions}))
        case_id = f"{digest[:_ID_DIGITS]}-{seen[digest]}"
        seen[digest] += 1
        cases.append(
            Case(
                case_id=case_id,
                source_id=draft.source_id,
                row_index=draft.row_index,
                language=draft.language,
                state=draft.state,
                questions=draft.questions,
                expected=draft.expected,
                input_sha256=digest,
                tags=draft.tags,
                model=draft.model,
            )
        )
    return cases


def canonical_rows_digest(cases: Sequence[Case]) -> str:
    """SHA-256 of frozen cases, one JSON line each: what was asked, of which row, and what is right."""
    return digest_text("".join(f"{_canonical_row(case)}\n" for case in cases))


def _canonical_row(case: Case) -> str:
    names = ("case_id", "source_id", "row_index", "language", "tags", "model", "state", "questions", "expected")
    return ordered_json({name: getattr(case, name) for name in names})
