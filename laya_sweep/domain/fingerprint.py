"""Two digests that say whether two results are the same measurement.

Both are the numbers that laya.evals 0.4.15 publishes as `dataset_sha256` and `questions_sha256` for the same file,
so that baselines of either side compare (tests hold that); the definitions below are complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol

from laya_sweep.domain.identity import digest_file, ordered_json
from laya_sweep.errors import DatasetError, Problem


class WithQuestions(Protocol):
    """Anything with questions: a row of a labelled file, or a frozen case."""

    @property
    def questions(self) -> dict[str, dict[str, Any]]:
        """Question definitions by id."""
        ...


def file_fingerprint(path: Path) -> str:
    """SHA-256 of a file's bytes, in hex: two files of one name are two datasets.

    Raises:
        DatasetError: the file cannot be read.
    """
    try:
        return digest_file(path)
    except OSError as error:
        got = error.strerror or type(error).__name__
        raise DatasetError(Problem(str(path), "a file that can be read", got, "correct the path")) from error


def questions_fingerprint(examples: Iterable[WithQuestions]) -> str:
    """SHA-256 of what was asked, whatever the rows and their order: more states on the same questions leave it.

    One compact JSON line per distinct question, sorted: `qid`, `type`, `instructions` (those that are no text as
    the JSON that is tokenised), `labels`, `criteria` in the order written, and `option_order` where there is one.
    """
    lines = {_line(qid, question) for example in examples for qid, question in example.questions.items()}
    digest = hashlib.sha256()
    for line in sorted(lines):
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def _line(qid: str, question: dict[str, Any]) -> str:
    instructions = question.get("instructions")
    if not isinstance(instructions, str):
        instructions = json.dumps(instructions, ensure_ascii=False)
    fields = {
        "qid": qid,
        "type": question.get("type"),
        "instructions": instructions,
        "labels": question.get("labels"),
        "criteria": question.get("criteria"),
    }
    if "option_order" in question:
        fields["option_order"] = question["option_order"]
    return ordered_json(fields)
