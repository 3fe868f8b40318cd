"""`option_order`: the options of a choice in drawn orders, as many as asked for.

An order is drawn for each case anew, so that over many cases no slot keeps its option. Two samplers: `by_case` seeds
each draw by (seed, case id, question, k), so that filtering, re-ordering or adding rows changes nothing; `published`
repeats the published sequence, where one generator walks the rows of a language and hands each case a seed of 64 bits.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from laya_sweep.domain.identity import canonical_json, digest_text
from laya_sweep.domain.presented import Presented, shown_order
from laya_sweep.domain.question import Question
from laya_sweep.domain.settings import TransformSettings
from laya_sweep.transforms.permutation import Draw, Order, distinct_orders, permute, shuffled
from laya_sweep.transforms.transform import Shown, ShownCase, Transform, described_choices_only

#: The generators behind order 0, 1, ... of one question; the same object may come again and goes on then.
Generators = list[random.Random]

#: All cases of a language, seed, number of orders -> for each case the generators of each question.
Sampler = Callable[[Sequence[ShownCase], int, int], Iterator[dict[str, Generators]]]


def by_case(cases: Sequence[ShownCase], seed: int, orders: int) -> Iterator[dict[str, Generators]]:
    """A generator for each order of each question, from the case alone."""
    for case in cases:
        yield {qid: [_generator(seed, case.case_id, qid, order) for order in range(orders)] for qid in case.questions}


def published(cases: Sequence[ShownCase], seed: int, orders: int) -> Iterator[dict[str, Generators]]:
    """The published sequence: 64 bits a case from one generator; the case's own generator draws all its orders.

    A published case has one question and one order. Questions beyond the first take the seeds that follow.
    """
    walk = random.Random(seed)
    for case in cases:
        own = walk.getrandbits(64)
        yield {qid: [random.Random(own + place)] * orders for place, qid in enumerate(case.questions)}


SAMPLERS: dict[str, Sampler] = {"by_case": by_case, "published": published}


def _show(cases: Sequence[ShownCase], settings: TransformSettings) -> list[Shown]:
    drawn = SAMPLERS[settings.sampler](cases, settings.seed, settings.variants)
    return [_variants(case, generators) for case, generators in zip(cases, drawn, strict=True)]


def _variants(case: ShownCase, generators: dict[str, Generators]) -> Shown:
    """Variant k shows each question that has an order k; a question of two options has one order alone."""
    shown = {qid: _presented(question, generators[qid]) for qid, question in case.questions.items()}
    most = max(map(len, shown.values()), default=0)
    return [{qid: orders[k] for qid, orders in shown.items() if k < len(orders)} for k in range(most)]


def _presented(question: Question, generators: Generators) -> list[Presented]:
    before = shown_order(question)
    orders = distinct_orders(len(before), [_draw(len(before), generator) for generator in generators])
    return [permute(question, [before[slot] for slot in order]) for order in orders]


def _draw(count: int, generator: random.Random) -> Draw:
    def draw() -> Order:
        return shuffled(count, generator)

    return draw


def _generator(*parts: int | str) -> random.Random:
    return random.Random(digest_text(canonical_json([*parts])))


TRANSFORM = Transform(version=1, declines=described_choices_only, show=_show, draws=True)
