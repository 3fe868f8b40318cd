"""What a transform is, and what every one of them shares: which questions it shows, and how each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from laya_sweep.domain.presented import Presented
from laya_sweep.domain.question import Question, described, option_count
from laya_sweep.domain.settings import TransformSettings

#: Why a transform does not apply to a question; None where it does.
Declines = Callable[[Question], str | None]


class ShownCase(NamedTuple):
    """A case as a transform sees it: its id, and those of its questions that the transform applies to."""

    case_id: str
    questions: dict[str, Question]


#: The variants of one case, in order; each shows some of its questions.
Shown = list[dict[str, Presented]]

#: All cases of a language in their order -> the variants of each.
Show = Callable[[Sequence[ShownCase], TransformSettings], list[Shown]]


class Transform(NamedTuple):
    """A registered transform.

    Attributes:
        version: identity; it moves when the variants do.
        declines: which questions it leaves out, by name and reason.
        show: its variants; they may depend on the case and its place in the language, never on a batch.
        draws: whether it draws, so that `variants`, `seed` and `sampler` are settings of it.
    """

    version: int
    declines: Declines
    show: Show
    draws: bool = False


def each_question(present: Callable[[Question], Presented]) -> Show:
    """One variant a case, each question shown by itself."""

    def show(cases: Sequence[ShownCase], settings: TransformSettings) -> list[Shown]:
        return [[{qid: present(question) for qid, question in case.questions.items()}] for case in cases]

    return show


def described_choices_only(question: Question) -> str | None:
    """A choice of at least two options, each with a description."""
    if question["type"] != "choice":
        return f"a {question['type']} question, not a choice"
    if option_count(question) < 2:
        return "a single option"
    return None if described(question) else "an option without a description"
