"""What makes two pieces of work the same work: canonical JSON, digests, cell keys.

A cell key is the SHA-256 of identity only. Everything a user may change without changing a logit
(regimes, thresholds, batch size, actors, folders) is runtime and stays out, so that a wider, split,
resumed or re-judged run finds what is already there. Which options are which, their declaration says
(`domain/option.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

KEY_VERSION = 1


def canonical_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """One text per JSON value: keys sorted, no spaces, UTF-8 kept, no NaN."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def ordered_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Like `canonical_json`, but keys keep their order: the order of options is part of a question."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def value_digest(value: Any) -> str:  # noqa: ANN401 - any value that Python reads from JSON
    """Digest of a config by value. Python reads and writes NaN and Infinity in JSON, and so does the runtime."""
    return digest_text(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


def digest_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def library_versions(names: tuple[str, ...]) -> dict[str, str]:
    """Installed versions by distribution name, read from metadata: nothing is imported."""
    return {name: metadata.version(name) for name in names}


def cell_key(identity: Mapping[str, Any]) -> str:
    """Key of a cell: SHA-256 of its identity fields in canonical JSON, with the key version."""
    return digest_text(canonical_json({"key_version": KEY_VERSION, **identity}))
