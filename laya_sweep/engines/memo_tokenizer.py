"""A tokenizer that keeps its latest answers: option texts recur in thousands of cases."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

#: Answers kept: every option text of a suite many times over, and no more than some tens of megabytes of states.
_KEPT = 16_384


class MemoTokenizer:
    """A checkpoint's tokenizer behind a bounded memory.

    Token ids are those of the tokenizer by construction; a worker compares a sample of every shard with the bare
    tokenizer all the same.
    """

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401 - the runtime's tokenizer
        self._tokenizer = tokenizer
        self._ids = lru_cache(maxsize=_KEPT)(self._encode)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - mask_token, cls_token_id, ...
        return getattr(self._tokenizer, name)

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:  # noqa: ANN401 - tokenizer options
        return {"input_ids": list(self._ids(text, **options))}

    def _encode(self, text: str, **options: Any) -> tuple[int, ...]:  # noqa: ANN401 - tokenizer options
        return tuple(self._tokenizer(text, **options)["input_ids"])
