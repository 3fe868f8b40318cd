"""A result against an earlier one: how far each figure moved, and how far it may.

Compatible mode is upstream's arithmetic: the absolute difference, exactly, over every figure of the baseline.
Strict mode forgives improvements of metrics whose better direction is known, and rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from laya_sweep.domain.tolerance import within
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.comparability import coverage_conflict
from laya_sweep.gates.mode import Mode, slack_of
from laya_sweep.gates.scorecard import FigureKey, Scorecard
from laya_sweep.gates.verdict import Check, label, measured, names, why_no_value
from laya_sweep.metrics.lookup import nature_of


def baseline_checks(
    candidate: Scorecard, baseline: Scorecard, tolerances: Mapping[str, float], mode: Mode, *, two_sided: bool = False
) -> list[Check]:
    """One check per figure of the baseline's scope; without a tolerance a figure may not move at all.

    Timing metrics are compared only where a tolerance names them. In strict mode also a tolerance fails that no
    figure of the baseline answers to, and so does a comparison that came to nothing.

    Raises:
        UsageError: the baseline has no figures, so nothing in it could fail.
    """
    if not any(baseline.figures(place) for place in baseline.scope):
        got = "none" if len(baseline.scope) == 1 else f"none in {len(baseline.scope)} slices"
        raise UsageError(
            Problem(f"baseline {one_line(baseline.name)}", "figures to compare with", got, "name a whole report")
        )
    keys = list(_compared(baseline, tolerances))
    checks = [_check(candidate, baseline, key, tolerances.get(key.metric, 0.0), mode, two_sided) for key in keys]
    checks += _empty_places(baseline)
    if mode == "compatible":
        return checks
    checks += [_unmet(candidate, baseline, name) for name in unused_tolerances(baseline, tolerances)]
    return checks or [Check("baseline", False, "nothing was compared: the baseline has timings only")]


def unused_tolerances(baseline: Scorecard, tolerances: Mapping[str, float]) -> list[str]:
    """Tolerances that name no figure of the baseline's scope."""
    known = {metric for place in baseline.scope for metric in baseline.figures(place)}
    return [name for name in tolerances if name not in known]


def _compared(baseline: Scorecard, tolerances: Mapping[str, float]) -> Iterator[FigureKey]:
    for place in baseline.scope:
        for metric in baseline.figures(place):
            if metric in tolerances or not nature_of(metric).timing:
                yield FigureKey(*place, metric)
        yield from (key for key in baseline.doubtful if key in baseline.missing and key[:2] == place)


def _check(
    candidate: Scorecard, baseline: Scorecard, key: FigureKey, tolerance: float, mode: Mode, two_sided: bool
) -> Check:
    here, there = measured(candidate, key), measured(baseline, key)
    conflict = coverage_conflict(candidate, baseline) if nature_of(key.metric).cuts else None
    facts = (key, here, there, "tolerance", tolerance)
    if conflict is not None:
        said = f"{label(key)} {here}, baseline {there}: not compared, because {conflict}"
        return Check("baseline", False, said, *facts)
    if there.value is None:
        said = f"{label(key)} {here}, baseline has no value: {why_no_value(baseline, key)}"
        return Check("baseline", False, said, *facts)
    if here.value is None:
        said = f"{label(key)} has no value, baseline {there}: {why_no_value(candidate, key)}"
        return Check("baseline", False, said, *facts)
    moved = here.value - there.value
    drift = abs(moved) if mode == "compatible" or two_sided else _worsening(key.metric, moved)
    finite = mode == "compatible" or (math.isfinite(here.value) and math.isfinite(there.value))
    passed = finite and within(drift, tolerance, slack_of(mode))
    end = "" if passed else _how_it_failed(drift, tolerance)
    said = f"{label(key)} {here}, baseline {there}: {moved:+.4f}, tolerance {tolerance:g}{end}"
    return Check("baseline", passed, said, *facts, drift=drift)


def _worsening(metric: str, moved: float) -> float:
    """How far a figure got worse; below 0 for an improvement, the distance where neither way is better."""
    way = nature_of(metric).better
    if way == "neither":
        return abs(moved)
    return -moved if way == "higher" else moved


def _how_it_failed(drift: float, tolerance: float) -> str:
    over = drift - tolerance
    return f", exceeded by {over:.4g}" if math.isfinite(over) else ", and it is not a finite difference"


def _unmet(candidate: Scorecard, baseline: Scorecard, name: str) -> Check:
    has = {metric for place in baseline.scope for metric in candidate.figures(place)}
    lacking = "the baseline lacks it" if name in has else "neither side has it"
    exist = names(sorted({metric for place in baseline.scope for metric in baseline.figures(place)}))
    return Check(
        "baseline",
        False,
        f"tolerance for {one_line(name)}: nothing to compare, {lacking}; metrics of the baseline: {exist}",
        limit_name="tolerance",
    )


def _empty_places(baseline: Scorecard) -> list[Check]:
    """Places somebody put into the scope (a language) and of which the baseline has no figure."""
    empty = [place for place in baseline.scope if not baseline.figures(place)]
    said = "baseline has no figures of {}={}; it has {}"
    return [
        Check(
            "baseline",
            False,
            said.format(one_line(place.dimension), one_line(place.value), names(baseline.slices.get(place[0], {}))),
        )
        for place in empty
    ]
