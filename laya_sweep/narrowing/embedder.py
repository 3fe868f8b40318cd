"""Who turns texts into vectors: the checkpoint's own encoder, or a function that the configuration names."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from laya_sweep.errors import Problem, UsageError

#: A list of texts -> an array of shape (texts, dimensions). The query comes first, then the options in their order.
Embed: TypeAlias = Callable[[Sequence[str]], Any]

#: Vectors of texts that are kept: the option texts of a data set come again with every case.
CACHED_TEXTS = 4096


def import_embedder(name: str) -> Embed:
    """The function named `package.module:function`.

    Raises:
        UsageError: it cannot be imported, or is no function.
    """
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise UsageError(_problem(name, str(error))) from error
    if not callable(found):
        raise UsageError(_problem(name, type(found).__name__))
    embed: Embed = found
    return embed


def _problem(name: str, got: str) -> Problem:
    step = "correct the name, or put the folder of the module on PYTHONPATH"
    return Problem(f"narrowing.embedder {name}", "a function that can be imported", got, step)


class Counted:
    """An embedder that counts the texts it computes, and whose vectors are finite.

    The ranking would take a vector that is not for one without any signal, and rank its option all the same.
    """

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self.texts = 0

    def __call__(self, texts: Sequence[str]) -> Any:  # noqa: ANN401 - whatever the embedder returns
        """The vectors.

        Raises:
            ValueError: a number of theirs is not finite.
        """
        self.texts += len(texts)
        vectors = self._embed(texts)
        if not _is_finite(vectors):
            raise ValueError("the embedder returned numbers that are not finite")
        return vectors


def _is_finite(vectors: Any) -> bool:  # noqa: ANN401 - whatever the embedder returns
    """What is no array of numbers is for the ranking to refuse."""
    try:
        return bool(np.isfinite(np.asarray(vectors, dtype=np.float64)).all())
    except (TypeError, ValueError):
        return True


def remembered(embed: Embed) -> Embed:
    """An embedder that keeps the vectors of texts it has seen (imports torch).

    Only for one that treats each text by itself, so that no vector depends on what came before.
    """
    from laya.shortlist import cached_embed_fn

    kept: Embed = cached_embed_fn(embed, CACHED_TEXTS)
    return kept
