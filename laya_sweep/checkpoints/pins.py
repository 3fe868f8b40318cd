"""The key `revision`: one revision for every checkpoint and route of a run, or one each by name.

Names are folded as the runtime folds them, so that two spellings of one checkpoint cannot ask for two commits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from laya_sweep.checkpoints.short_names import is_named
from laya_sweep.domain.settings import CheckpointSettings, RouterSettings

#: Called with key, expected, got and next step, for each fault.
Complain = Callable[[str, str, object, str], None]


#: What a run answers with, as it is configured: a checkpoint, or a router over several.
Entry: TypeAlias = CheckpointSettings | RouterSettings


class _Pinnable(NamedTuple):
    """A checkpoint or a route, and the key of its own revision."""

    key: str
    checkpoint: CheckpointSettings


def pin(entries: Sequence[Entry], revision: object, complain: Complain) -> tuple[Entry, ...]:
    """The checkpoints and routes with the revisions that the key asks for.

    A text is for every one that has no revision of its own; a map names each, and must agree with what the checkpoint
    itself says.
    """
    if revision is None:
        return tuple(entries)
    if isinstance(revision, str) and revision.strip():
        return tuple(_each(entry, lambda part: part.checkpoint.revision or revision.strip()) for entry in entries)
    if not isinstance(revision, Mapping):
        complain("revision", "a revision, or a map of checkpoint to revision", revision, "give it as a text")
        return tuple(entries)
    for word, value in revision.items():
        _check([part.checkpoint for entry in entries for part in _parts(entry)], str(word), value, complain)
    return tuple(_each(entry, lambda part: _pinned(part, revision, complain)) for entry in entries)


def _parts(entry: Entry) -> list[_Pinnable]:
    if isinstance(entry, CheckpointSettings):
        return [_Pinnable(f"checkpoints.{entry.name}.revision", entry)]
    return [
        _Pinnable(
            f"checkpoints.{entry.name}.routes.{route.name}.revision",
            CheckpointSettings(route.name, route.source, route.subfolder, route.revision, None, None),
        )
        for route in entry.routes
    ]


def _each(entry: Entry, revision_of: Callable[[_Pinnable], str | None]) -> Entry:
    """The entry with a revision for it, or for each of its routes."""
    revisions = [revision_of(part) for part in _parts(entry)]
    if isinstance(entry, CheckpointSettings):
        return dataclasses.replace(entry, revision=revisions[0])
    pinned = zip(entry.routes, revisions, strict=True)
    return dataclasses.replace(entry, routes=tuple(dataclasses.replace(own, revision=new) for own, new in pinned))


def _check(checkpoints: Sequence[CheckpointSettings], word: str, value: object, complain: Complain) -> None:
    if not isinstance(value, str) or not value.strip():
        complain(f"revision.{word}", "a revision", value, "give a commit, branch or tag as a text")
    if not any(is_named(word, checkpoint) for checkpoint in checkpoints):
        known = ", ".join(dict.fromkeys(checkpoint.name for checkpoint in checkpoints))
        complain(f"revision.{word}", f"a checkpoint of this run ({known})", word, "correct the name")


def _pinned(part: _Pinnable, revisions: Mapping[Any, Any], complain: Complain) -> str | None:
    checkpoint = part.checkpoint
    asked = {part.key: checkpoint.revision}
    asked |= {f"revision.{word}": value for word, value in revisions.items() if is_named(str(word), checkpoint)}
    texts = {key: value.strip() for key, value in asked.items() if isinstance(value, str) and value.strip()}
    if len({*texts.values()}) > 1:
        got = ", ".join(f"{key}={value}" for key, value in texts.items())
        complain("revision", f"one commit for checkpoint {checkpoint.name}", got, "keep one of them")
    return next(iter(texts.values()), None)
