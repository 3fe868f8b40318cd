"""What makes two pieces of work the same work: canonical JSON, digests, cell keys.

A cell key is the SHA-256 of identity only. Everything a user may change without changing a logit
(regimes, thresholds, batch size, actors, folders) is runtime and stays out, so that a wider, split,
resumed or re-judged run finds what is already there. Every config field stands in exactly one of the
two lists below; a test fails on a field that stands in neither.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

KEY_VERSION = 1

#: Config fields that change logits (through the cell key), by dotted name.
IDENTITY_FIELDS = frozenset(
    {
        "checkpoints.source",
        "checkpoints.subfolder",
        "checkpoints.revision",
        "checkpoints.max_len",
        "checkpoints.head_max_len",
        "routers.max_len",
        "routers.head_max_len",
        "routers.routes.source",
        "routers.routes.subfolder",
        "routers.routes.revision",
        "checkpoints.engine",
        "checkpoints.onnx",
        "transforms.name",
        "narrowing.name",
        "narrowing.k",
        "narrowing.embedder",
        "narrowing.embedder_id",
        "narrowing.group_size",
        "transforms.seed",
        "transforms.sampler",
        "dataset.name",
        "dataset.path",
        "dataset.repo",
        "dataset.revision",
        "dataset.split",
        "dataset.n_opts",
        "dataset.seed",
        "dataset.sampling",
        "dataset.mapping.format",
        "dataset.mapping.quoted",
        "dataset.mapping.text",
        "dataset.mapping.label",
        "dataset.mapping.language",
        "dataset.mapping.id",
        "dataset.mapping.labels",
        "dataset.mapping.question",
        "dataset.mapping.instructions",
        "window",
        "executor.num_gpus",  # decides the device kind
    }
)

#: Config fields that select, schedule, derive or place, and never change a logit.
RUNTIME_FIELDS = frozenset(
    {
        "checkpoints.name",
        "routers.name",  # a router decides which checkpoint is asked, and that one's cells are the same without it
        "routers.default",
        "routers.auto_task_detection",
        "routers.routes.name",
        "checkpoints.expected_sha256",  # refuses a checkpoint, and never changes what one computes
        "dataset.per_lang",
        "dataset.mapping.tags",
        "transforms.variants",
        "languages",
        "regimes.name",
        "regimes.kind",
        "regimes.temperature",
        "regimes.path",
        "regimes.sha256",
        "regimes.document",
        "regimes.lang_temperatures",
        "regimes.lang_path",
        "regimes.lang_sha256",
        "regimes.fitted_rows",
        "min_confidence",
        "gate.mode",
        "gate.min_accuracy",
        "gate.max_ece",
        "gate.min",
        "gate.max",
        "gate.tolerance",
        "gate.tolerances",
        "gate.policy",
        "gate.two_sided",
        "gate.max_errored_share",
        "gate.checks",
        "gate.model",
        "gate.branch",
        "gate.languages",
        "baseline",
        "metrics.rounding",
        "metrics.score_within",
        "executor.name",
        "executor.address",
        "executor.num_actors",
        "executor.num_cpus",
        "executor.handshake_timeout_s",
        "executor.shard_timeout_s",
        "executor.max_failures",
        "store.uri",
        "on_error",
        "out_dir",
        "batch_tokens",
        "batch_size",
        "sort_by_length",
        "shard_cases",
        "dry_run",
        "drift",
    }
)


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
