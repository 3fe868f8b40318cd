"""Digests of a checkpoint's content: what the runtime makes of its files, never their paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from laya_sweep.checkpoints.temperatures import TEMPERATURE_FIELDS
from laya_sweep.domain.identity import digest_file, value_digest

#: What every checkpoint has beside what answers.
_CONTENT = ("config", "encoder", "tokenizer")


def answering_digest(digests: Mapping[str, Any]) -> str:
    """Of a checkpoint's digests that of what answers: the weights, or a file in their place."""
    [found] = (value for name, value in digests.items() if name not in _CONTENT)
    return str(found)


def content_digests(folder: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    """Digests of config, encoder and tokenizer: all that decides a logit, but for what answers.

    Raises:
        ValueError: the tokenizer's config is no JSON.
        TypeError: it is no object.
    """
    return {
        "config": value_digest({key: value for key, value in config.items() if key not in TEMPERATURE_FIELDS}),
        "encoder": _folder_digests(folder / "encoder"),
        "tokenizer": _folder_digests(folder / "tokenizer"),
    }


def _folder_digests(folder: Path) -> dict[str, str]:
    """Digests by file name; a hidden file is one that some process is just writing."""
    paths = [path for path in sorted(folder.glob("*")) if path.is_file() and not path.name.startswith(".")]
    return {path.name: _content_digest(path) for path in paths}


def _content_digest(path: Path) -> str:
    if path.name != "tokenizer_config.json":
        return digest_file(path)
    config = json.loads(path.read_text("utf-8"))
    if not isinstance(config, dict):
        raise TypeError(f"a {type(config).__name__}")
    return value_digest(_as_read(config))


def _as_read(config: dict[str, Any]) -> dict[str, Any]:
    """A tokenizer config as the runtime reads it, so that its rewriting of the file moves no identity."""
    seen = dict(config)
    if seen.get("tokenizer_class") in (None, "TokenizersBackend"):
        seen["tokenizer_class"] = "PreTrainedTokenizerFast"
        seen.pop("backend", None)
        seen.pop("is_local", None)
    if isinstance(extra := seen.get("extra_special_tokens"), list):
        seen["extra_special_tokens"] = {f"extra_{index}": token for index, token in enumerate(extra)}
    return seen
