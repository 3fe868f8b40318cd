"""What was asked and of what, as two digests that decide whether two reports may be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from laya_sweep.identity import digest_text, ordered_json

#: Fields of a question that reach the model, in the order in which the upstream fingerprint lists them.
_FIELDS = ("type", "instructions", "labels", "criteria")


def dataset_sha256(config: Mapping[str, Any], cases: Sequence[Mapping[str, Any]]) -> str:
    """The digest of a file's bytes where the cases come from one labelled file, else of the frozen cases themselves.

    Args:
        config: `config` of report.json.
        cases: rows of the cases table.
    """
    if config.get("dataset", {}).get("name") == "jsonl":
        sources = [language.get("source", {}).get("sha256") for language in config["languages"].values()]
        if sources and sources[0] is not None and len(set(sources)) == 1:
            return str(sources[0])
    return digest_text("".join(f"{_canonical_row(case)}\n" for case in cases))


def questions_sha256(cases: Iterable[Mapping[str, Any]]) -> str:
    """The digest of the set of questions asked, whatever the number of rows; equal to upstream's on the same set.

    Per question a compact JSON text: id, type, instructions as they are tokenised, labels and criteria in their own
    order, and the option order where a row names one. Criteria order is part of a question, so keys are not sorted.
    """
    asked = {_schema(qid, question) for case in cases for qid, question in json.loads(case["questions_json"]).items()}
    return digest_text("".join(f"{schema}\n" for schema in sorted(asked)))


def _schema(qid: str, question: Mapping[str, Any]) -> str:
    instructions = question.get("instructions")
    shown = instructions if isinstance(instructions, str) else json.dumps(instructions, ensure_ascii=False)
    fields = {"qid": qid} | {name: question.get(name) for name in _FIELDS} | {"instructions": shown}
    if "option_order" in question:
        fields["option_order"] = question["option_order"]
    return ordered_json(fields)


def _canonical_row(case: Mapping[str, Any]) -> str:
    """State and questions keep the order of their keys, which the model reads; expected answers are sorted."""
    row = {"language": case["language"], "model": case.get("model"), "tags": case.get("tags") or []}
    shown = ordered_json(row)
    return f"[{shown},{case['state_json']},{case['questions_json']},{case['expected_json']}]"
