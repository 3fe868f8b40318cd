"""The `cases` of a published 51-language document: one decision each, from a run's rows and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from laya_sweep.domain.identity import digest_text, ordered_json
from laya_sweep.errors import Problem, UsageError
from laya_sweep.scoring.answer import criterion_text
from laya_sweep.store.stored_run import StoredResult

#: Decimals of probabilities in the published cases.
CASE_DECIMALS = 6

#: What `input_sha256` covers, in the order in which it is hashed.
INPUT_KEYS = ("lang", "index", "state", "instructions", "options", "option_texts", "gold_index")


def published_cases(result: StoredResult) -> list[dict[str, Any]]:
    """Every decision of a result, in the order of its cases; languages that failed have none.

    Raises:
        UsageError: a case is not one choice question with a right answer, which is all this shape can hold.
    """
    decisions: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in result.decisions.to_pylist():
        decisions.setdefault((row["language"], row["case_id"]), []).append(row)
    cases = []
    for case in result.run.cases:
        rows = decisions.get((case["language"], case["case_id"]))
        if rows is not None:
            cases.append(_published(case, rows, result))
    return cases


def input_digests(cases: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """`input_sha256` by language: SHA-256 of the compact JSON list of what was asked."""
    inputs: dict[str, list[dict[str, Any]]] = {}
    for case in cases:
        inputs.setdefault(case["lang"], []).append({key: case[key] for key in INPUT_KEYS if key in case})
    return {code: digest_text(ordered_json(asked)) for code, asked in inputs.items()}


def _published(case: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], result: StoredResult) -> dict[str, Any]:
    questions = json.loads(case["questions_json"])
    row, alone = rows[0], len(rows) == 1 and len(questions) == 1
    if not alone or row["question_type"] != "choice" or row["gold_index"] is None:
        what = f"case {case['row_index']} of language {case['language']!r}"
        step = "use `export --format laya-evals` and `compare` for this run"
        raise UsageError(Problem(what, "one labelled choice question, which laya-eval documents hold", "others", step))
    question = questions[row["question"]]
    document = {
        "lang": case["language"],
        "index": case["row_index"],
        "state": json.loads(case["state_json"]),
        "instructions": question["instructions"],
        "options": list(row["options"]),
        "option_texts": _option_texts(question["criteria"]),
    }
    if result.run.imported is not None and isinstance(question["criteria"], list):
        del document["option_texts"]  # the imported document did not tell
    if result.routes is not None or row["model"] != result.checkpoint:
        document["model"] = row["model"]
    return document | _answer(row, CASE_DECIMALS if result.run.imported is None else None)


def _answer(row: Mapping[str, Any], decimals: int | None) -> dict[str, Any]:
    """Numbers of a run of ours are rounded; those of an imported document stand as they were published."""
    numbers = {"probability": row["p_pred"], "p_gold": row["p_gold"], "confidence": row["answer_confidence"]}
    if decimals is not None:
        numbers = {name: round(value, decimals) for name, value in numbers.items()}
    return {
        "gold_index": row["gold_index"],
        "gold_label": row["gold_label"],
        "pred_index": row["pred_index"],
        "pred_label": row["pred_label"],
        **numbers,
        "correct": int(row["correct"]),
        "temperature": row["temperature"],
    }


def _option_texts(criteria: Mapping[str, Any] | Sequence[Any]) -> list[str]:
    if not isinstance(criteria, Mapping):
        return [str(label) for label in criteria]
    return [label if text in (None, "") else criterion_text(text) for label, text in criteria.items()]
