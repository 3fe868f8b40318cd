"""The engines: what each is to a plan, before anything of it is imported.

One more engine is a module in `engines` and an entry of `ENGINES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from laya_sweep.checkpoints.graph import graph_of, require_pair
from laya_sweep.checkpoints.onnx_file import OnnxFile
from laya_sweep.domain.layout import BY_SHAPE, Layout
from laya_sweep.domain.settings import CheckpointSettings


class FileKind(NamedTuple):
    """How an engine's own file is read from the settings, and held against the config and weights of its checkpoint."""

    read: Callable[[CheckpointSettings], OnnxFile]
    require_pair: Callable[[CheckpointSettings, OnnxFile, Mapping[str, Any], str | None], None]


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An engine.

    Attributes:
        name: in settings, reports and identity.
        digested_as: the name of what answers among a checkpoint's digests; an engine's own, so that two engines of the
            same weights are two checkpoints.
        libraries: those whose version may move a logit.
        devices: where it runs.
        loader: `module:class`; called with a checkpoint, a device and a number of threads it gives an `Engine`.
        layout: how rows are padded and grouped, where no file says otherwise.
        file: the file of its own that answers, None where the weights of the checkpoint do.
        embeds: whether it can embed texts for a shortlist.
    """

    name: str
    digested_as: str
    libraries: tuple[str, ...]
    devices: tuple[str, ...]
    loader: str
    layout: Layout = BY_SHAPE
    file: FileKind | None = None
    embeds: bool = False


TORCH = EngineSpec(
    name="torch",
    digested_as="weights",
    libraries=("laya", "torch", "transformers", "tokenizers"),
    devices=("cpu", "cuda"),
    loader="laya_sweep.engines.torch_engine:TorchEngine",
    embeds=True,
)

#: Torch computes nothing where an exported graph answers.
ONNX = EngineSpec(
    name="onnx",
    digested_as="onnx",
    libraries=("laya", "onnxruntime", "transformers", "tokenizers"),
    devices=("cpu",),
    loader="laya_sweep.engines.onnx_engine:OnnxEngine",
    file=FileKind(graph_of, require_pair),
)

#: Every engine by its name in settings.
ENGINES = {spec.name: spec for spec in (TORCH, ONNX)}
