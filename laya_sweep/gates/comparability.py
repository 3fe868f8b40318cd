"""Whether two results are one measurement: figures of different data differ for no reason of quality."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.domain.thresholds import BucketThresholds, same_gate
from laya_sweep.errors import one_line
from laya_sweep.gates.mode import Mode
from laya_sweep.gates.part import Part
from laya_sweep.gates.scorecard import IDENTITY_KEYS, UNKNOWN, MinConfidence, Scorecard
from laya_sweep.gates.verdict import Check
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION

#: Reports of the same measurement, ours and upstream's: one says what the other says, and more.
EVALS_SCHEMA = "laya-evals-report/1"
SHORTLIST_SCHEMA = "laya-shortlist-evals-report/1"
TOURNAMENT_SCHEMA = "laya-tournament-evals-report/1"
#: What upstream calls its reports.
UPSTREAM_SCHEMAS = frozenset({EVALS_SCHEMA, SHORTLIST_SCHEMA, TOURNAMENT_SCHEMA})
_SHORTLISTS = frozenset({"laya-sweep-shortlist-report/1", SHORTLIST_SCHEMA})
_TOURNAMENTS = frozenset({"laya-sweep-knockout-report/1", TOURNAMENT_SCHEMA})
_SAME_SCHEMA = (frozenset({"laya-sweep-report/1", EVALS_SCHEMA}), _SHORTLISTS, _TOURNAMENTS)

#: What reports of shortlists or of tournaments must share to be one measurement, known on both sides.
TOURNAMENT_KEY = "tournament_group_size"
SHORTLIST_KEY = "shortlist"

#: Of a document without schema whose shape has no place for anything but answers over all options.
ALL_OPTIONS_KEY = "all_options"


def comparability_check(candidate: Scorecard, baseline: Scorecard, mode: Mode, part: Part = Part.WHOLE) -> Check:
    """One check that both sides are the same measurement; its message names every key and both values."""
    reasons = conflicts(candidate, baseline, mode, part)
    if reasons:
        return Check("comparability", False, f"baseline is not comparable: {'; '.join(reasons)}")
    known = [key for key in IDENTITY_KEYS if _known(candidate, key) and _known(baseline, key)]
    if part is Part.MOVED:
        unknown = UNKNOWN in (candidate.min_confidence, baseline.min_confidence)
        said = "is not recorded on both sides" if unknown else "is the same"
        return Check("comparability", True, f"baseline is comparable: min_confidence {said}")
    shown = f"same {', '.join(known)}" if known else "no identity is known on both sides"
    return Check("comparability", True, f"baseline is comparable: {shown}")


def conflicts(candidate: Scorecard, baseline: Scorecard, mode: Mode, part: Part = Part.WHOLE) -> list[str]:
    """Why two results must not be compared; empty where nothing speaks against it.

    What no threshold moves does not ask for the threshold, and what it moves asks for nothing else.

    A key that one side lacks is unknown in compatible mode and a conflict in strict. Two known and different
    roundings are a conflict in strict mode. Library version and thresholds are recorded and never compared: a patch
    release must not invalidate a baseline.
    """
    thresholds = [] if part is Part.UNMOVED else _min_confidence(candidate, baseline, mode)
    if part is Part.MOVED:
        return thresholds
    reasons = []
    for key, meaning in IDENTITY_KEYS.items():
        here, there = candidate.identity.get(key), baseline.identity.get(key)
        unknown = here is None or there is None
        if (mode == "strict") if unknown else not _equal(key, here, there):
            reasons.append(_reason(f"{key} ({meaning})", there, here))
    reasons += [*_narrowing(candidate, baseline), *thresholds]
    return reasons + (_rounding(candidate, baseline) if mode == "strict" else [])


def coverage_conflict(candidate: Scorecard, baseline: Scorecard) -> str | None:
    """Why a coverage metric of one must not be subtracted from the other's, in any mode, whichever side is old."""
    current = COVERAGE_METRIC_DEFINITION
    sides = (("this result", candidate), ("the baseline", baseline))
    old = [
        f"{side} has {_definition(card.coverage_metric_definition)}"
        for side, card in sides
        if card.coverage_metric_definition != current
    ]
    if not old:
        return None
    return f"{' and '.join(old)}, while coverage is now cut by definition {current}; make it again to compare it"


def missing_identity(candidate: Scorecard, baseline: Scorecard) -> list[str]:
    """Identity keys that relative rules need and that a side lacks."""
    return [key for key in IDENTITY_KEYS if not (_known(candidate, key) and _known(baseline, key))]


def _equal(key: str, here: Any, there: Any) -> bool:  # noqa: ANN401 - any JSON values
    return bool(here == there) or (
        key == "schema" and any({str(here), str(there)} <= schemas for schemas in _SAME_SCHEMA)
    )


def _known(card: Scorecard, key: str) -> bool:
    return card.identity.get(key) is not None


def narrowing_identity(document: object) -> dict[str, Any]:
    """Identity of a narrowed result, from the `narrowing` of its configuration; empty where it has none.

    A shortlist by the checkpoint's own encoder may have no other name of its embedder than `checkpoint`.
    """
    if not isinstance(document, Mapping):
        return {}
    if document.get("name") == "knockout":
        return {TOURNAMENT_KEY: document.get("group_size")}
    return {SHORTLIST_KEY: {"k": document.get("k"), "embedder_id": document.get("embedder_id")}}


def _narrowing(candidate: Scorecard, baseline: Scorecard) -> list[str]:
    """Results of shortlists or tournaments are one measurement only at the same size."""
    schemas = {str(card.identity.get("schema")) for card in (candidate, baseline)}
    all_of_them = [bool(card.identity.get(ALL_OPTIONS_KEY)) for card in (baseline, candidate)]
    if any(all_of_them) and schemas & (_SHORTLISTS | _TOURNAMENTS):
        told = ["all of them" if own else "a part of them" for own in all_of_them]
        return [_reason("options (of a question)", *told)]
    for own, key, meaning in (
        (_TOURNAMENTS, TOURNAMENT_KEY, "size of a group"),
        (_SHORTLISTS, SHORTLIST_KEY, "options kept, and by which embedder"),
    ):
        here, there = candidate.identity.get(key), baseline.identity.get(key)
        if schemas <= own and (here is None or there is None or here != there):
            return [_reason(f"{key} ({meaning})", there, here)]
    return []


def _min_confidence(candidate: Scorecard, baseline: Scorecard, mode: Mode) -> list[str]:
    """None (no threshold) and 0.0 (the control arm) are two experiments; 0.7 and {default: 0.7} are one."""
    here, there = candidate.min_confidence, baseline.min_confidence
    unknown = here is UNKNOWN or there is UNKNOWN
    if (mode == "strict") if unknown else not same_threshold(here, there):
        return [_reason("min_confidence (abstention threshold)", _threshold(there), _threshold(here))]
    return []


def _rounding(candidate: Scorecard, baseline: Scorecard) -> list[str]:
    """Exact figures and the runtime's own differ by up to half a unit of its last digit, and at ties by a label.

    In compatible mode tolerances decide, since upstream does not know of any rounding but its own.
    """
    here, there = candidate.rounding, baseline.rounding
    known = here is not None and there is not None
    return [_reason("rounding (metrics.rounding)", there, here)] if known and here != there else []


def same_threshold(here: MinConfidence, there: MinConfidence) -> bool:
    """Whether two thresholds mark every answer alike; a value that is none is like itself alone."""
    pair = [value for value in (here, there) if value is None or isinstance(value, float | int | BucketThresholds)]
    return same_gate(*pair) if len(pair) == 2 else here == there


def _threshold(value: Any) -> Any:  # noqa: ANN401 - a number, a map, None or unknown
    if value is UNKNOWN:
        return None
    return "no threshold" if value is None else value


def _reason(key: str, there: Any, here: Any) -> str:  # noqa: ANN401 - any JSON value
    return f"{key}: baseline is {_shown(there)}, this run is {_shown(here)}"


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return "not recorded" if value is None else one_line(value)


def _definition(recorded: Any) -> str:  # noqa: ANN401 - any JSON value
    return "definition 1 (none is recorded)" if recorded is None else f"definition {one_line(recorded)}"
