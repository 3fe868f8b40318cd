"""Calls that mix up their rows: found by the sample before work, and by rows that are asked again while it goes on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from behaviour import spread

from laya_sweep.domain.case import Draft, freeze
from laya_sweep.engines.engine import Forward
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.errors import ParityError
from laya_sweep.execution.call_check import EVERY, CallCheck
from laya_sweep.execution.compute import compute
from laya_sweep.execution.contract import Batching
from laya_sweep.execution.parity import TOLERANCE, check_parity
from laya_sweep.execution.rows import RowKeys
from laya_sweep.transforms.registry import variants_of

KEYS = RowKeys("ab" * 32, "en", "baseline")
QUESTIONS = {
    "topic": {"type": "choice", "instructions": "?", "criteria": ["a", "b", "c"]},
    "mood": {"type": "choice", "instructions": "?", "criteria": ["d", "e", "f"]},
    "yes": {"type": "noul", "instructions": "?"},
}


def rotated(found):
    return Forward([*found.logits[1:], *found.logits[:1]], np.roll(found.act_probability, -1))


def swapped(found):
    return Forward([found.logits[1], found.logits[0], *found.logits[2:]], found.act_probability)


def shortened(found):
    return Forward(found.logits[:-1], found.act_probability[:-1])


def cut(found):
    return Forward([logits[:-1] for logits in found.logits], found.act_probability)


class Faulty(ScriptedEngine):
    """Does something to what a call of several rows gave; `whom` says to which calls, by number and rows."""

    def __init__(self, fault, whom=lambda call, rows: True):
        super().__init__(spread)
        self.fault, self.whom, self.calls = fault, whom, 0

    def forward(self, rows):
        found = super().forward(rows)
        if len(rows) < 2:
            return found
        self.calls += 1
        return self.fault(found) if self.whom(self.calls, rows) else found


def presented(count, questions=QUESTIONS, length=20):
    drafts = [Draft(str(i), i, "en", f"{i:0{length}}", questions, {}) for i in range(count)]
    return tuple(variant for case in freeze(drafts) for variant in variants_of("baseline", case))


def one(count, length=20):
    return presented(count, {"topic": QUESTIONS["topic"]}, length)


def work(engine, variants, size=4, check=None):
    return compute(variants, engine, Batching(4096, size), KEYS, check=check or CallCheck(engine, "mine"), node="here")


def parity(engine, variants):
    return check_parity(engine, variants, [0.5], name="mine", batching=Batching(4096))


def refused(engine, variants):
    """Whether the parity check lets no worker begin: by a row that is asked again, or by the runtime's answers."""
    try:
        return not parity(engine, variants).max_difference <= TOLERANCE
    except ParityError:
        return True


@pytest.mark.parametrize("fault", [rotated, swapped, shortened, cut])
@pytest.mark.parametrize("variants", [one(8), presented(8), presented(3)], ids=["one", "several", "few"])
def test_the_sample_goes_the_way_of_the_run(fault, variants):
    assert refused(Faulty(fault), variants)
    found = parity(Faulty(lambda found: found), variants)
    assert found.max_difference <= 5e-5
    assert found.shared_rows == sum(len(variant.questions) for variant in variants)


def test_the_sample_is_compared_whole_with_the_runtime(monkeypatch):
    """A swap that the row asked again does not see."""
    monkeypatch.setattr(CallCheck, "see", lambda *_: None)
    assert parity(Faulty(swapped), one(8)).max_difference > TOLERANCE


def test_the_sample_looks_for_cases_that_share_a_call():
    alone = [variant for length in range(10, 16 * 40, 16) for variant in one(1, length)]
    alone = [replace(variant, case_id=f"{i}") for i, variant in enumerate(alone)]
    mates = [replace(variant, case_id=f"mate {i}") for i, variant in enumerate(alone[:4])]
    found = parity(Faulty(lambda found: found), [*alone[:20], *mates, *alone[20:]])
    assert (found.cases, found.shared_rows) == (8, 8)
    assert parity(ScriptedEngine(spread), alone).shared_rows == 0


@pytest.mark.parametrize("fault", [rotated, shortened, cut])
def test_the_first_call_of_each_shape_is_checked(fault):
    long = Faulty(fault, lambda call, rows: rows[0].shape.length > 64)
    check = CallCheck(long, "mine")
    work(long, one(16), check=check)
    with pytest.raises(ParityError, match="parity of checkpoint mine: expected"):
        work(long, one(8, 80), check=check)


def test_of_later_calls_at_least_one_a_shard_is_checked():
    engine = Faulty(rotated, lambda call, rows: call > 3)
    check = CallCheck(engine, "mine")
    work(engine, one(12), check=check)  # three calls
    assert check.rows == 1  # the first of its shape: that is one of the shard
    with pytest.raises(
        ParityError, match=r"a row of a call of 4 to get what it gets alone, within 0\.0002, got logits"
    ):
        work(engine, one(12), check=check)


def test_how_many_rows_are_asked_again_and_that_the_sample_is_seeded():
    def again(calls):
        engine = Faulty(lambda found: found)
        check = CallCheck(engine, "mine")
        return work(engine, one(4 * calls), check=check).counts.checked_rows

    assert [again(calls) for calls in (1, 2, EVERY, EVERY + 1, 3 * EVERY)] == [1, 1, 1, 2, 3]
    asked = []

    class Watched(Faulty):
        def forward(self, rows):
            asked.extend(row.item["variant"].case_id for row in rows if len(rows) == 1)
            return super().forward(rows)

    for _ in range(2):
        engine = Watched(lambda found: found)
        check = CallCheck(engine, "mine")
        for _ in range(3):
            work(engine, one(40), check=check)
    assert len(asked) == 6
    assert asked[:3] == asked[3:]


@pytest.mark.parametrize(("apart", "passes"), [(1e-4, True), (4e-4, False)])
def test_the_tolerance_is_that_of_the_engine_s_precision(apart, passes):
    def moved(found):
        return Forward([logits / 32 + np.float32(apart) for logits in found.logits], found.act_probability)

    class Small(Faulty):
        def forward(self, rows):
            found = super().forward(rows)
            return found if len(rows) > 1 else Forward([logits / 32 for logits in found.logits], found.act_probability)

    class Coarse(Small):
        def info(self):
            return super().info()._replace(row_tolerance=1e-3)

    work(Coarse(moved), one(4))
    if passes:
        work(Small(moved), one(4))
    else:
        with pytest.raises(ParityError, match="apart"):
            work(Small(moved), one(4))


def test_an_act_probability_of_another_row_is_seen():
    def other(found):
        return found._replace(act_probability=found.act_probability + np.float32(0.1))

    with pytest.raises(ParityError, match=r"0\.1 apart"):
        work(Faulty(other), one(4))


def test_rows_that_go_one_by_one_have_nothing_to_mix_up():
    assert work(Faulty(rotated), one(9), size=1).counts.checked_rows == 0
