"""A checkpoint on disk: found, resolved to a commit where it is from the Hub, and identified by content.

No torch here: a plan, a dry run and a fully cached run look at checkpoints too.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laya_sweep.checkpoints.digests import content_digests
from laya_sweep.checkpoints.engine_spec import ENGINES, EngineSpec
from laya_sweep.checkpoints.onnx_file import OnnxFile
from laya_sweep.checkpoints.short_names import short_name_source
from laya_sweep.checkpoints.temperatures import TEMPERATURE_FIELDS
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.domain.identity import canonical_json, digest_file, digest_text
from laya_sweep.domain.layout import Layout
from laya_sweep.domain.settings import CheckpointSettings
from laya_sweep.errors import CheckpointError, Problem
from laya_sweep.files.hub import CHECKPOINT_FILES, Hub

#: A source `bundled:NAME` is a checkpoint that ships with the package.
BUNDLED = "bundled:"

_WEIGHTS = "model.safetensors"

#: What the runtime assumes where a config names no budget.
DEFAULT_MAX_LEN = 512
DEFAULT_HEAD_MAX_LEN = 192


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A located checkpoint. `commit` is None for a local folder; digests are of content, never of paths.

    `weights` is the digest of the folder's weights, None where another file answers and they are not there; `file` is
    that file.
    """

    name: str
    source: str
    subfolder: str | None
    commit: str | None
    folder: Path
    digests: dict[str, Any]
    temperatures: dict[str, Any]
    max_len: int
    head_max_len: int
    engine: EngineSpec
    weights: str | None = None
    file: OnnxFile | None = None

    @property
    def layout(self) -> Layout:
        """How rows are padded, and whether they share a call."""
        return self.engine.layout if self.file is None else self.file.layout

    @property
    def runner(self) -> str:
        """The engine for a person: with the precision of its file, where that tells."""
        told = None if self.file is None else self.file.precision
        return self.engine.name if told is None else f"{self.engine.name} {told}"

    @property
    def made_of(self) -> str | None:
        """Digest of the weights behind the answers: those of the folder, or those that the file says it is of."""
        return self.weights if self.weights or self.file is None else self.file.made_of

    @property
    def digest(self) -> str:
        """One digest of all that decides this checkpoint's logits, budgets aside."""
        return digest_text(canonical_json(self.digests))


def locate_all(wanted: Sequence[CheckpointSettings], hub: Hub) -> list[Checkpoint]:
    """The checkpoints of a run, in order.

    Raises:
        CheckpointError: as `locate`; or two of them are one checkpoint at two commits.
        UsageError: a repository cannot be reached.
    """
    found = [locate(settings, hub) for settings in wanted]
    require_one_commit(found)
    return found


def require_one_commit(found: Iterable[Checkpoint]) -> None:
    """Refuse one checkpoint at two commits.

    Raises:
        CheckpointError: two of them are.
    """
    first: dict[tuple[str, str | None], Checkpoint] = {}
    for checkpoint in found:
        other = first.setdefault((checkpoint.source.lower(), checkpoint.subfolder), checkpoint)
        if other.commit != checkpoint.commit:
            got = f"{other.commit} as {other.name} and {checkpoint.commit} as {checkpoint.name}"
            step = "pin both to one revision; sweep two commits in two runs and compare these"
            raise CheckpointError(Problem(f"checkpoint {checkpoint.source}", "one commit", got, step))


def locate(settings: CheckpointSettings, hub: Hub) -> Checkpoint:
    """The checkpoint that the settings name.

    Raises:
        CheckpointError: no such folder, it is not a Laya checkpoint, or not the one that was expected.
        UsageError: the repository cannot be reached.
    """
    engine = ENGINES[settings.engine]
    root, commit = _root(settings, hub)
    folder = root / settings.subfolder if settings.subfolder else root
    _verify(settings, folder)
    file = None if engine.file is None else engine.file.read(settings)
    config = _read_config(settings, folder)
    needed = engine.file is None or (folder / _WEIGHTS).is_file()
    weights = digest_file(folder / _WEIGHTS) if needed else None
    try:
        content = content_digests(folder, config)
    except (ValueError, TypeError) as error:
        raise CheckpointError(_problem(settings, "a JSON object in tokenizer_config.json", str(error))) from error
    if engine.file is not None and file is not None:
        engine.file.require_pair(settings, file, config, weights)
    return Checkpoint(
        name=settings.name,
        source=settings.source,
        subfolder=settings.subfolder,
        commit=commit,
        folder=folder,
        digests={engine.digested_as: weights if file is None else file.sha256} | content,
        temperatures={key: config[key] for key in TEMPERATURE_FIELDS if key in config},
        max_len=settings.max_len or _budget(settings, config, "max_len", DEFAULT_MAX_LEN),
        head_max_len=settings.head_max_len or _budget(settings, config, "head_max_len", DEFAULT_HEAD_MAX_LEN),
        engine=engine,
        weights=weights,
        file=file,
    )


def locate_here(checkpoint: Checkpoint, hub: Hub) -> Checkpoint:
    """A checkpoint that another node located: its folder where that is here too, else a download at its commit.

    Raises:
        CheckpointError: as `locate`.
        UsageError: the repository cannot be reached.
    """
    here = checkpoint.commit is None or checkpoint.folder.is_dir()
    settings = CheckpointSettings(
        name=checkpoint.name,
        source=str(checkpoint.folder) if here else checkpoint.source,
        subfolder=None if here else checkpoint.subfolder,
        revision=None if here else checkpoint.commit,
        max_len=checkpoint.max_len,
        head_max_len=checkpoint.head_max_len,
        engine=checkpoint.engine.name,
        onnx=None if checkpoint.file is None else checkpoint.file.path,
    )
    return locate(settings, hub)


def stage(folder: Path) -> tempfile.TemporaryDirectory[str]:
    """A throw-away twin of a checkpoint folder made of links, for the runtime to load.

    The runtime rewrites `tokenizer/tokenizer_config.json` in place at first load. In the twin that replaces a
    link, so a user's folder is never changed, may be read-only, and can be loaded by many processes at once.
    """
    twin = tempfile.TemporaryDirectory(prefix="laya_sweep_checkpoint_")
    for path in sorted(folder.rglob("*")):
        target = Path(twin.name) / path.relative_to(folder)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path.resolve())
    return twin


def _root(settings: CheckpointSettings, hub: Hub) -> tuple[Path, str | None]:
    if settings.source.startswith(BUNDLED):
        path = CHECKPOINTS_FOLDER / settings.source.removeprefix(BUNDLED)
    else:
        path = Path(settings.source).expanduser()
    if path.is_dir():
        _refuse_revision(settings)
        return path.resolve(), None
    if settings.source.startswith(BUNDLED):
        bundled = ", ".join(f"{BUNDLED}{entry.name}" for entry in sorted(CHECKPOINTS_FOLDER.iterdir()))
        raise CheckpointError(_problem(settings, f"one of {bundled}", settings.source))
    if _is_path_like(settings.source):
        raise CheckpointError(_not_there(settings))
    commit = hub.resolve(settings.source, _revision(settings), "model")
    prefix = f"{settings.subfolder}/" if settings.subfolder else ""
    names = [name for name in CHECKPOINT_FILES if ENGINES[settings.engine].file is None or name != _WEIGHTS]
    return hub.download(settings.source, commit, [prefix + name for name in names]), commit


def _refuse_revision(settings: CheckpointSettings) -> None:
    """A folder holds what it holds: a revision could not be kept, and must not seem to be."""
    if settings.revision is not None:
        problem = Problem(
            f"checkpoints.{settings.name}.revision",
            "none for a local folder, which has no revisions",
            settings.revision,
            "drop it, pin the Hub checkpoints by name, or name a repository as the source",
        )
        raise CheckpointError(problem)


def _revision(settings: CheckpointSettings) -> str | None:
    """The revision asked for; `reviewed` is looked up in the runtime's own list, and so is its environment."""
    from laya.revisions import resolve_revision

    try:
        revision: str | None = resolve_revision(settings.source, settings.revision)
    except ValueError as error:
        key = f"checkpoints.{settings.name}.revision"
        step = "name a commit, branch or tag"
        raise CheckpointError(Problem(key, "a revision that can be found", str(error), step)) from error
    return revision


def _not_there(settings: CheckpointSettings) -> Problem:
    known = short_name_source(settings.source)
    problem = _problem(settings, "a checkpoint folder", f"no folder {settings.source}")
    if known is None:
        return problem
    step = f"short names are the Router's: write {known[0]}"
    return Problem(problem.what, "a checkpoint folder or Hub repository", repr(settings.source), step)


def _verify(settings: CheckpointSettings, folder: Path) -> None:
    """The digests that were asked for, before a file of the checkpoint is parsed."""
    from laya.revisions import verify_digests

    onnx = None if settings.onnx is None else str(settings.onnx)
    try:
        verify_digests(str(folder), dict(settings.expected_sha256) or None, onnx_path=onnx)
    except (ValueError, OSError) as error:
        key = f"checkpoints.{settings.name}.expected_sha256"
        step = "do not use these files, or correct the digest"
        raise CheckpointError(Problem(key, "files with these digests", str(error), step)) from error


def _is_path_like(source: str) -> bool:
    return source.startswith((".", "~")) or Path(source).is_absolute() or source.count("/") != 1


def _read_config(settings: CheckpointSettings, folder: Path) -> dict[str, Any]:
    needed = ["rl_agent_config.json", *([_WEIGHTS] if ENGINES[settings.engine].file is None else []), "tokenizer"]
    missing = [name for name in needed if not (folder / name).exists()]
    if missing:
        raise CheckpointError(_problem(settings, "a Laya checkpoint folder", f"{folder} without {', '.join(missing)}"))
    try:
        config = json.loads((folder / "rl_agent_config.json").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CheckpointError(_problem(settings, "a readable rl_agent_config.json", str(error))) from error
    if not isinstance(config, dict):
        raise CheckpointError(_problem(settings, "a JSON object in rl_agent_config.json", type(config).__name__))
    return config


def _budget(settings: CheckpointSettings, config: Mapping[str, Any], key: str, default: int) -> int:
    value = config.get(key, default)
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise CheckpointError(_problem(settings, f"a whole number as {key} in rl_agent_config.json", repr(value)))


def _problem(settings: CheckpointSettings, expected: str, got: str) -> Problem:
    key = f"checkpoints.{settings.name}.source"
    return Problem(key, expected, got, f"correct {key}, or checkpoints.{settings.name}.subfolder")
