"""An exported graph beside its checkpoint: whether a file is one of this checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.checkpoints.onnx_file import INPUTS, OUTPUTS, OnnxFile, read_onnx_file
from laya_sweep.domain.settings import CheckpointSettings
from laya_sweep.errors import CheckpointError, Problem

_STEP = "make one with `export-onnx CHECKPOINT FILE`"


def graph_of(settings: CheckpointSettings) -> OnnxFile:
    """The graph that the settings name.

    Raises:
        CheckpointError: they name none, the file cannot be read, or it is no export of a checkpoint.
    """
    key, path = f"checkpoints.{settings.name}.onnx", settings.onnx
    if path is None:
        raise CheckpointError(Problem(key, "a file with engine=onnx", "none", _STEP))
    try:
        found = read_onnx_file(path.resolve())
    except (OSError, ValueError) as error:
        raise CheckpointError(Problem(key, "an ONNX export of a checkpoint", f"{path}: {error}", _STEP)) from error
    if found.inputs != {*INPUTS} or not found.outputs >= {*OUTPUTS}:
        got = f"{path} with inputs {', '.join(sorted(found.inputs))} and outputs {', '.join(sorted(found.outputs))}"
        expected = f"inputs {', '.join(INPUTS)} and outputs {', '.join(OUTPUTS)}"
        raise CheckpointError(Problem(key, expected, got, _STEP))
    return found


def require_sequential(key: str, config: Mapping[str, Any]) -> None:
    """Refuse a checkpoint whose options are laid out in parallel: the graph takes no masks for that.

    Raises:
        CheckpointError: naming the key.
    """
    layout = config.get("option_layout", "sequential")
    if layout != "sequential":
        expected = "a checkpoint of sequential options, for ONNX"
        raise CheckpointError(Problem(key, expected, f"option_layout {layout!r}", "use engine=torch"))


def require_pair(settings: CheckpointSettings, onnx: OnnxFile, config: Mapping[str, Any], weights: str | None) -> None:
    """Refuse a graph that cannot answer for this checkpoint, or was made of other weights than are there.

    Raises:
        CheckpointError: naming both.
    """
    require_sequential(f"checkpoints.{settings.name}.engine", config)
    if onnx.made_of is not None and weights is not None and onnx.made_of != weights:
        expected = f"an export of {settings.source} (weights {weights[:12]})"
        got = f"{settings.onnx}, made of weights {onnx.made_of[:12]}"
        step = "export it again, or name the checkpoint that it came from"
        raise CheckpointError(Problem(f"checkpoints.{settings.name}.onnx", expected, got, step))
