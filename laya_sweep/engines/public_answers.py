"""What the runtime itself answers to a variant: the other side of the parity check."""

from __future__ import annotations

from typing import Any

from laya_sweep.domain.variant import Variant


def public_answers(
    agent: Any,  # noqa: ANN401 - an agent of the runtime, torch or ONNX
    variant: Variant,
    budgets: tuple[int, int],
    min_confidence: float | dict[str, float] | None,
) -> dict[str, dict[str, Any]]:
    """Answers by question id.

    Args:
        agent: whose `predict_batch` is asked.
        variant: what is presented.
        budgets: tokens of a state and of the options.
        min_confidence: in the runtime's own form.
    """
    [result] = agent.predict_batch(
        [variant.state],
        variant.questions,
        max_len=budgets[0],
        head_max_len=budgets[1],
        min_confidence=min_confidence,
    )
    answers: dict[str, dict[str, Any]] = result["answers"]
    return answers
