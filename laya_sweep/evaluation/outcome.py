"""What came out of asking: answers, decisions and errors, from a runner object or from an engine alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from laya_sweep.store.schemas import DECISIONS

#: Decisions as a notebook gets them. A runner tells less than an engine (no temperature, no raw confidence), so more
#: may be null than in a stored run. `checkpoint` is who answered. The abstention marks stand beside the decision.
EVALUATED = pa.schema(
    [
        *(pa.field(one.name, one.type) for one in DECISIONS if one.name not in ("cell_key", "case_id", "variant")),
        pa.field("case_id", pa.string(), nullable=False),
        pa.field("abstention", pa.string()),
        pa.field("abstention_threshold", pa.float64()),
    ]
)

#: Fields of a result, beside the answers, that say how a question was answered.
EXTRAS = ("shortlist", "tournament")


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with a valid answer, in the runtime's form; `index` is its row, `model` who answered.

    `narrowing` holds the narrowing columns where the question was cut down, and the answer is over what was kept.
    """

    index: int
    qid: str
    answer: dict[str, Any]
    confidence: float | None
    model: str
    extras: dict[str, Any] = field(default_factory=dict)
    narrowing: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, order=True)
class AnswerError:
    """A row without an answer, or with `question` one of its questions, and what went wrong."""

    index: int
    question: str | None
    error: str

    def document(self) -> dict[str, Any]:
        """As an entry of `errored` in a report."""
        asked = {} if self.question is None else {"question": self.question}
        return {"index": self.index, **asked, "error": self.error}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything that came out.

    Attributes:
        answered: in the order of the rows, and of the questions of a row; unlabelled ones are among them.
        decisions: the same as a table of schema `EVALUATED`.
        errors: what has no answer.
        figures: `*_ms` metrics of the calls that returned.
        timing: the block of a report that says what happened in the calls.
        rounding: "exact" where decisions come from logits, "runtime" where they come from its rounded answers.
        regime: which temperature was applied; None where the runner did not tell.
        notes: what a person should know of the runner, said once.
    """

    answered: tuple[Answered, ...]
    decisions: pa.Table
    errors: tuple[AnswerError, ...]
    figures: dict[str, float]
    timing: dict[str, Any]
    rounding: Literal["exact", "runtime"]
    regime: str | None
    notes: tuple[str, ...] = ()
