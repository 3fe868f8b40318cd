"""Cases of a published document -> rows of the tables of a run, with options back in canonical order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from laya_sweep.documents.narrowed import narrowing_columns
from laya_sweep.documents.published_case import NUMBERS, OWN_KEYS, told_questions
from laya_sweep.documents.published_shape import PUBLISHED_KEYS
from laya_sweep.domain.case import Case, Draft, freeze
from laya_sweep.domain.question import option_labels
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.settings import BASELINE
from laya_sweep.errors import Problem, UsageError


def frozen_cases(cases: Sequence[Mapping[str, Any]]) -> list[Case]:
    """The row behind each case, in the document's order, with the ids that a run of ours gives the same input.

    Without a source of its own the index ties the same utterance across languages, as in the published sampling: its
    rows are parallel. Variants of one row are one case.

    Raises:
        UsageError: variants of one row tell different rows, or two rows have one id.
    """
    drafts: dict[str, dict[int, Draft]] = {}
    occurrences = {(case["lang"], case["index"]): case["occurrence"] for case in cases if "occurrence" in case}
    for case in cases:
        draft = _draft(case)
        if drafts.setdefault(case["lang"], {}).setdefault(case["index"], draft) != draft:
            raise UsageError(_problem(case, "variants of one row", "another state, question or answer"))
    found = {
        (code, index): _placed(case, occurrences.get((code, index)))
        for code, own in drafts.items()
        for index, case in zip(own, freeze(own.values()), strict=True)
    }
    if len({(case.language, case.case_id) for case in found.values()}) < len(found):
        raise UsageError(_problem(cases[0], "rows with ids of their own", "one occurrence twice"))
    return [found[case["lang"], case["index"]] for case in cases]


def decision_row(case: Mapping[str, Any], frozen: Case, key: ResultKey, group: int | None) -> dict[str, Any]:
    """The columns of a decision that a case tells.

    Args:
        case: of the document.
        frozen: its row.
        key: whose decision it is.
        group: the size of a group, where a tournament came before the answer.
    """
    [(qid, question)] = frozen.questions.items()
    labels, indices = option_labels(question), _indices(case)
    gold, predicted = _gold(case, labels), indices[case["pred_index"]]
    return {
        "model": case.get("model", key.checkpoint),
        "language": frozen.language,
        "case_id": frozen.case_id,
        "variant": case.get("variant", BASELINE),
        "question": qid,
        "source_id": frozen.source_id,
        "row_index": frozen.row_index,
        "tags": list(frozen.tags),
        "question_type": "choice",
        "n_options": len(case["options"]),
        "options": [*labels],
        "temperature": case["temperature"],
        "gold_index": gold,
        "gold_label": labels[gold],
        "pred_index": predicted,
        "pred_label": labels[predicted],
        **{column: case.get("unrounded", case)[name] for name, column in NUMBERS.items()},
        "gate_confidence": case.get("gate_confidence"),
        "correct": bool(case["correct"]),
        **narrowing_columns(case, labels, group),
    }


def variant_row(case: Mapping[str, Any], frozen: Case, key: ResultKey) -> dict[str, Any] | None:
    """How a case was shown; None where it was as it stands in its row."""
    if "variant" not in case and "canonical_indices" not in case:
        return None
    [(qid, question)] = frozen.questions.items()
    labels, indices = option_labels(question), _indices(case)
    shown = dict(zip(indices, case["options"], strict=True))
    return {
        "language": frozen.language,
        "transform": key.transform,
        "case_id": frozen.case_id,
        "variant": case.get("variant", BASELINE),
        "question": qid,
        "question_type": "choice",
        "presented_keys": case["options"],
        "canonical_to_transformed": [shown.get(index, label) for index, label in enumerate(labels)],
        "transformed_to_canonical": [labels[index] for index in indices],
        "canonical_indices": indices,
    }


def foreign_entry(case: Mapping[str, Any], frozen: Case) -> dict[str, Any] | None:
    """What no table has room for of a case; None where that is nothing."""
    known = {*PUBLISHED_KEYS, *OWN_KEYS, "option_texts"}
    keys = {name: value for name, value in case.items() if name not in known}
    without = "option_texts" not in case
    if not keys and not without:
        return None
    place = {"language": frozen.language, "case_id": frozen.case_id, "variant": case.get("variant", BASELINE)}
    return place | {"keys": keys, "without_texts": without}


def _draft(case: Mapping[str, Any]) -> Draft:
    questions = told_questions(case)
    [(qid, question)] = questions.items()
    labels = [*question["criteria"]]
    return Draft(
        source_id=case.get("source_id", str(case["index"])),
        row_index=case["index"],
        language=case["lang"],
        state=case["state"],
        questions=questions,
        expected={qid: labels[_gold(case, option_labels(question))]},
        tags=tuple(case.get("tags", ())),
        model=case.get("asked_model"),
    )


def _placed(case: Case, occurrence: int | None) -> Case:
    """The case under the number that its run gave it among equal inputs, some of which the document may lack."""
    if occurrence is None:
        return case
    return replace(case, case_id=f"{case.case_id.rpartition('-')[0]}-{occurrence}")


def _indices(case: Mapping[str, Any]) -> list[int]:
    """Of each slot the canonical index of its option."""
    return [*case.get("canonical_indices", range(len(case["options"])))]


def _gold(case: Mapping[str, Any], labels: Sequence[str]) -> int:
    """The canonical index of the gold option; one that was not shown is known by its label.

    Raises:
        UsageError: it is no option of the question.
    """
    slot: int | None = case["gold_index"]
    if slot is not None:
        return _indices(case)[slot]
    if case["gold_label"] not in labels:
        raise UsageError(_problem(case, "a gold label among the options of its question", repr(case["gold_label"])))
    return labels.index(case["gold_label"])


def _problem(case: Mapping[str, Any], expected: str, got: str) -> Problem:
    what = f"published document: case {case['index']} of language {case['lang']!r}"
    return Problem(what, expected, got, "import a document that laya-eval or `export` wrote")
