"""From settings to the narrowing that a worker applies, and what the rest of the house says of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from laya_sweep.domain.option import identity_of
from laya_sweep.domain.settings import CHECKPOINT_EMBEDDER, NarrowingSettings
from laya_sweep.domain.variant import Variant
from laya_sweep.engines.engine import Engine
from laya_sweep.errors import Problem, UsageError
from laya_sweep.narrowing.cut import Cut, NarrowingError
from laya_sweep.narrowing.embedder import import_embedder
from laya_sweep.narrowing.knockout import Knockout, Watch
from laya_sweep.narrowing.shortlist import Shortlist

#: Identity: it moves when what is kept, or how it is asked, does.
VERSION = 1


class Narrower(Protocol):
    """Cuts a question down."""

    def cut(self, variant: Variant, qid: str) -> tuple[Variant, Cut] | None:
        """The variant with the smaller question, and what was kept; None for a question that is no choice.

        Raises:
            NarrowingError: it could not be done.
        """
        ...


def require_embedder(settings: NarrowingSettings) -> None:
    """Say at once, and not from every worker, that an embedder is not there.

    Raises:
        UsageError: it cannot be imported.
    """
    if settings.name == "shortlist" and settings.embedder != CHECKPOINT_EMBEDDER:
        import_embedder(settings.embedder or "")


def make_narrower(settings: NarrowingSettings, engine: Engine, watch: Watch | None = None) -> Narrower | None:
    """The narrowing of a loaded engine; None for `none`. `watch` sees each call that it makes.

    Raises:
        UsageError: the embedder cannot be imported, or the engine has no encoder to embed with.
    """
    if settings.name == "none":
        return None
    if settings.name == "knockout":
        return Knockout(settings.cap, engine, watch)
    if settings.embedder != CHECKPOINT_EMBEDDER:
        return Shortlist(settings.cap, import_embedder(settings.embedder or ""))
    own = getattr(engine, "embedder", None)
    if own is None:
        step = "name a function in narrowing.embedder"
        got = f"a {type(engine).__name__}, which has no encoder of its own"
        raise UsageError(Problem("narrowing.embedder checkpoint", "a checkpoint with an encoder", got, step))
    return Shortlist(settings.cap, own(), cached=True)


def narrowed_sample(narrower: Narrower | None, variants: Iterable[Variant]) -> Iterator[Variant]:
    """Variants as they are answered, narrowed one by one; what cannot be narrowed is passed over."""
    for variant in variants:
        shown = variant
        try:
            for qid in variant.questions if narrower is not None else ():
                found = narrower.cut(shown, qid) if narrower is not None else None
                shown = shown if found is None else found[0]
        except NarrowingError:
            continue
        yield shown


def narrowing_document(settings: NarrowingSettings) -> dict[str, Any]:
    """The narrowing as identity of cells and reports; empty for `none`, which leaves both as they were."""
    if settings.name == "none":
        return {}
    own = {name: value for name, value in identity_of(settings).items() if value is not None}
    if settings.name == "shortlist":
        own["embedder_id"] = settings.embedder_id or settings.embedder
    return {"narrowing": {"name": settings.name, "version": VERSION} | own}
