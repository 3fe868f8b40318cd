"""The runtime's own gate on answers it has given: no model is needed to ask it for another threshold."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any


def runtime_marks(
    answers: Sequence[dict[str, Any]], min_confidence: float | dict[str, float] | None
) -> list[dict[str, Any]]:
    """The answers with the marks that the runtime puts on them: what its `predict` does last with every call.

    Args:
        answers: of the runtime, unmarked; they stay as they are.
        min_confidence: in the runtime's own form; None marks nothing.
    """
    # Where no marks are asked for, as in most verbs, the runtime's package need not be there.
    from laya.confidence import apply_confidence_gate

    marked = copy.deepcopy(list(answers))
    apply_confidence_gate([{"answers": {str(i): answer}} for i, answer in enumerate(marked)], min_confidence)
    return marked
