"""The one place where a transform gets its name, and what the rest of the house asks of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from laya_sweep.domain.case import Case
from laya_sweep.domain.option import identity_of
from laya_sweep.domain.settings import BASELINE, TransformSettings
from laya_sweep.domain.variant import Variant
from laya_sweep.transforms import baseline, label_rename, noul_labels, option_order, reverse
from laya_sweep.transforms.transform import ShownCase, Transform

TRANSFORMS: dict[str, Transform] = {
    BASELINE: baseline.TRANSFORM,
    "label_rename": label_rename.TRANSFORM,
    "noul_labels": noul_labels.TRANSFORM,
    "option_order": option_order.TRANSFORM,
    "reverse": reverse.TRANSFORM,
}


class NotApplicable(NamedTuple):
    """A question that a transform leaves out, why, and in how many cases."""

    question: str
    reason: str
    cases: int


def present(settings: TransformSettings, cases: Sequence[Case]) -> list[Variant]:
    """The variants of a language's cases, in case order and then in their own."""
    transform = TRANSFORMS[settings.name]
    shown = transform.show([_asked(transform, case) for case in cases], settings)
    return [
        Variant.of(case, f"{settings.name}-{k}" if transform.draws else settings.name, questions)
        for case, variants in zip(cases, shown, strict=True)
        for k, questions in enumerate(variants)
        if questions
    ]


def variants_of(transform: str, case: Case) -> list[Variant]:
    """The variants of one case by itself, under the transform's default settings."""
    return present(TransformSettings(transform), [case])


def not_applicable(transform: str, cases: Iterable[Case]) -> list[NotApplicable]:
    """Questions that the transform leaves out, by name and reason; they cost no forward."""
    declines = TRANSFORMS[transform].declines
    reasons = ((qid, declines(question)) for case in cases for qid, question in case.questions.items())
    found = Counter((qid, reason) for qid, reason in reasons if reason is not None)
    return [NotApplicable(qid, reason, count) for (qid, reason), count in sorted(found.items())]


def transform_identity(settings: TransformSettings) -> dict[str, Any]:
    """The identity fields of a transform, for the cell key; how many variants are drawn is none of them."""
    transform = TRANSFORMS[settings.name]
    drawn = identity_of(settings) if transform.draws else {}
    return {"name": settings.name, "version": transform.version} | drawn


def hangs_on_place(settings: TransformSettings) -> bool:
    """Whether a variant depends on where its case stands among the others, and so on what else is in the data."""
    return TRANSFORMS[settings.name].draws and settings.sampler == "published"


def transform_document(settings: TransformSettings) -> dict[str, Any]:
    """What a report says of a transform."""
    identity = {name: value for name, value in transform_identity(settings).items() if name != "name"}
    return identity | ({"variants": settings.variants} if TRANSFORMS[settings.name].draws else {})


def _asked(transform: Transform, case: Case) -> ShownCase:
    applies = {qid: question for qid, question in case.questions.items() if transform.declines(question) is None}
    return ShownCase(case.case_id, applies)
