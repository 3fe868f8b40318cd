"""The key `revision`: one revision for every checkpoint of a run, or one each by name.

Names are folded as the runtime folds them, so that two spellings of one checkpoint cannot ask for two commits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from laya_sweep.checkpoint_names import is_named
from laya_sweep.settings import CheckpointSettings

#: Called with key, expected, got and next step, for each fault.
Complain = Callable[[str, str, object, str], None]


def pin(
    checkpoints: Sequence[CheckpointSettings], revision: object, complain: Complain
) -> tuple[CheckpointSettings, ...]:
    """The checkpoints with the revisions that the key asks for.

    A text is for every checkpoint that has no revision of its own; a map names each, and must agree with what the
    checkpoint itself says.
    """
    if revision is None:
        return tuple(checkpoints)
    if isinstance(revision, str) and revision.strip():
        return tuple(_with(checkpoint, checkpoint.revision or revision.strip()) for checkpoint in checkpoints)
    if not isinstance(revision, Mapping):
        complain("revision", "a revision, or a map of checkpoint to revision", revision, "give it as a text")
        return tuple(checkpoints)
    for word, value in revision.items():
        _check(checkpoints, str(word), value, complain)
    return tuple(_pinned(checkpoint, revision, complain) for checkpoint in checkpoints)


def _check(checkpoints: Sequence[CheckpointSettings], word: str, value: object, complain: Complain) -> None:
    if not isinstance(value, str) or not value.strip():
        complain(f"revision.{word}", "a revision", value, "give a commit, branch or tag as a text")
    if not any(is_named(word, checkpoint) for checkpoint in checkpoints):
        known = ", ".join(checkpoint.name for checkpoint in checkpoints)
        complain(f"revision.{word}", f"a checkpoint of this run ({known})", word, "correct the name")


def _pinned(checkpoint: CheckpointSettings, revisions: Mapping[Any, Any], complain: Complain) -> CheckpointSettings:
    asked = {f"checkpoints.{checkpoint.name}.revision": checkpoint.revision}
    asked |= {f"revision.{word}": value for word, value in revisions.items() if is_named(str(word), checkpoint)}
    texts = {key: value.strip() for key, value in asked.items() if isinstance(value, str) and value.strip()}
    if len({*texts.values()}) > 1:
        got = ", ".join(f"{key}={value}" for key, value in texts.items())
        complain("revision", f"one commit for checkpoint {checkpoint.name}", got, "keep one of them")
    return _with(checkpoint, next(iter(texts.values()), None))


def _with(checkpoint: CheckpointSettings, revision: str | None) -> CheckpointSettings:
    return dataclasses.replace(checkpoint, revision=revision)
