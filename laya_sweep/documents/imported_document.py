"""The document that a run was imported from, for who writes it again."""

from __future__ import annotations

from typing import Any

from laya_sweep.documents.shape import SHAPES_WRITTEN
from laya_sweep.errors import Problem, UsageError
from laya_sweep.store.stored_run import StoredResult


def imported_document(result: StoredResult, shape: str) -> dict[str, Any] | None:
    """The document, without its cases where those are the run's tables; None for a run of our own.

    Raises:
        UsageError: it is of another shape, which does not tell what this one holds.
    """
    run = result.run
    if run.imported is not None and run.imported_format != shape:
        known = run.imported_format
        step = f"export it with --format {known}" if known in SHAPES_WRITTEN else "use the document itself"
        got = f"one imported from a {known} document, which does not tell what it holds"
        raise UsageError(Problem(f"run {run.folder}", f"a run that a {shape} document can hold", got, step))
    return run.imported
