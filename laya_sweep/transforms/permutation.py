"""Options in another order: `permute` shows a question so, the rest draws orders that differ.

An order is a tuple of canonical indices: `order[s]` is the option shown in slot s. Draws are ours, seeded by the
caller; the rule for one draw is the published one, so that the published sequence can be repeated.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from copy import deepcopy

from laya_sweep.domain.presented import Presented, shown_words
from laya_sweep.domain.question import Question, option_count, option_labels

Order = tuple[int, ...]

#: ShownCase for one more raw draw; it never runs dry.
Draw = Callable[[], Order]


def permute(question: Question, order: Sequence[int]) -> Presented:
    """The question with option `order[s]` in slot s.

    The key/value pairs of a choice move together. A level's number and a noul's side belong to the option, so those
    types keep their criteria and get the runtime's own `option_order`.

    Raises:
        ValueError: `order` does not hold each canonical index once.

    >>> permute({"type": "choice", "criteria": {"a": "x", "b": "y"}}, (1, 0)).question["criteria"]
    {'b': 'y', 'a': 'x'}
    """
    count = option_count(question)
    if sorted(order) != [*range(count)]:
        raise ValueError(f"Expected `order` to hold each of 0 .. {count - 1} once, but got {list(order)}")
    slots, copy = tuple(order), deepcopy(question)
    labels = option_labels(question)
    if question["type"] != "choice":
        copy["option_order"] = list(slots)
        return Presented(copy, tuple(range(count)), slots, labels, shown_words(question))
    copy.pop("option_order", None)  # what it said is part of `order` now
    criteria = copy["criteria"]
    if isinstance(criteria, dict):
        pairs = list(criteria.items())
        copy["criteria"] = dict(pairs[index] for index in slots)
    else:
        copy["criteria"] = [criteria[index] for index in slots]
    return Presented(copy, slots, slots, labels, labels)


def shuffled(count: int, generator: random.Random) -> Order:
    """One shuffle of 0 .. count - 1; the identity becomes a rotation by one slot.

    >>> shuffled(2, random.Random(0)), shuffled(1, random.Random(0))
    ((1, 0), (0,))
    """
    order = list(range(count))
    generator.shuffle(order)
    if order == [*range(count)]:
        order = order[1:] + order[:1]
    return tuple(order)


def distinct_count(count: int) -> int:
    """Orders of `count` options that are not the identity."""
    return math.factorial(count) - 1


def distinct_orders(count: int, draws: Sequence[Draw]) -> list[Order]:
    """One order from each of `draws`, none the identity, none twice; fewer where there are no more of them.

    A draw that repeats an earlier order is drawn again. So order k depends on the draws up to k alone, and asking for
    more orders never changes the ones that were there.
    """
    found: dict[Order, None] = {}
    for draw in draws[: distinct_count(count)]:
        order = draw()
        while order in found:
            order = draw()
        found[order] = None
    return [*found]
