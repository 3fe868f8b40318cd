"""The `cases` of a published 51-language document: one decision each, from a run's rows.

A case says what the model was shown. Where that, with its index, does not tell which row of the run it is, and how its
options stand in the question of the run, it says so besides, under the keys of `OWN_KEYS`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from laya_sweep.documents.narrowed import narrowed_case
from laya_sweep.documents.shown import Place, Shown, cases_in_order
from laya_sweep.domain.identity import digest_text, ordered_json
from laya_sweep.domain.question import INTENT_QUESTION
from laya_sweep.domain.settings import BASELINE
from laya_sweep.errors import Problem, UsageError
from laya_sweep.scoring.answer import criterion_text
from laya_sweep.store.stored_run import StoredResult, StoredRun

#: Decimals of probabilities in the published cases.
CASE_DECIMALS: Final = 6

#: A key of the configuration of every document of ours.
OURS: Final = "laya_sweep_version"

#: Number of a case -> column of the decisions.
NUMBERS: Final = {"probability": "p_pred", "p_gold": "p_gold", "confidence": "answer_confidence"}

#: What `input_sha256` covers, in the order in which it is hashed.
INPUT_KEYS: Final = ("lang", "index", "state", "instructions", "options", "option_texts", "gold_index")

#: Keys of ours, each only where it says more than the published ones: who answered and who was asked for, the row's id,
#: tags and place among equal inputs, the question as it stands in the row, the variant and which of the question's
#: options stood in each slot, the numbers before they were rounded, the confidence that thresholds gate, and what was
#: kept of a narrowed question.
OWN_KEYS: Final = (
    *("model", "asked_model", "source_id", "tags", "occurrence", "questions", "variant", "canonical_indices"),
    *("unrounded", "gate_confidence"),
    *("shortlist", "shortlist_status", "tournament", "tournament_status"),
)


def published_cases(result: StoredResult, shown: Mapping[Place, Shown]) -> list[dict[str, Any]]:
    """Every decision of a result, in the order of the input; languages that failed have none.

    Args:
        result: the result.
        shown: from `shown_answers`.

    Raises:
        UsageError: a case is not one choice question with a right answer, which is all this shape can hold.
    """
    decisions: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in result.decisions.to_pylist():
        decisions.setdefault((row["language"], row["case_id"]), []).append(row)
    foreign, cases = foreign_keys(result.run), []
    published = (result.run.imported or {}).get("config", {})
    rounded = result.run.imported is None or OURS in published
    for case in cases_in_order(result.run):
        questions = json.loads(case["questions_json"])
        for row in decisions.get((case["language"], case["case_id"]), ()):
            if len(questions) != 1 or row["question_type"] != "choice" or row["gold_index"] is None:
                raise UsageError(_unfit(case))
            own, keys = shown[Place.of(row)], foreign.get((row["language"], row["case_id"], row["variant"]))
            document = _asked(case, questions[row["question"]], own)
            if keys is not None and keys["without_texts"]:
                del document["option_texts"]
            document |= _answer(row, own, CASE_DECIMALS if rounded else None)
            document |= dict(_own(case, questions, row, document, own, result))
            cases.append(document | ({} if keys is None else keys["keys"]))
    return cases


def foreign_keys(run: StoredRun) -> dict[tuple[str, str, str], dict[str, Any]]:
    """(language, case, variant) -> what an imported document says of a case that no table has room for: its other
    `keys`, and whether it is `without_texts` of the options."""
    told = (run.config.get("imported") or {}).get("cases", ())
    return {(entry["language"], entry["case_id"], entry["variant"]): entry for entry in told}


def input_digests(cases: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """`input_sha256` by language: SHA-256 of the compact JSON list of what was asked."""
    inputs: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        inputs.setdefault(case["lang"], []).append({key: case[key] for key in INPUT_KEYS if key in case})
    return {code: digest_text(ordered_json(asked)) for code, asked in inputs.items()}


def told_questions(case: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The question of a case as the run has it: its own word for it, else what the published keys tell."""
    told: dict[str, dict[str, Any]] | None = case.get("questions")
    if told is not None:
        return told
    texts = case.get("option_texts")
    criteria = case["options"] if texts is None else dict(zip(case["options"], texts, strict=True))
    return {INTENT_QUESTION: {"type": "choice", "instructions": case["instructions"], "criteria": criteria}}


def _asked(case: Mapping[str, Any], question: Mapping[str, Any], shown: Shown) -> dict[str, Any]:
    return {
        "lang": case["language"],
        "index": case["row_index"],
        "state": json.loads(case["state_json"]),
        "instructions": question["instructions"],
        "options": [*shown.labels],
        "option_texts": [*_option_texts(question["criteria"], shown)],
    }


def _answer(row: Mapping[str, Any], shown: Shown, decimals: int | None) -> dict[str, Any]:
    """Numbers of a run of ours are rounded; those of a document of others stand as they were published."""
    numbers = {name: row[column] for name, column in NUMBERS.items()}
    if decimals is not None:
        numbers = {name: round(value, decimals) for name, value in numbers.items()}
    gold, predicted = shown.slot(row["gold_index"]), shown.slot(row["pred_index"])
    return {
        "gold_index": gold,
        "gold_label": row["gold_label"] if gold is None else shown.labels[gold],
        "pred_index": predicted,
        "pred_label": row["pred_label"] if predicted is None else shown.labels[predicted],
        **numbers,
        "correct": int(row["correct"]),
        "temperature": row["temperature"],
    }


def _own(
    case: Mapping[str, Any],
    questions: Mapping[str, Any],
    row: Mapping[str, Any],
    document: Mapping[str, Any],
    shown: Shown,
    result: StoredResult,
) -> Iterator[tuple[str, Any]]:
    """What the published keys of a case do not tell."""
    if result.routes is not None or row["model"] != result.checkpoint:
        yield "model", row["model"]
    if case["model"] is not None:
        yield "asked_model", case["model"]
    if case["source_id"] != str(case["row_index"]):
        yield "source_id", case["source_id"]
    if case["tags"]:
        yield "tags", list(case["tags"])
    if occurrence := int(case["case_id"].rpartition("-")[2]):
        yield "occurrence", occurrence
    if row["variant"] != BASELINE:
        yield "variant", row["variant"]
    if ordered_json(told_questions(document)) != ordered_json(questions):
        yield "questions", questions
    if shown.indices != tuple(range(len(row["options"]))):
        yield "canonical_indices", [*shown.indices]
    exact = {name: row[column] for name, column in NUMBERS.items()}
    if any(document[name] != value for name, value in exact.items()):
        yield "unrounded", exact
    if row["gate_confidence"] is not None:
        yield "gate_confidence", row["gate_confidence"]
    yield from narrowed_case(row).items()


def _option_texts(criteria: Mapping[str, Any] | Sequence[Any], shown: Shown) -> Iterator[str]:
    texts = [*criteria.values()] if isinstance(criteria, Mapping) else [None] * len(criteria)
    for index, label in zip(shown.indices, shown.labels, strict=True):
        yield label if texts[index] in (None, "") else criterion_text(texts[index])


def _unfit(case: Mapping[str, Any]) -> Problem:
    what = f"case {case['row_index']} of language {case['language']!r}"
    step = "use `export --format laya-evals` and `compare` for this run"
    return Problem(what, "one labelled choice question, which laya-eval documents hold", "others", step)
