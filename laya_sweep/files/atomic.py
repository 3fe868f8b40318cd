"""Atomic files: a reader sees a whole file or none.

Steps: write to a temporary name in the same folder, flush, fsync the file, rename over the final name, fsync
the folder. A kill between any two steps leaves at most a temporary file, which no reader looks at. The
trade-off: two fsyncs a file, which on a slow disk cost some milliseconds a part.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from laya_sweep.errors import OutputError, Problem

_TEMPORARY_PREFIX = ".writing-"


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically (see the module docstring)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=_TEMPORARY_PREFIX, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def require_writable(path: Path, setting: str) -> None:
    """Refuse a folder that cannot be made or written, without making it.

    Raises:
        OutputError: naming the setting.
    """
    existing = path.absolute()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        got = "a file" if existing.is_file() else "no permission to write"
        raise OutputError(
            Problem(f"{setting} {path}", "a folder that can be written", f"{got} at {existing}", "name another")
        )


def make_folder(path: Path, setting: str) -> None:
    """Make a folder.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            Problem(f"{setting} {path}", "a folder that can be written", str(error), "name another")
        ) from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """A JSON document for people and tools: two spaces, UTF-8, no NaN."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    write_bytes(path, (text + "\n").encode("utf-8"))
