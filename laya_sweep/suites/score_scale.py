"""Right scores that no level of their question can reach: most often a scale that counts from 1.

They are legal, since the runtime scores them, and their errors are never 0: a person is told, and who asks for strict
mode is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from laya_sweep.domain.question import Question, option_count
from laya_sweep.errors import DatasetError, Problem, one_line


class Labelled(Protocol):
    """What has questions and right answers: a case, or a row of a labelled file."""

    @property
    def questions(self) -> Mapping[str, Question]:
        """By id."""

    @property
    def expected(self) -> Mapping[str, Any]:
        """Right answers by question id."""


@dataclass(frozen=True, slots=True)
class OffScale:
    """The right scores of a question that are outside its scale: `outside` of `labelled`, and the first of them."""

    question: str
    labelled: int
    outside: int
    place: str
    score: float
    top: int

    def note(self) -> str:
        """As a line for a person."""
        return f"{self._what()}: {self._got()}; levels count from 0, and a scale from 1 is the usual cause"

    def problem(self) -> Problem:
        """As a fault, where they are refused."""
        return Problem(
            self._what(),
            "right scores on the levels that are asked about",
            self._got(),
            "count levels from 0, or leave strict mode",
        )

    def _what(self) -> str:
        return f"question {one_line(self.question)}"

    def _got(self) -> str:
        first = f"the first {self.score:g} in {self.place}, whose levels are 0 .. {self.top}"
        return f"{self.outside} of {self.labelled} right scores are outside their scale, {first}"


def off_scale(rows: Iterable[tuple[str, Labelled]]) -> list[OffScale]:
    """The questions that have such scores, in order.

    Args:
        rows: with their places in the words of a message.
    """
    labelled: dict[str, int] = {}
    found: dict[str, list[tuple[str, float, int]]] = {}
    for place, row in rows:
        for qid, score in row.expected.items():
            question = row.questions[qid]
            if question["type"] != "score" or score is None:
                continue
            labelled[qid] = labelled.get(qid, 0) + 1
            top = option_count(question) - 1
            if not 0 <= score <= top:
                found.setdefault(qid, []).append((place, float(score), top))
    return [OffScale(qid, labelled[qid], len(own), *own[0]) for qid, own in found.items()]


def refuse_off_scale(found: Iterable[OffScale]) -> None:
    """Strict mode: a score that no level reaches is a fault.

    Raises:
        DatasetError: there are some, a line a question.
    """
    problems = [one.problem() for one in found]
    if problems:
        raise DatasetError(*problems)
