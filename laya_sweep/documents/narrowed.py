"""Shortlists and tournaments in upstream's reports: their own schemas, what was kept of each case, and why it missed.

The runtime's reports have schemas of their own for both, so that nobody pools them with answers over all options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from laya_sweep.gates.comparability import SHORTLIST_SCHEMA, TOURNAMENT_KEY, TOURNAMENT_SCHEMA
from laya_sweep.metrics.catalogue import EVALS_METRICS, catalogue
from laya_sweep.metrics.narrowing import RECALLED, SURVIVED
from laya_sweep.scoring.narrowed import CORRECT, MISSES

_SCHEMAS: Final = {"shortlist": SHORTLIST_SCHEMA, "knockout": TOURNAMENT_SCHEMA}

#: Narrowing -> what upstream calls it.
NAMES: Final = {"shortlist": "shortlist", "knockout": "tournament"}

#: The figures that upstream's reports of them have.
NARROWED_METRICS: Final = tuple(
    metric.name
    for metric in catalogue(flags=(RECALLED, SURVIVED))
    if metric.in_evals and metric.name not in EVALS_METRICS
)


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
    document[NAMES[name]] = {**told, "checkpoint_id": checkpoint_id, "counts": counts}
    return document | ({} if name == "shortlist" else {TOURNAMENT_KEY: size})


def narrowed_case(decision: Mapping[str, Any]) -> dict[str, Any]:
    """What was kept of a case and what became of it; empty where nothing was narrowed."""
    if decision["narrowing"] is None:
        return {}
    name = NAMES[decision["narrowing"]]
    return {name: kept_document(decision, decision["options"]), f"{name}_status": decision["narrowing_status"]}


def narrowing_columns(case: Mapping[str, Any], labels: Sequence[str], cap: int | None) -> dict[str, Any]:
    """The narrowing columns of a decision, from what `narrowed_case` said of it; none where nothing was narrowed.

    Args:
        case: a case of a document.
        labels: of all options, in canonical order.
        cap: the size of a group of a tournament, which cases do not repeat.
    """
    for narrowing, name in NAMES.items():
        if name in case:
            own = case[name]
            return {
                "narrowing": narrowing,
                "narrowing_cap": own.get("k", cap),
                "full_options": own["n"],
                "kept": [labels.index(label) for label in own["labels"]],
                "kept_scores": own.get("scores"),
                "rounds": own.get("rounds"),
                "narrowing_status": case[f"{name}_status"],
            }
    return {}


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
