"""What a run expects of one place, checkpoint x language x transform: its cases, how they are shown, who answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from laya_sweep.domain.case import Case
from laya_sweep.domain.variant import Variant
from laya_sweep.store.facts import RowId


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRows:
    """The rows that one checkpoint is to answer of one place.

    `key` is under which its facts are stored, "" where those of several checkpoints are joined. `checkpoint` is the
    result that the rows belong to. Where that is routed they are the cases of one member, which `model` names, and
    `worker` is the checkpoint of the plan that answers them; "" where all three are one.
    `refused` holds the cases that this checkpoint must not answer, by id, with the reason.
    """

    key: str
    checkpoint: str
    language: str
    transform: str
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    worker: str = ""

    @property
    def answered_by(self) -> str:
        """Who answers, as the `model` slice says it."""
        return self.model or self.checkpoint

    @property
    def asked_of(self) -> str:
        """The checkpoint of the plan that is asked."""
        return self.worker or self.checkpoint

    @property
    def place(self) -> tuple[str, str, str]:
        """(checkpoint, language, transform): what is scored as one, and what the members of one router share."""
        return self.checkpoint, self.language, self.transform

    @property
    def row_ids(self) -> list[RowId]:
        """Every expected row, in case, variant and question order."""
        return [RowId(variant.case_id, variant.name, qid) for variant in self.variants for qid in variant.questions]
