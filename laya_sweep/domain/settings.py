"""The validated configuration as frozen dataclasses: what the rest of the house reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from laya_sweep.domain.thresholds import MinConfidence

#: The embedder that is the encoder of the checkpoint itself.
CHECKPOINT_EMBEDDER = "checkpoint"

#: The transform that shows a case as it stands; every other one is compared with it.
BASELINE = "baseline"

#: The dataset of the presentation checks.
PRESENTATION = "presentation"


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """A checkpoint to sweep: `source` is a folder or a Hub repository id.

    With the engine `onnx` the graph in the file `onnx` answers, and config and tokenizer are those of `source`.
    `expected_sha256` maps files of the checkpoint (or `onnx`, the graph) to the digests they must have.
    """

    name: str
    source: str
    subfolder: str | None
    revision: str | None
    max_len: int | None
    head_max_len: int | None
    engine: str = "torch"
    onnx: Path | None = None
    expected_sha256: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RouteSettings:
    """A checkpoint that a router may choose, under the name that it or a row uses."""

    name: str
    source: str
    subfolder: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """A result whose rows are answered by the checkpoint they name, else by the one that the runtime's router chooses.

    `default` is the route of states whose language is undecided, None for the runtime's own; the budgets hold for
    every route.
    """

    name: str
    routes: tuple[RouteSettings, ...]
    default: str | None = None
    auto_task_detection: bool = False
    max_len: int | None = None
    head_max_len: int | None = None


@dataclass(frozen=True, slots=True)
class RegimeSettings:
    """Which temperature divides the logits: served, raw, unit, fixed with its value, or those of a map.

    A map is what its files held when the configuration was read: `document` of `path`, and `lang_temperatures`, written
    out or of the file `lang_path`. `fitted_rows` allow evaluates rows that it was fitted on.
    """

    name: str
    kind: str
    temperature: float | None
    path: Path | None = None
    sha256: str | None = None
    document: Mapping[str, Any] | None = None
    lang_temperatures: Mapping[str, Any] | None = None
    lang_path: Path | None = None
    lang_sha256: str | None = None
    fitted_rows: str = "refuse"


@dataclass(frozen=True, slots=True)
class TransformSettings:
    """A named presentation of every case; `baseline` is the case as it stands.

    The rest holds for transforms that draw: how many `variants` of a case, from which `seed`, by which `sampler`.
    """

    name: str
    variants: int = 1
    seed: int = 13
    sampler: str = "by_case"


@dataclass(frozen=True, slots=True)
class TableMapping:
    """What the columns of a text/label file are, and what is asked about a row.

    `format` None goes by the file's ending, `quoted` None is the format's own rule. `text` is the column that is the
    state, or pairs of (field, column) of an object. `labels` are pairs of (label, description or None) in their
    order, the JSON file that has them, or None for those that the file turns out to have.
    """

    format: str | None
    quoted: bool | None
    text: str | tuple[tuple[str, str], ...]
    label: str
    language: str | None
    id: str | None
    tags: tuple[str, ...]
    labels: tuple[tuple[str, str | None], ...] | Path | None
    question: str
    instructions: str


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """Where cases come from and how options are drawn.

    `per_lang` None takes every row. `split`, `seed` and `sampling` are empty where a suite is neither split nor
    sampled, and `n_opts` 0 is every label. `mapping` is of a text/label file alone.
    """

    name: str
    path: Path | None
    repo: str | None
    revision: str | None
    split: str
    per_lang: int | None
    n_opts: int
    seed: int
    sampling: str
    mapping: TableMapping | None = None

    @property
    def parity_on_all(self) -> bool:
        """Whether every case is compared with the runtime's public answer, not a sample: so the checks ask it."""
        return self.name == PRESENTATION


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """How figures are computed, and which beyond the fixed ones.

    Each tolerance gives `score_within_<tolerance>`, in levels. `rounding` is exact (float64) or the runtime's own
    (float32 and 4 decimals), of decisions and of everything that follows from them.
    """

    score_within: tuple[float, ...] = ()
    rounding: Literal["exact", "runtime"] = "exact"


@dataclass(frozen=True, slots=True)
class NarrowingSettings:
    """How the options of a choice with many of them are cut down before it is answered; `none` cuts nothing.

    A shortlist keeps the `k` options that an embedder ranks first; `embedder` is `checkpoint` or `module:function`,
    `embedder_id` the caller's name of its version. A knockout answers groups of up to `group_size` options.
    """

    name: Literal["none", "shortlist", "knockout"] = "none"
    k: int | None = None
    embedder: str | None = None
    embedder_id: str | None = None
    group_size: int | None = None

    @property
    def cap(self) -> int:
        """The most options that are answered together."""
        return self.k or self.group_size or 0


#: Nothing is cut down.
NO_NARROWING = NarrowingSettings()


@dataclass(frozen=True, slots=True)
class ExecutorSettings:
    """Who computes: actors of a Ray cluster, or this process (`inline`)."""

    name: str
    address: str | None
    num_actors: int | None
    num_cpus: int
    num_gpus: float
    handshake_timeout_s: float
    shard_timeout_s: float
    max_failures: int

    @property
    def device(self) -> str:
        """The device asked for: `cuda` where GPUs are, else `cpu`; never guessed."""
        return "cuda" if self.num_gpus > 0 else "cpu"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The folder of facts."""

    uri: Path


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What results must reach, as written: limits are checked where they are read.

    `model` and `branch` choose among the results of a published baseline; `languages` are those in which results are
    compared with a baseline, None for all of it.
    """

    mode: Literal["strict", "compatible"] | None = None
    min_accuracy: float | None = None
    max_ece: float | None = None
    min: Mapping[str, Any] = field(default_factory=dict)
    max: Mapping[str, Any] = field(default_factory=dict)
    tolerance: Mapping[str, Any] = field(default_factory=dict)
    tolerances: Path | None = None
    policy: Path | None = None
    two_sided: bool = False
    max_errored_share: float = 0.0
    checks: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    branch: str | None = None
    languages: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """One sweep, complete and checked. `languages` None means all that the dataset has.

    `drift` names the checkpoint that the others are compared with; None compares those of the same weights.
    """

    checkpoints: tuple[CheckpointSettings, ...]
    languages: tuple[str, ...] | None
    regimes: tuple[RegimeSettings, ...]
    transforms: tuple[TransformSettings, ...]
    min_confidence: tuple[MinConfidence, ...]
    dataset: DatasetSettings
    executor: ExecutorSettings
    store: StoreSettings
    gate: GateSettings
    baseline: Path | None
    on_error: str
    out_dir: Path | None
    batch_tokens: int
    batch_size: int | None
    shard_cases: int
    dry_run: bool
    metrics: MetricSettings = MetricSettings()
    #: States are read in one piece; `config` refuses anything else (docs/suites.md says why).
    window: int | None = None
    sort_by_length: bool = False
    drift: str | None = None
    narrowing: NarrowingSettings = NO_NARROWING
    routers: tuple[RouterSettings, ...] = ()
