"""`narrow=`: an evaluation whose many-option choices are cut down first, by a shortlist or a knockout.

An engine goes through the sweep's own narrowing. A runner object is asked through the runtime's public
`predict_shortlist` and `predict_tournament`, and what those say they kept is checked before it is scored.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from laya_sweep.domain.settings import CHECKPOINT_EMBEDDER, NarrowingSettings
from laya_sweep.engines.engine import Engine
from laya_sweep.errors import Problem, UsageError
from laya_sweep.narrowing.embedder import Embed
from laya_sweep.narrowing.knockout import Watch
from laya_sweep.narrowing.narrower import Narrower, make_narrower, narrowing_document
from laya_sweep.narrowing.shortlist import Shortlist

#: Where a wrapped runner says what was kept, beside its answers: question -> the narrowing columns.
KEPT_KEY = "laya_sweep_narrowing"


@dataclass(frozen=True, slots=True)
class ByShortlist:
    """Choices of more than `k` options are answered over the `k` that an embedder ranks first.

    Attributes:
        k: how many are kept; a choice of at most `k` passes through, and the embedder is not called.
        embed: a list of texts -> an array of shape (texts, dimensions); None is the checkpoint's own encoder.
        embedder_id: the caller's name of the embedder's version; needed with `embed`.
        checkpoint_id: the caller's name of the checkpoint's version, for reports.
    """

    k: int = 20
    embed: Embed | None = None
    embedder_id: str | None = None
    checkpoint_id: str | None = None


@dataclass(frozen=True, slots=True)
class ByKnockout:
    """Choices of more than `group_size` options are answered in groups, whose winners meet again."""

    group_size: int = 16
    checkpoint_id: str | None = None


Narrow: TypeAlias = ByShortlist | ByKnockout


def checked_narrowing(narrow: Narrow | None) -> NarrowingSettings:
    """The settings of a narrowing.

    Raises:
        UsageError: a size that cannot mean anything, or an embedder without a name.
    """
    if narrow is None:
        return NarrowingSettings()
    problems = []
    size, name, least = (narrow.k, "k", 1) if isinstance(narrow, ByShortlist) else (narrow.group_size, "group_size", 2)
    if isinstance(size, bool) or not isinstance(size, int) or size < least:
        problems.append(Problem(f"narrow.{name}", f"a whole number of at least {least}", repr(size), "correct it"))
    ids = {"checkpoint_id": narrow.checkpoint_id}
    if isinstance(narrow, ByShortlist):
        ids |= {"embedder_id": narrow.embedder_id}
        if narrow.embed is not None and narrow.embedder_id is None:
            step = "name the embedder's version"
            problems.append(Problem("narrow.embedder_id", "a name for the embedder", "none", step))
        if narrow.embed is not None and not callable(narrow.embed):
            got = type(narrow.embed).__name__
            problems.append(Problem("narrow.embed", "a function of a list of texts", got, "pass a function"))
    for key, value in ids.items():
        if value is not None and (not isinstance(value, str) or not value.strip()):
            problems.append(Problem(f"narrow.{key}", "a text that is not empty", repr(value), "correct it"))
    if problems:
        raise UsageError(*problems)
    if isinstance(narrow, ByKnockout):
        return NarrowingSettings("knockout", group_size=narrow.group_size)
    embedder = CHECKPOINT_EMBEDDER if narrow.embed is None else "a function"
    return NarrowingSettings("shortlist", k=narrow.k, embedder=embedder, embedder_id=narrow.embedder_id)


def narrower_of(narrow: Narrow | None, engine: Engine, watch: Watch) -> Narrower | None:
    """What an engine's questions are cut down by; `watch` sees each call that it makes.

    Raises:
        UsageError: the engine has no encoder to embed with.
    """
    if isinstance(narrow, ByShortlist) and narrow.embed is not None:
        return Shortlist(narrow.k, narrow.embed)
    return make_narrower(checked_narrowing(narrow), engine, watch)


def document_of(narrow: Narrow | None) -> dict[str, Any] | None:
    """The narrowing as a run's configuration holds it."""
    return narrowing_document(checked_narrowing(narrow)).get("narrowing")


class NarrowedRunner:
    """A runner object that is asked through the runtime's `predict_shortlist` or `predict_tournament`."""

    def __init__(self, runner: object, narrow: Narrow) -> None:
        """Wrap a runner with a `predict` (imports torch).

        Raises:
            UsageError: it has none, or no encoder to embed with where no embedder is given.
        """
        predict = getattr(runner, "predict", None)
        if predict is None:
            expected = "a runner with predict(state, questions)"
            step = "pass laya.load(...), a Router, or an engine"
            raise UsageError(Problem("narrow", expected, type(runner).__name__, step))
        self.model_id = getattr(runner, "model_id", None)
        # Named like the runner's own method, so that what it takes is read off its signature.
        self.predict = functools.wraps(predict)(_predict(runner, narrow))


def _predict(runner: object, narrow: Narrow) -> Callable[..., dict[str, Any]]:
    from laya.shortlist import predict_shortlist, predict_tournament

    embed = _embedder(runner, narrow) if isinstance(narrow, ByShortlist) else None

    def predict(state: Any, questions: dict[str, dict[str, Any]], **options: Any) -> dict[str, Any]:  # noqa: ANN401
        if isinstance(narrow, ByShortlist):
            result = predict_shortlist(runner, state, questions, embed, narrow.k, **options)
            return _with_kept(result, questions, "shortlist", narrow.k)
        result = predict_tournament(runner, state, questions, narrow.group_size, **options)
        return _with_kept(result, questions, "tournament", narrow.group_size)

    return predict


def _embedder(runner: object, narrow: ByShortlist) -> Embed:
    if narrow.embed is not None:
        return narrow.embed
    if not (hasattr(runner, "tok") and hasattr(runner, "model")):
        got = f"a {type(runner).__name__}, which shows no encoder of its own"
        step = "pass an embedder: ByShortlist(embed=..., embedder_id=...)"
        raise UsageError(Problem("narrow.embed", "a runner with an encoder", got, step))
    from laya.shortlist import cached_embed_fn, embed_fn_from_agent

    embed: Embed = cached_embed_fn(embed_fn_from_agent(runner, batch_size=1))
    return embed


def _with_kept(
    result: dict[str, Any], questions: Mapping[str, Mapping[str, Any]], name: str, cap: int
) -> dict[str, Any]:
    """The result with what was kept of each choice as columns."""
    told = result[name]
    choices = {qid: [*asked["criteria"]] for qid, asked in questions.items() if asked["type"] == "choice"}
    kept = {qid: _columns(told[qid], labels, name, cap) for qid, labels in choices.items()}
    return {**result, KEPT_KEY: kept}


def _columns(told: Mapping[str, Any], labels: list[Any], name: str, cap: int) -> dict[str, Any]:
    return {
        "narrowing": "knockout" if name == "tournament" else name,
        "narrowing_cap": cap,
        "full_options": len(labels),
        "kept": [labels.index(label) for label in told["labels"]],
        "kept_scores": told.get("scores"),
        "rounds": told.get("rounds"),
    }
