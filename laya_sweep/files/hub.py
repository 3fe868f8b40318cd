"""The Hugging Face Hub, behind three calls, so that a run resolves each repository exactly once.

Only the driver resolves: a branch or tag becomes a commit here, and everything after (the driver's download, a
worker's own download on another node) names that commit. Libraries are imported inside, where they are needed.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from laya_sweep.errors import DatasetError, Problem, UsageError

#: The files of one Laya checkpoint inside its repository or subfolder.
CHECKPOINT_FILES = ("rl_agent_config.json", "model.safetensors", "tokenizer/*", "encoder/*")


class Hub(Protocol):
    """What a run needs of the Hub."""

    def resolve(self, repo: str, revision: str | None, kind: str) -> str:
        """The commit that `revision` (None: the default branch) of a `model` or `dataset` repository names now."""
        ...

    def download(self, repo: str, commit: str, patterns: Sequence[str]) -> Path:
        """A local folder with the matching files of a model repository at a commit."""
        ...

    def rows(self, repo: str, commit: str, config: str, split: str) -> list[dict[str, Any]]:
        """Every row of one config and split of a dataset repository at a commit, in order."""
        ...


class HuggingFaceHub:
    """The real Hub, through huggingface_hub and datasets."""

    def resolve(self, repo: str, revision: str | None, kind: str) -> str:
        """See `Hub.resolve`.

        Raises:
            UsageError: no such repository or revision, or the Hub cannot be reached.
        """
        from huggingface_hub import HfApi
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError

        try:
            commit = HfApi().repo_info(repo, revision=revision, repo_type=kind).sha
        except (HfHubHTTPError, HFValidationError, OSError) as error:
            raise UsageError(_unreachable(repo, revision, kind, error)) from error
        if commit is None:
            raise UsageError(_unreachable(repo, revision, kind, "no commit"))
        return commit

    def download(self, repo: str, commit: str, patterns: Sequence[str]) -> Path:
        """See `Hub.download`.

        Raises:
            UsageError: the files cannot be had.
        """
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

        try:
            return Path(snapshot_download(repo, revision=commit, allow_patterns=list(patterns)))
        except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
            raise UsageError(_unreachable(repo, commit, "model", error)) from error

    def rows(self, repo: str, commit: str, config: str, split: str) -> list[dict[str, Any]]:
        """See `Hub.rows`.

        Raises:
            DatasetError: the repository has no such config or split.
        """
        from datasets import load_dataset
        from datasets.exceptions import DatasetsError

        try:
            return [dict(row) for row in load_dataset(repo, config, split=split, revision=commit)]
        except (DatasetsError, ValueError, OSError, EOFError, zlib.error) as error:
            problem = Problem(
                f"dataset {repo} ({config}, {split})",
                "a config and split of the repository",
                " ".join(str(error).split())[:300],
                "check dataset.repo, dataset.revision and dataset.split",
            )
            raise DatasetError(problem) from error


class ResolveOnce:
    """A Hub that asks each question about a commit once per process, however many cells and jobs need it."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._commits: dict[tuple[str, str | None, str], str] = {}

    def resolve(self, repo: str, revision: str | None, kind: str) -> str:
        """See `Hub.resolve`."""
        key = (repo, revision, kind)
        if key not in self._commits:
            self._commits[key] = self._hub.resolve(repo, revision, kind)
        return self._commits[key]

    def download(self, repo: str, commit: str, patterns: Sequence[str]) -> Path:
        """See `Hub.download`."""
        return self._hub.download(repo, commit, patterns)

    def rows(self, repo: str, commit: str, config: str, split: str) -> list[dict[str, Any]]:
        """See `Hub.rows`."""
        return self._hub.rows(repo, commit, config, split)


def _unreachable(repo: str, revision: str | None, kind: str, error: object) -> Problem:
    setting = "dataset.path" if kind == "dataset" else "checkpoints.NAME.source"
    return Problem(
        f"{kind} {repo}" + (f" at {revision}" if revision else ""),
        f"a Hub repository that can be reached, or a local folder in {setting}",
        " ".join(str(error).split())[:200],
        f"check the name and the network, or give a folder with {setting}=FOLDER",
    )
