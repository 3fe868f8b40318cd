"""The unweighted mean over slices, and what stands in its place where a slice has no value.

The *macro* figure asks how a language fares on average, the overall (*micro*) one how an answer does. They differ as
soon as slices differ in size, so neither is ever called "the mean".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from laya_sweep.metrics.value import Measure


class MacroMeasures(NamedTuple):
    """The macro figure, and the mean over the survivors when the macro is incomplete (else None)."""

    macro: Measure
    partial: Measure | None


def macro_of(measures: Mapping[str, Measure | None]) -> MacroMeasures:
    """The unweighted mean over slices, given only when every slice has a value.

    Args:
        measures: slice value -> its measure; None for an expected slice that has no rows at all.

    A mean over the languages that happened to survive is not the macro figure: it stands apart, as `partial`.

    >>> macro_of({"de": Measure(1.0, 9), "en": None}).macro.reason
    'incomplete: 1 of 2 slices have no value: en (no rows)'
    """
    found = {name: m.value for name, m in measures.items() if m is not None and m.value is not None}
    n = sum(m.n for m in measures.values() if m is not None)
    if not measures:
        return MacroMeasures(Measure.missing(0, "no slices"), None)
    if len(found) == len(measures):
        return MacroMeasures(Measure(float(np.mean(list(found.values()))), n), None)
    macro = Measure.missing(n, _incomplete(measures))
    if not found:
        return MacroMeasures(macro, None)
    survivors = sum(m.n for name, m in measures.items() if m is not None and name in found)
    return MacroMeasures(macro, Measure(float(np.mean(list(found.values()))), survivors))


def _incomplete(measures: Mapping[str, Measure | None]) -> str:
    why = {name: "no rows" if m is None else m.reason for name, m in measures.items() if m is None or m.value is None}
    reasons = set(why.values())
    if len(why) == len(measures) and len(reasons) == 1:
        return f"no slice has a value: {reasons.pop()}"
    shown = ", ".join(f"{name} ({reason})" for name, reason in sorted(why.items()))
    return f"incomplete: {len(why)} of {len(measures)} slices have no value: {shown}"
