"""How limits name a figure: `ece` alone, or `overall.ece` (over all rows) and `macro.ece` (the mean over languages)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from laya_sweep.domain.slices import MACRO, OVERALL, SlicePlace
from laya_sweep.errors import one_line
from laya_sweep.gates.scorecard import FigureKey, Scorecard

#: Prefixes of a metric's name, and whose figure each means.
PLACES: Final[Mapping[str, SlicePlace]] = {"overall": OVERALL, "macro": MACRO}


class FigureName(NamedTuple):
    """A metric, and the place that its name says; None where it says none."""

    place: SlicePlace | None
    metric: str


def named(name: str) -> FigureName:
    """A name taken apart.

    >>> named("macro.ece").metric, named("score_within_0.25").metric, named("ece").place
    ('ece', 'score_within_0.25', None)
    """
    prefix, dot, metric = name.partition(".")
    return FigureName(PLACES[prefix], metric) if dot and prefix in PLACES else FigureName(None, name)


def overall_key(name: str) -> FigureKey:
    """The figure that a limit on a whole result means: without a prefix that over all rows."""
    place, metric = named(name)
    return FigureKey(*(place or OVERALL), metric)


def tolerance_of(tolerances: Mapping[str, float], key: FigureKey) -> float | None:
    """The tolerance of a figure: by its place and metric, else by its metric; None where none names it."""
    place = SlicePlace(key.dimension, key.value)
    own = [f"{prefix}.{key.metric}" for prefix, whose in PLACES.items() if whose == place]
    return next((tolerances[name] for name in (*own, key.metric) if name in tolerances), None)


def is_among(names: Collection[str], key: FigureKey) -> bool:
    """Whether names have a figure among them."""
    return tolerance_of(dict.fromkeys(names, 0.0), key) is not None


def label(key: FigureKey, card: Scorecard | None = None) -> str:
    """A figure's name in a sentence, as a limit names it: `language=zh choice_accuracy`, `macro.ece`, `ece`.

    Where a result has both, the figure over all rows is `overall.ece`.
    """
    metric, place = one_line(key.metric), SlicePlace(key.dimension, key.value)
    if place == MACRO:
        return f"macro.{metric}"
    if place == OVERALL:
        both = card is not None and card.value(FigureKey(*MACRO, key.metric)) is not None
        return f"overall.{metric}" if both else metric
    return f"{one_line(key.dimension)}{f'={one_line(key.value)}' if key.value else ''} {metric}"
