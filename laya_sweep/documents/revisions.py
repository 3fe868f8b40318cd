"""Which commits made a result, under the published names: of the checkpoint, asked and answering; of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.store.stored_run import StoredResult

_SOURCE = ("source_revision", "source_dirty")


def model_revisions(checkpoint: Mapping[str, Any]) -> dict[str, str | None]:
    """`model_revision`, the commit that answered (None for a folder), after `requested_model_revision`, what was asked
    for (None for nothing), which runs of older versions did not record."""
    asked = checkpoint.get("requested_revision")
    known = {"requested_model_revision": asked} if "requested_revision" in checkpoint else {}
    return {**known, "model_revision": checkpoint["commit"]}


def source_revision(result: StoredResult) -> dict[str, Any]:
    """The commit of this package that made the run, where its provenance knows it."""
    return {name: result.run.provenance[name] for name in _SOURCE if name in result.run.provenance}
