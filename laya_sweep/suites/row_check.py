"""What one row of a labelled file may be, and every fault of a row that is something else."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Annotated, Any

from pydantic import AfterValidator, InstanceOf

from laya_sweep.domain.checked import Document, Name, Refusal, Takes, filled, refuse, refuser
from laya_sweep.errors import name_list
from laya_sweep.files.strict_json import FieldFault, name_of, shown
from laya_sweep.suites.question_check import question_refusals, truth_refusals


def row_faults(row: Any) -> list[FieldFault]:  # noqa: ANN401 - any JSON value
    """Every fault of a row; none means that the runtime takes its questions and that its answers can be scored."""
    found = _ROW(row)
    if isinstance(row, dict):
        found += _inside(row.get("questions"), row.get("expected"))
        # What is missing comes first, then field by field.
        found.sort(key=lambda one: FIELDS.index(str(one.place[0])) if one.place[0] in row else -1)
    return [field_fault(_lacking(one, row) if one.value is MISSING else one) for one in found]


def field_fault(refusal: Refusal) -> FieldFault:
    """A refused value as the fault of a row, its place as it is written: `questions.q.criteria[1]`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{name_of(part)}" for part in refusal.place)
    got = refusal.got or ("nothing" if refusal.value is MISSING else shown(refusal.value))
    return FieldFault("".join(parts).removeprefix("."), refusal.words, got)


def _lacking(refusal: Refusal, row: dict[str, Any]) -> Refusal:
    """A missing field of the row itself, with what may have been meant for it; one of a question as it is."""
    if len(refusal.place) > 1:
        return refusal
    near = [name for name in row if name not in FIELDS]
    got = f"only {name_list(near, str(refusal.place[0]))}"[:200] if near else None
    return refusal._replace(words="the field", got=got)


def _inside(questions: Any, expected: Any) -> list[Refusal]:  # noqa: ANN401 - any JSON values
    """Faults of each question by itself, and of the right answers to those without one."""
    found: list[Refusal] = []
    if not isinstance(questions, dict):
        return found
    asked = {qid: question_refusals(qid, question) for qid, question in questions.items()}
    for own in asked.values():
        found += own
    for qid, truth in expected.items() if isinstance(expected, dict) else ():
        if qid not in questions:
            known = name_list([name_of(known) for known in questions], qid)[:200] or "none"
            found.append(Refusal(("expected", qid), f"the id of a question of this row ({known})", qid))
        elif not asked[qid]:
            found += truth_refusals(qid, questions[qid], truth)
    return found


def _not_null(state: object) -> object:
    if state is None:
        refuse(Refusal((), "a text or a JSON document", None, got="null"))
    return state


_Filled = Annotated[str, AfterValidator(filled)]


class _Row(Document, extra="ignore"):
    """A row as it is written; null is the same as nothing where a field may be left out."""

    state: Annotated[Any, AfterValidator(_not_null)]
    questions: Annotated[
        InstanceOf[dict[str, Any]],
        AfterValidator(filled),
        Takes("an object of at least one question by id", whole=True),
    ]
    expected: Annotated[InstanceOf[dict[str, Any]], Takes("an object of right answers by question id", whole=True)]
    tags: Annotated[list[Annotated[str, Takes("a text", whole=True)]], Takes("a list of texts")] | None = None
    language: Name | None = None
    model: Name | None = None
    id: Annotated[_Filled | int, Takes("a text or a whole number", whole=True)] | None = None


_ROW = refuser(Annotated[_Row, Takes("an object with state, questions and expected")])

#: Fields that are read; a row may have more, which are left alone and counted by `validate`.
FIELDS = tuple(_Row.model_fields)
