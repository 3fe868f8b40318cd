"""The options of a sweep, each declared once, and the frozen dataclasses that hold their checked values.

A field says its type (which checks it where a configuration comes in), its default, its help, and whether it is
identity or runtime (`domain/option.py`). A test fails on a field that says neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from laya_sweep.domain.checked import (
    Above0,
    Count,
    Divisor,
    File,
    FileOrFolder,
    Flag,
    Folder,
    Least0,
    Listed,
    OneOrMore,
    Several,
    Takes,
    Text,
    Whole,
    null_is,
)
from laya_sweep.domain.option import found, identity, runtime
from laya_sweep.domain.thresholds import MinConfidence

#: The embedder that is the encoder of the checkpoint itself.
CHECKPOINT_EMBEDDER = "checkpoint"

#: The transform that shows a case as it stands; every other one is compared with it.
BASELINE = "baseline"

#: The dataset of the presentation checks.
PRESENTATION = "presentation"

#: Tokens of a text; the runtime needs 8 for its own marks.
Budget = Annotated[int, Field(ge=8), Takes("a whole number of at least 8")]

_DIGESTS = "write it as '+checkpoints.NAME.expected_sha256={model.safetensors: DIGEST}'"
Digest = Annotated[str, Field(pattern=r"^\s*[0-9a-fA-F]{64}\s*$"), Takes("64 hex digits", _DIGESTS)]
Digests = Annotated[dict[str, Digest], null_is({}), Takes("a map of file to SHA-256", _DIGESTS)]

#: Metric -> limit; `gates` says which of them can mean anything.
LimitMap = Annotated[
    dict[str, Any], null_is({}), Takes("a map of metric to number", "for example {choice_accuracy: 0.8}")
]

CheckMap = Annotated[
    dict[str, Any],
    null_is({}),
    Takes(
        "a map of language to check to limits", "for example 'gate.checks={de: {score_slot0_identical: {min: -0.2}}}'"
    ),
]

Languages = Annotated[
    tuple[Text, ...], Field(min_length=1, strict=False), OneOrMore, Takes("codes as texts", "for example [en,de]")
]


Figures = Annotated[
    tuple[Text, ...],
    Field(min_length=1, strict=False),
    OneOrMore,
    Takes("names of metrics", "for example [choice_accuracy,macro.ece]"),
]

#: What results are compared with, or that by checkpoint; None for nothing.
BaselinePaths: TypeAlias = Path | Mapping[str, Path | None] | None


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """A checkpoint to sweep: `source` is a folder or a Hub repository id.

    With the engine `onnx` the graph in the file `onnx` answers, and config and tokenizer are those of `source`.
    `expected_sha256` maps files of the checkpoint (or `onnx`, the graph) to the digests they must have.
    """

    name: Annotated[str, found("the key of its entry")]
    source: Annotated[Text, identity("a folder or a Hub repository; auto is a router")]
    subfolder: Annotated[Text | None, identity("of the source")]
    revision: Annotated[Text | None, identity("commit, branch or tag of the Hub")]
    max_len: Annotated[Budget | None, identity("tokens of a state; null is the checkpoint's own")]
    head_max_len: Annotated[Budget | None, identity("tokens of an option; null is the checkpoint's own")]
    engine: Annotated[str, identity("what computes the logits", written="an engine: torch or onnx")] = "torch"
    onnx: Annotated[File | None, identity("the exported graph, with engine=onnx")] = None
    expected_sha256: Annotated[Digests, runtime("file, or onnx -> the SHA-256 it must have")] = field(
        default_factory=dict
    )


@dataclass(frozen=True, slots=True)
class RouteSettings:
    """A checkpoint that a router may choose, under the name that it or a row uses."""

    name: Annotated[str, found("the key of its entry")]
    source: Annotated[Text, identity("a folder or a Hub repository")]
    subfolder: Annotated[Text | None, identity("of the source")] = None
    revision: Annotated[Text | None, identity("commit, branch or tag of the Hub")] = None


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """A result whose rows are answered by the checkpoint they name, else by the one that the runtime's router chooses.

    `default` is the route of states whose language is undecided, None for the runtime's own; the budgets hold for
    every route. A router decides which checkpoint is asked, and that one's cells are the same without it.
    """

    name: Annotated[str, found("the key of its entry")]
    routes: tuple[RouteSettings, ...]
    default: Annotated[Text | None, runtime("the route of states of no certain language; null is the runtime's")] = None
    auto_task_detection: Annotated[Flag, null_is(False), runtime("the router looks at the task, too")] = False
    max_len: Annotated[Budget | None, identity("as of a checkpoint, for every route")] = None
    head_max_len: Annotated[Budget | None, identity("as of a checkpoint, for every route")] = None


@dataclass(frozen=True, slots=True)
class RegimeSettings:
    """Which temperature divides the logits: served, raw, unit, fixed with its value, or those of a map.

    A map is what its files held when the configuration was read: `document` of `path`, and `lang_temperatures`, written
    out or of the file `lang_path`. `fitted_rows` allow evaluates rows that it was fitted on.
    """

    name: Annotated[str, found("the key of its entry")]
    kind: Annotated[str, runtime("which temperature", written="served, raw, unit, fixed or map")]
    temperature: Annotated[Divisor | None, runtime("of every question, with kind fixed")]
    path: Annotated[File | None, runtime("a calibration map, with kind map")] = None
    sha256: Annotated[str | None, found("of the bytes of path")] = None
    document: Annotated[Mapping[str, Any] | None, found("what path held")] = None
    lang_temperatures: Annotated[
        Mapping[str, Any] | None, runtime("overrides by language, with kind map", written="a map, a JSON file, or null")
    ] = None
    lang_path: Annotated[Path | None, found("the file of lang_temperatures")] = None
    lang_sha256: Annotated[str | None, found("of the bytes of lang_path")] = None
    fitted_rows: Annotated[
        Literal["refuse", "allow"], null_is("refuse"), runtime("what rows mean that the map was fitted on")
    ] = "refuse"


@dataclass(frozen=True, slots=True)
class TransformSettings:
    """A named presentation of every case; `baseline` is the case as it stands.

    The rest holds for transforms that draw: how many `variants` of a case, from which `seed`, by which `sampler`.
    """

    name: Annotated[str, identity("the name of its entry", written="the name of a transform")]
    variants: Annotated[Count, runtime("orders of a case, where a transform draws; more keep those that are there")] = 1
    seed: Annotated[Whole, identity("of the draws")] = 13
    sampler: Annotated[
        Literal["by_case", "published"], identity("draws of (seed, case) alone, or the published sequence")
    ] = "by_case"


@dataclass(frozen=True, slots=True)
class TableMapping:
    """What the columns of a text/label file are, and what is asked about a row.

    `format` None goes by the file's ending, `quoted` None is the format's own rule. `text` is the column that is the
    state, or pairs of (field, column) of an object.
    """

    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet"] | None, identity("of the file; null goes by its ending")
    ]
    quoted: Annotated[Flag | None, identity('whether " encloses cells; null is the rule of the format')]
    text: Annotated[
        str | tuple[tuple[str, str], ...],
        identity("of the state", written="a column, a list of columns, or {field: column}"),
    ]
    label: Annotated[Text, identity("the column of the label")]
    language: Annotated[Text | None, identity("the column of a code to slice and select by")]
    id: Annotated[Text | None, identity("the column that ties rows which are one message")]
    tags: Annotated[tuple[str, ...], runtime("to slice by", written="a column, or a list of columns")]
    question: Annotated[Text, identity("the id of the question")]
    instructions: Annotated[Text, identity("what is asked")]


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """Where cases come from and how options are drawn.

    `per_lang` None takes every row, and `n_opts` 0 every label. `labels` are pairs of (label, description or None) in
    their order, the JSON file that has them, or None for those that the whole split turns out to have. A suite that is
    neither split nor sampled reads no `split`, `seed` and `sampling`. `mapping` is of a text/label file alone.
    """

    name: Annotated[str, identity("which suite", written="the name of a dataset")]
    path: Annotated[FileOrFolder | None, identity("your own rows")] = None
    repo: Annotated[Text | None, identity("of the Hub, where no path is named")] = None
    revision: Annotated[Text | None, identity("commit, branch or tag, resolved once to a commit")] = None
    split: Annotated[Text, identity("of the rows")] = "test"
    per_lang: Annotated[Count | None, runtime("rows of each language; null takes them all")] = None
    n_opts: Annotated[Several, identity("options of a row; of a table null is every label")] = 0
    seed: Annotated[Whole, identity("of the drawn options")] = 13
    sampling: Annotated[
        Literal["published", "by_row"], identity("as in the published tables, or of (seed, row id) alone")
    ] = "published"
    labels: Annotated[
        tuple[tuple[str, str | None], ...] | Path | None,
        identity(
            "that options are drawn from; null: those of the whole split or file, sorted",
            written="a list, {label: description}, a JSON file, or null",
        ),
    ] = None
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

    score_within: Annotated[
        tuple[Least0, ...],
        Listed,
        OneOrMore,
        runtime("tolerances in levels; each adds score_within_<tolerance> of score questions"),
    ] = (0.25,)
    rounding: Annotated[
        Literal["exact", "runtime"],
        runtime("runtime: figures of its own answers (float32, 4 decimals), as in its reports"),
    ] = "exact"
    replicates: Annotated[
        Whole, runtime("of every bootstrap interval; 0 draws none and leaves those intervals out")
    ] = 1000


@dataclass(frozen=True, slots=True)
class NarrowingSettings:
    """How the options of a choice with many of them are cut down before it is answered; `none` cuts nothing.

    A shortlist keeps the `k` options that an embedder ranks first; `embedder` is `checkpoint` or `module:function`,
    `embedder_id` the caller's name of its version. A knockout answers groups of up to `group_size` options.
    """

    name: Annotated[Literal["none", "shortlist", "knockout"], identity("how options are cut down")] = "none"
    k: Annotated[Count | None, identity("options that a shortlist keeps")] = None
    embedder: Annotated[Text | None, identity("of a shortlist: checkpoint, or package.module:function")] = None
    embedder_id: Annotated[Text | None, identity("a name that changes whenever the vectors do")] = None
    group_size: Annotated[Several | None, identity("options that a knockout answers together")] = None

    @property
    def cap(self) -> int:
        """The most options that are answered together."""
        return self.k or self.group_size or 0


#: Nothing is cut down.
NO_NARROWING = NarrowingSettings()


@dataclass(frozen=True, slots=True)
class ExecutorSettings:
    """Who computes: actors of a Ray cluster, or this process (`inline`)."""

    name: Annotated[Literal["ray", "inline"], runtime("actors of a Ray cluster, or this process")]
    address: Annotated[Text | None, runtime("null is a local Ray of its own; auto or host:port joins a cluster")] = None
    num_actors: Annotated[Count | None, runtime("null: as many as CPUs or GPUs, and the work, allow")] = None
    num_cpus: Annotated[Count, runtime("of each actor")] = 1
    num_gpus: Annotated[Least0, identity("of each actor: 0 is CPU; 1, or a fraction of a GPU")] = 0.0
    handshake_timeout_s: Annotated[Above0, runtime("an actor has to come up and load")] = 300.0
    shard_timeout_s: Annotated[Above0, runtime("an actor has for one task")] = 3600.0
    max_failures: Annotated[Count, runtime("of one task before its cell fails")] = 3

    @property
    def device(self) -> str:
        """The device asked for: `cuda` where GPUs are, else `cpu`; never guessed."""
        return "cuda" if self.num_gpus > 0 else "cpu"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The folder of facts."""

    uri: Annotated[
        Path, runtime("the folder of facts (raw logits), which runs share", written="a folder, or file:///FOLDER")
    ] = Path("outputs/store")


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What results must reach, as written: limits are checked where they are read.

    `model` and `branch` choose among the results of a published baseline, `baseline_*` among those of a run.
    `languages` are those in which results are compared with a baseline and `only` the figures, None for all of it.
    """

    mode: Annotated[Literal["strict", "compatible"] | None, runtime("null: strict between runs of ours")] = None
    min_accuracy: Annotated[Least0 | None, runtime("least choice accuracy, else noul accuracy")] = None
    max_ece: Annotated[Least0 | None, runtime("largest calibration error")] = None
    min: Annotated[LimitMap, runtime("least values; names with dots or @: 'gate.min={selective_accuracy@50: 0.9}'")] = (
        field(default_factory=dict)
    )
    max: Annotated[LimitMap, runtime("largest values")] = field(default_factory=dict)
    tolerance: Annotated[LimitMap, runtime("drifts from the baseline that pass")] = field(default_factory=dict)
    tolerances: Annotated[File | None, runtime("a JSON file of them")] = None
    policy: Annotated[File | None, runtime("a JSON file: requirements on reviewed slices")] = None
    two_sided: Annotated[Flag, runtime("an improvement beyond the tolerance fails, too")] = False
    max_errored_share: Annotated[Least0, runtime("of rows without an answer")] = 0.0
    checks: Annotated[CheckMap, runtime("limits of the presentation checks, over those of their document")] = field(
        default_factory=dict
    )
    model: Annotated[Text | None, runtime("which results of a published baseline")] = None
    branch: Annotated[Text | None, runtime("which results of a published baseline")] = None
    languages: Annotated[
        Languages | None, runtime("in which results are compared with the baseline; null is all of it")
    ] = None
    only: Annotated[
        Figures | None, runtime("which figures are compared with the baseline, macro.METRIC too; null is all of them")
    ] = None
    baseline_checkpoint: Annotated[
        Text | None, runtime("the checkpoint whose results are the baseline; null is that of the same name")
    ] = None
    baseline_regime: Annotated[Text | None, runtime("its regime, likewise")] = None
    baseline_transform: Annotated[Text | None, runtime("its transform, likewise")] = None


@dataclass(frozen=True, slots=True)
class Settings:
    """One sweep, complete and checked. `languages` None means all that the dataset has.

    `drift` names the checkpoint that the others are compared with; None compares those of the same weights.
    """

    checkpoints: tuple[CheckpointSettings, ...]
    languages: Annotated[
        tuple[str, ...] | None, runtime("which rows are evaluated", written="all, a code, or a list of codes")
    ]
    regimes: tuple[RegimeSettings, ...]
    transforms: tuple[TransformSettings, ...]
    min_confidence: Annotated[
        tuple[MinConfidence, ...],
        runtime(
            "what is answered; 0.0 is the control arm, null no gate",
            written="a threshold, a map by bucket, a JSON file, null, or a list of these",
        ),
    ]
    dataset: DatasetSettings
    executor: ExecutorSettings
    store: StoreSettings
    gate: GateSettings
    baseline: Annotated[
        BaselinePaths,
        runtime(
            "a run or its report.json, an upstream report, a published document, a map of metrics; "
            "baseline.NAME is that of one checkpoint",
            written="a file or folder, null, or a map of checkpoint to these",
        ),
    ] = None
    on_error: Annotated[
        Literal["fail", "skip"],
        runtime(
            "a question without an answer leaves its language without metrics, or with those of the rows that answered"
        ),
    ] = "fail"
    out_dir: Annotated[Folder | None, runtime("tables and reports; null makes a new folder under outputs/runs")] = None
    batch_tokens: Annotated[Count, runtime("padded tokens of one call")] = 4096
    batch_size: Annotated[Count | None, runtime("rows of one call, instead of batch_tokens")] = None
    shard_cases: Annotated[Count, runtime("cases of one task; a killed run loses at most the tasks in flight")] = 64
    dry_run: Annotated[Flag, runtime("print the plan and stop")] = False
    metrics: MetricSettings = MetricSettings()
    sort_by_length: Annotated[Flag, runtime("rows of a task go into calls in order of their length")] = False
    drift: Annotated[Text | None, runtime("the checkpoint that all others are compared with")] = None
    narrowing: NarrowingSettings = NO_NARROWING
    routers: tuple[RouterSettings, ...] = ()
