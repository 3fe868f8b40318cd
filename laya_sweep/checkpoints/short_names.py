"""What a person calls a checkpoint: its name in the run, its source, or the runtime's short name for it."""

from __future__ import annotations

from laya_sweep.domain.settings import CheckpointSettings


def is_named(word: str, checkpoint: CheckpointSettings) -> bool:
    """Whether a word means this checkpoint.

    Case and the runtime's aliases are folded: `en`, `laya`, `English` and the repository itself are one checkpoint.
    """
    if _folded(word) == _folded(checkpoint.name):
        return True
    source = (checkpoint.source.lower(), checkpoint.subfolder)
    known = short_name_source(word)
    return source == (word.strip().lower(), None) or (known is not None and source == (known[0].lower(), known[1]))


def short_name_source(word: str) -> tuple[str, str | None] | None:
    """Repository and subfolder behind a short name of the runtime's Router; None where it is none."""
    from laya.router import resolve_model_spec

    found: tuple[str, str | None] | None = resolve_model_spec(word)
    return found


def _folded(word: str) -> str:
    from laya.router import canonical_name

    return str(canonical_name(word))
