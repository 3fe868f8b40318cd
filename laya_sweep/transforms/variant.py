"""A variant: what the model is shown of a case, and how its options map back to the canonical order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from laya_sweep.suites import Case
from laya_sweep.transforms.presented import option_count


@dataclass(frozen=True, slots=True)
class Variant:
    """One presentation of one case.

    `canonical_indices[qid][i]` is the canonical index of the option at place i of the presented question.
    Nothing is computed in presented order: logits are stored in canonical order.
    """

    case_id: str
    name: str
    state: Any
    questions: dict[str, dict[str, Any]]
    canonical_indices: dict[str, tuple[int, ...]]


class Transform(NamedTuple):
    """A registered transform; `version` is identity and moves when its variants do."""

    version: int
    present: Callable[[Case], list[Variant]]


def _baseline(case: Case) -> list[Variant]:
    identity = {qid: tuple(range(option_count(question))) for qid, question in case.questions.items()}
    return [Variant(case.case_id, "baseline", case.state, case.questions, identity)]


TRANSFORMS: dict[str, Transform] = {"baseline": Transform(version=1, present=_baseline)}


def variants_of(transform: str, case: Case) -> list[Variant]:
    """The variants that a transform makes of a case, in order."""
    return TRANSFORMS[transform].present(case)


def transform_identity(name: str) -> dict[str, Any]:
    """The identity fields of a transform, for the cell key."""
    return {"name": name, "version": TRANSFORMS[name].version}
