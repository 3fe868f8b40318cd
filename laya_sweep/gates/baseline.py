"""A result against an earlier one: how far each figure moved, and how far it may.

Compatible mode is upstream's arithmetic: the absolute difference, exactly, over every figure of the baseline.
Strict mode forgives improvements of metrics whose better direction is known, and rounding.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from laya_sweep.domain.tolerance import within
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.comparability import coverage_conflict
from laya_sweep.gates.figure_name import is_among, label, named, overall_key, tolerance_of
from laya_sweep.gates.mode import Mode, slack_of
from laya_sweep.gates.part import Part
from laya_sweep.gates.scorecard import FigureKey, Scorecard
from laya_sweep.gates.verdict import Check, measured, names, why_no_value
from laya_sweep.metrics.lookup import is_metric, nature_of


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is asked of a result beside a baseline.

    Attributes:
        tolerances: how far figures may move, by name; one that is not named may not move.
        only: the figures that are compared, by name; None for all of the baseline's scope.
        two_sided: in strict mode, an improvement beyond the tolerance fails too.
        part: the figures that are asked here.
    """

    tolerances: Mapping[str, float] = field(default_factory=dict)
    only: tuple[str, ...] | None = None
    two_sided: bool = False
    part: Part = Part.WHOLE

    def names_figure(self, key: FigureKey) -> bool:
        """Whether somebody asked for this figure by name."""
        return tolerance_of(self.tolerances, key) is not None or is_among(self.only or (), key)


def baseline_checks(candidate: Scorecard, baseline: Scorecard, asked: Comparison, mode: Mode) -> list[Check]:
    """One check per figure of the baseline's scope; without a tolerance a figure may not move at all.

    Timing metrics are compared only where a name asks for them, in strict mode also those of which neither way is
    better. A name of `only` that no figure answers to fails, in strict mode also such a tolerance, and a comparison
    that came to nothing.

    Raises:
        UsageError: the baseline has no figures, so nothing in it could fail, and not since no question applies.
    """
    once = asked.part is not Part.MOVED
    if not any(baseline.figures(place) for place in baseline.scope):
        return _beside_nothing(candidate, baseline) if once else []
    every = compared_figures(baseline, asked, mode)
    checks = [_check(candidate, baseline, key, asked, mode) for key in every if asked.part.has(key.metric)]
    checks += _empty_places(baseline) if once else []
    unmet = [("only", name) for name in unmet_names(baseline, asked.only or ())]
    if mode == "strict":
        unmet += [("tolerance", name) for name in unmet_names(baseline, asked.tolerances)]
    checks += [_unmet(candidate, baseline, *one) for one in unmet if asked.part.has(named(one[1]).metric)]
    if mode == "strict" and once and not every and not checks:
        said = "nothing was compared: the baseline has timings, and figures of which neither way is better, only"
        checks.append(Check("baseline", False, said))
    return checks


def unmet_names(baseline: Scorecard, asked: Collection[str]) -> list[str]:
    """Names that no figure of the baseline answers to, in its scope or at the place that they say."""
    known = {metric for place in baseline.scope for metric in baseline.figures(place)}
    at_places = {name for name in asked if named(name).place and baseline.value(overall_key(name)) is not None}
    return [name for name in asked if name not in known and name not in at_places]


def compared_figures(baseline: Scorecard, asked: Comparison, mode: Mode) -> list[FigureKey]:
    """The figures that are compared, of all parts."""
    return [
        key
        for key in _figures(baseline, asked)
        if asked.names_figure(key) or not (nature_of(key.metric).timing or _undirected(key, mode))
    ]


def comparison_notes(baseline: Scorecard, asked: Comparison, mode: Mode) -> Iterator[str]:
    """How many figures are compared, how many by the tolerance that nobody gave, and what is left out."""
    keys = compared_figures(baseline, asked, mode)
    if keys:
        bare = sum(tolerance_of(asked.tolerances, key) is None for key in keys)
        said = f"{len(keys)} figure(s) judged against the baseline, {bare} without a tolerance of their own"
        left = {
            key.metric for key in _figures(baseline, asked) if not asked.names_figure(key) and _undirected(key, mode)
        }
        yield said + (f"; not judged, since neither way is better: {names(sorted(left))}" if left else "")


def _figures(baseline: Scorecard, asked: Comparison) -> Iterator[FigureKey]:
    """The figures of the scope and those that names ask for at a place, without what `only` leaves out."""
    scope = [FigureKey(*place, metric) for place in baseline.scope for metric in baseline.figures(place)]
    by_name = [overall_key(name) for name in (*asked.tolerances, *(asked.only or ())) if named(name).place]
    for key in dict.fromkeys([*scope, *(key for key in by_name if baseline.value(key) is not None)]):
        if asked.only is None or is_among(asked.only, key):
            yield key


def _undirected(key: FigureKey, mode: Mode) -> bool:
    """Whether a declared metric only describes, which strict mode does not judge unasked."""
    return mode == "strict" and nature_of(key.metric).better == "neither" and is_metric(key.metric)


def _beside_nothing(candidate: Scorecard, baseline: Scorecard) -> list[Check]:
    """Against a baseline without figures: equal where no question applies on either side."""
    if not _nothing_applies(baseline):
        got = "none" if len(baseline.scope) == 1 else f"none in {len(baseline.scope)} slices"
        raise UsageError(
            Problem(f"baseline {one_line(baseline.name)}", "figures to compare with", got, "name a whole report")
        )
    if _nothing_applies(candidate):
        return [Check("baseline", True, "no question applies, here and in the baseline: equal")]
    return [Check("baseline", False, "no question applies in the baseline: it has no figures to compare with")]


def _nothing_applies(card: Scorecard) -> bool:
    """Whether a result of ours has no figure since no question of its data applies."""
    measured = any(not nature_of(metric).timing for metric in card.overall)
    return card.ours and not (measured or card.asked or card.errored or card.absent)


def _check(candidate: Scorecard, baseline: Scorecard, key: FigureKey, asked: Comparison, mode: Mode) -> Check:
    here, there = measured(candidate, key), measured(baseline, key)
    name, tolerance = label(key, candidate), tolerance_of(asked.tolerances, key) or 0.0
    conflict = coverage_conflict(candidate, baseline) if nature_of(key.metric).cuts else None
    facts = (key, here, there, "tolerance", tolerance)
    if conflict is not None:
        said = f"{name} {here}, baseline {there}: not compared, because {conflict}"
        return Check("baseline", False, said, *facts)
    assert there.value is not None
    if here.value is None:
        said = f"{name} has no value, baseline {there}: {why_no_value(candidate, key)}"
        return Check("baseline", False, said, *facts)
    moved = here.value - there.value
    drift = abs(moved) if mode == "compatible" or asked.two_sided else _worsening(key.metric, moved)
    finite = mode == "compatible" or (math.isfinite(here.value) and math.isfinite(there.value))
    passed = finite and within(drift, tolerance, slack_of(mode))
    end = "" if passed else _how_it_failed(drift, tolerance)
    said = f"{name} {here}, baseline {there}: {moved:+.4f}, tolerance {tolerance:g}{end}"
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


def _unmet(candidate: Scorecard, baseline: Scorecard, what: str, name: str) -> Check:
    has = {metric for place in baseline.scope for metric in candidate.figures(place)}
    there = name in has or candidate.value(overall_key(name)) is not None
    lacking = "the baseline lacks it" if there else "neither side has it"
    exist = names(sorted({metric for place in baseline.scope for metric in baseline.figures(place)}))
    return Check(
        "baseline",
        False,
        f"{what} for {one_line(name)}: nothing to compare, {lacking}; metrics of the baseline: {exist}",
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
