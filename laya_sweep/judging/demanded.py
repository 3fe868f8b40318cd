"""What is asked must be able to mean something: checked before any model loads, every fault at once."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator

from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.door import Door
from laya_sweep.gates.figure_name import is_among, label, named, overall_key
from laya_sweep.gates.judgement import Demands
from laya_sweep.gates.scorecard import FigureKey, Scorecard
from laya_sweep.judging.opened import Opened
from laya_sweep.metrics.lookup import is_metric, metric_names

#: Faults of one kind that are shown.
_SHOWN = 20


def refuse_unmeant(demands: Demands, baselines: Iterable[Opened], candidate: Opened | None, door: Door) -> None:
    """Refuse names of metrics that cannot exist, limits on what `only` leaves out, and baselines that are no numbers.

    Args:
        demands: what is asked.
        baselines: what results are compared with.
        candidate: what will be judged, where it is known.
        door: how options are spelled.

    Raises:
        UsageError: with every such fault.
    """
    known = [*baselines, *([] if candidate is None else [candidate])]
    problems = [*_unknown(demands, known, door), *_left_out(demands, door), *_not_finite(demands, baselines, door)]
    if problems:
        raise UsageError(*problems)


def _asked(demands: Demands, door: Door) -> Iterator[tuple[str, str]]:
    """Every name that somebody wrote, and where."""
    thresholds = demands.thresholds
    for option, names in (
        ("min", thresholds.minimum),
        ("max", thresholds.maximum),
        ("tolerance", demands.tolerances),
        ("only", demands.only or ()),
    ):
        yield from ((door.option(option), name) for name in names)


def _unknown(demands: Demands, opened: Iterable[Opened], door: Door) -> Iterator[Problem]:
    """A foreign figure may have any name: it is known where a side has it."""
    asked = [(what, name, named(name).metric) for what, name in _asked(demands, door)]
    if demands.policy is not None:
        rules = demands.policy.rules
        asked += [(f"policy rule {rule.index} metric", rule.figure.metric, rule.figure.metric) for rule in rules]
    strange = [one for one in asked if not is_metric(one[2])]
    if strange:
        there = {metric for one in opened for result in one.results for metric in _metrics(result.card)}
        names = [*dict.fromkeys([*metric_names(), *there])]
        for what, name, metric in strange:
            if not {name, metric} & there:
                near = difflib.get_close_matches(metric, names, n=3, cutoff=0.0)
                expected = f"the name of a metric (nearest: {', '.join(map(one_line, near))})"
                yield Problem(f"{what} {one_line(name)}", expected, "an unknown one", "correct the name")


def _metrics(card: Scorecard) -> Iterator[str]:
    yield from card.overall
    for groups in card.slices.values():
        for figures in groups.values():
            yield from figures


def _left_out(demands: Demands, door: Door) -> Iterator[Problem]:
    """A limit on a figure that is not judged would do nothing, and look as if it did."""
    if demands.only is None:
        return
    thresholds, only = demands.thresholds, demands.only
    step = f"name it in {door.option('only')} too, or drop the limit"
    given = [
        (f"{door.option(way)} {name}", [name])
        for way, names in (("min", thresholds.minimum), ("max", thresholds.maximum))
        for name in names
    ]
    if thresholds.min_accuracy is not None:
        given.append((door.option("min_accuracy"), ["choice_accuracy", "noul_accuracy"]))
    if thresholds.max_ece is not None:
        given.append((door.option("max_ece"), ["ece"]))
    limited = [(what, [overall_key(name) for name in names]) for what, names in given]
    rules = () if demands.policy is None else demands.policy.rules
    limited += [(f"policy rule {rule.index}", [rule.figure]) for rule in rules]
    for what, keys in limited:
        if not any(is_among(only, key) for key in keys):
            yield Problem(what, f"a figure of {door.option('only')}", label(keys[0]), step)


def _not_finite(demands: Demands, baselines: Iterable[Opened], door: Door) -> Iterator[Problem]:
    """Nothing can be held against a figure that is no finite number."""
    step = f"mend it, or leave it out with {door.option('only')}"
    found = [
        Problem(f"baseline {one_line(card.name)} {label(key, card)}", "a finite number", str(value), step)
        for opened in baselines
        for card in (result.card for result in opened.results)
        for key in (FigureKey(*place, metric) for place in card.scope for metric in card.figures(place))
        if not math.isfinite(value := card.value(key) or 0.0) and (demands.only is None or is_among(demands.only, key))
    ]
    yield from found[:_SHOWN]
