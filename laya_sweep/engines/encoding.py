"""A question of a variant as the runtime's own sequence builder lays it out: the same for every engine.

Imports laya.common, and with it torch.
"""

from __future__ import annotations

from typing import Any

from laya.common import QTYPES, build_sequence

from laya_sweep.domain.layout import Layout
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import EncodedQuestion, EncodingError
from laya_sweep.engines.question import internal_question


def encode_question(
    tokenizer: Any,  # noqa: ANN401 - the runtime's tokenizer
    variant: Variant,
    qid: str,
    budgets: tuple[int, int],
    layout: Layout,
    *,
    parallel_options: bool = False,
) -> EncodedQuestion:
    """Tokenise one question.

    Args:
        tokenizer: the checkpoint's, or one that gives the same ids.
        variant: what is presented.
        qid: which of its questions.
        budgets: `max_len` and `head_max_len`.
        layout: how it is padded.
        parallel_options: whether the checkpoint reads its options in parallel.

    Raises:
        EncodingError: the question cannot be put to this checkpoint.
    """
    question = internal_question(variant.questions[qid])
    max_len, head_max_len = budgets
    try:
        ids, markers, options, state, *parallel = build_sequence(
            tokenizer,
            variant.state,
            question,
            max_len,
            head_max_len,
            option_order=question.get("option_order"),
            truncate_left=isinstance(variant.state, list),
            return_stats=True,
            return_truncation_stats=True,
            return_layout=parallel_options,
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise EncodingError(f"question {qid!r}: {error}") from error
    count = options["options"]
    if len(markers) != count:
        raise EncodingError(f"question {qid!r}: only {len(markers)} of {count} options fit max_len={max_len}")
    item = {"ids": ids, "markers": markers, "qtype": QTYPES[question["t"]]}
    if parallel:
        item["layout"] = parallel[0]
    return EncodedQuestion(
        item=item,
        shape=layout.shape(len(ids), count, max_len),
        slots=tuple(question.get("option_order") or range(count)),
        input_tokens=len(ids),
        state_tokens=state["state_tokens"],
        state_tokens_dropped=state["state_tokens_dropped"],
        options_distinct=options["options_distinct"],
        tokens_per_option=options["tokens_per_option"],
    )
