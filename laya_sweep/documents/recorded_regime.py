"""The regime of a result, as its run recorded it: one that is not known here has no temperatures to tell."""

from __future__ import annotations

from typing import Any

from laya_sweep.domain.regime import REGIME_KINDS
from laya_sweep.errors import Problem, UsageError, name_list, one_line
from laya_sweep.store.stored_run import StoredResult


def recorded_regime(result: StoredResult) -> dict[str, Any]:
    """What the run's configuration says of the result's regime.

    Raises:
        UsageError: nothing, or a kind that this version does not know.
    """
    found = result.run.config.get("regimes", {}).get(result.regime)
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(found, dict) or kind not in REGIME_KINDS:
        what = f"regime {one_line(result.regime)} of run {result.run.folder}"
        expected = f"one of the kinds {name_list(REGIME_KINDS)}"
        step = "export it with the version of laya_sweep that made the run"
        raise UsageError(Problem(what, expected, one_line(repr(kind)), step))
    return dict(found)
