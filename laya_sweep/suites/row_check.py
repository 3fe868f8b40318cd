"""The faults of one row of a labelled file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from laya_sweep.errors import name_list
from laya_sweep.files.strict_json import FieldFault, name_of, shown
from laya_sweep.suites.question_check import question_faults, truth_faults

REQUIRED = ("state", "questions", "expected")

#: Fields that are read; a row may have more, which are left alone and counted by `validate`.
FIELDS = (*REQUIRED, "tags", "language", "model", "id")


def row_faults(row: Any) -> Iterator[FieldFault]:  # noqa: ANN401 - any JSON value
    """Every fault of a row; none means that the runtime takes its questions and that its answers can be scored."""
    if not isinstance(row, dict):
        yield FieldFault("", "an object with state, questions and expected", shown(row))
        return
    for key in REQUIRED:
        if key not in row:
            near = [name for name in row if name not in FIELDS]
            yield FieldFault(key, "the field", f"only {name_list(near, key)}"[:200] if near else "nothing")
    if row.get("state", "") is None:
        yield FieldFault("state", "a text or a JSON document", "null")
    yield from _questions(row)
    yield from _labels(row)


def _questions(row: dict[str, Any]) -> Iterator[FieldFault]:
    questions = row.get("questions", {})
    sound = isinstance(questions, dict)
    if not sound or ("questions" in row and not questions):
        yield FieldFault("questions", "an object of at least one question by id", shown(questions))
    faults = {qid: [*question_faults(qid, question)] for qid, question in questions.items()} if sound else {}
    for own in faults.values():
        yield from own
    expected = row.get("expected", {})
    if not isinstance(expected, dict):
        yield FieldFault("expected", "an object of right answers by question id", shown(expected))
    elif sound and "questions" in row:
        yield from _truths(questions, faults, expected)


def _truths(
    questions: dict[str, Any], faults: dict[str, list[FieldFault]], expected: dict[str, Any]
) -> Iterator[FieldFault]:
    for qid, truth in expected.items():
        if qid not in questions:
            known = name_list([name_of(known) for known in questions], qid)[:200] or "none"
            yield FieldFault(f"expected.{name_of(qid)}", f"the id of a question of this row ({known})", shown(qid))
        elif not faults[qid]:
            yield from truth_faults(qid, questions[qid], truth)


def _labels(row: dict[str, Any]) -> Iterator[FieldFault]:
    """Faults of tags, language, model and id; null is the same as nothing."""
    tags = row.get("tags")
    if tags is not None and not isinstance(tags, list):
        yield FieldFault("tags", "a list of texts", shown(tags))
    for i, tag in enumerate(tags if isinstance(tags, list) else []):
        if not isinstance(tag, str):
            yield FieldFault(f"tags[{i}]", "a text", shown(tag))
    for key in ("language", "model"):
        value = row.get(key)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            yield FieldFault(key, "a text that is not blank", shown(value))
    name = row.get("id")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int) or name == ""):
        yield FieldFault("id", "a text or a whole number", shown(name))
