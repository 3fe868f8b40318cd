"""A variant: what the model is shown of a case, and how its options map back to the canonical order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from laya_sweep.domain.case import Case
from laya_sweep.domain.presented import Presented, shown_order, shown_words
from laya_sweep.domain.question import Question


@dataclass(frozen=True, slots=True)
class Variant:
    """One presentation of one case.

    `canonical_indices[qid][i]` is the canonical index of the option at place i of the presented question.
    Nothing is computed in presented order: logits are stored in canonical order. Questions that the transform does
    not apply to are not among `questions`.
    """

    case_id: str
    name: str
    state: Any
    questions: dict[str, Question]
    canonical_indices: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, case: Case, name: str, shown: Mapping[str, Presented]) -> Variant:
        """The variant of a case that shows its questions so."""
        return cls(
            case_id=case.case_id,
            name=name,
            state=case.state,
            questions={qid: presented.question for qid, presented in shown.items()},
            canonical_indices={qid: presented.canonical_indices for qid, presented in shown.items()},
        )

    def presented(self, qid: str, labels: tuple[str, ...]) -> Presented:
        """How one question is shown, with its mappings; `labels` are the canonical ones of the untouched question."""
        question, indices = self.questions[qid], self.canonical_indices[qid]
        words = shown_words(question)
        slots = tuple(indices[place] for place in shown_order(question))
        shown = tuple(word for _, word in sorted(zip(indices, words, strict=True)))
        return Presented(question, indices, slots, labels, shown)
