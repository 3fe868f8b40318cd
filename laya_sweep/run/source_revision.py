"""Which commit of this package ran: of the checkout it is imported from, or the one it was installed from."""

from __future__ import annotations

import json
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

_TIMEOUT_S = 5.0


def source_document(root: Path | None = None) -> dict[str, Any]:
    """`source_revision` and, for a checkout, whether tracked files of it differ (`source_dirty`); empty if unknown.

    Args:
        root: the folder that holds the package; None is where this module is.
    """
    folder = Path(__file__).parents[2] if root is None else root
    if (folder / ".git").exists():
        return _of_checkout(folder)
    commit = _installed_commit()
    return {} if commit is None else {"source_revision": commit}


def _of_checkout(folder: Path) -> dict[str, Any]:
    commit = _git(folder, "rev-parse", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no")
    if commit is None or changes is None:
        return {}
    return {"source_revision": commit, "source_dirty": bool(changes)}


def _git(folder: Path, *words: str) -> str | None:
    """What git says, None where it is not installed, takes too long or refuses."""
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _installed_commit() -> str | None:
    """The commit that an installer wrote down (PEP 610)."""
    try:
        text = metadata.distribution("laya-sweep").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    origin = json.loads(text) if text else {}
    commit = origin.get("vcs_info", {}).get("commit_id")
    return commit if isinstance(commit, str) else None
