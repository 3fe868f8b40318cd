"""Shortlists and tournaments in upstream's reports: their own schemas, what was kept of each case, and why it missed.

The runtime's reports have schemas of their own for both, so that nobody pools them with answers over all options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from laya_sweep.errors import Problem, UsageError
from laya_sweep.gates.comparability import SHORTLIST_SCHEMA, TOURNAMENT_KEY, TOURNAMENT_SCHEMA
from laya_sweep.metrics.catalogue import EVALS_METRICS, catalogue
from laya_sweep.metrics.narrowing import RECALLED, SURVIVED
from laya_sweep.scoring.narrowed import CORRECT, MISSES
from laya_sweep.store.stored_run import StoredResult

_SCHEMAS: Final = {"shortlist": SHORTLIST_SCHEMA, "knockout": TOURNAMENT_SCHEMA}

#: Narrowing -> what upstream calls it.
_NAMES: Final = {"shortlist": "shortlist", "knockout": "tournament"}

#: The figures that upstream's reports of them have.
NARROWED_METRICS: Final = tuple(
    metric.name
    for metric in catalogue(flags=(RECALLED, SURVIVED))
    if metric.in_evals and metric.name not in EVALS_METRICS
)


def refuse_narrowed(result: StoredResult, shape: str) -> None:
    """Refuse a result over a part of the options where a document is of all of them.

    Raises:
        UsageError: the run's questions were cut down.
    """
    narrowing = result.run.narrowing
    if narrowing is not None:
        step = "export it with --format laya-evals"
        got = f"a {narrowing.get('name')}, which answers over a part of the options"
        raise UsageError(Problem(f"run {result.run.folder}", f"a run that a {shape} can hold", got, step))


def narrowed_config(
    narrowing: Mapping[str, Any] | None, decisions: pa.Table, checkpoint_id: str | None
) -> dict[str, Any]:
    """What the configuration of a report says of a narrowing; empty for none.

    Args:
        narrowing: as the configuration of a run holds it.
        decisions: labelled or not; only labelled ones have a status.
        checkpoint_id: the version of the checkpoint.
    """
    if narrowing is None:
        return {}
    name = str(narrowing["name"])
    found = Counter(decisions["narrowing_status"].to_pylist())
    counts = {status: found[status] for status in (CORRECT, *MISSES[name])}
    own = {"k": narrowing.get("k"), "embedder_id": narrowing.get("embedder_id")}
    size = narrowing.get("group_size")
    told = own if name == "shortlist" else {"group_size": size}
    document: dict[str, Any] = {"schema": _SCHEMAS[name]}
    document[_NAMES[name]] = {**told, "checkpoint_id": checkpoint_id, "counts": counts}
    return document | ({} if name == "shortlist" else {TOURNAMENT_KEY: size})


def narrowed_case(decision: Mapping[str, Any]) -> dict[str, Any]:
    """What was kept of a case and what became of it; empty where nothing was narrowed."""
    if decision["narrowing"] is None:
        return {}
    name = _NAMES[decision["narrowing"]]
    return {name: kept_document(decision, decision["options"]), f"{name}_status": decision["narrowing_status"]}


def kept_document(row: Mapping[str, Any], labels: Sequence[Any]) -> dict[str, Any]:
    """The entry that the runtime returns beside an answer.

    Args:
        row: with the narrowing columns.
        labels: of all options, in canonical order.
    """
    document: dict[str, Any] = {"labels": [labels[place] for place in row["kept"]], "n": row["full_options"]}
    if row["narrowing"] == "knockout":
        return document | {"rounds": row["rounds"]}
    passthrough = row["narrowing_cap"] >= row["full_options"]
    return document | {"scores": row["kept_scores"], "k": row["narrowing_cap"], "passthrough": passthrough}
