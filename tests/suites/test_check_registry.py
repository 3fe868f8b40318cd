"""Each check on logits whose figure is known by hand."""

import itertools

import numpy as np
import pytest
from builders import design_of, facts_table, presented_facts
from laya.common import render_options

from laya_sweep.engines.question import internal_question
from laya_sweep.errors import DatasetError
from laya_sweep.results.check_figure import figure_of
from laya_sweep.results.check_readings import read_checks
from laya_sweep.suites.check_design import bundled_design
from laya_sweep.suites.check_probe import Probe
from laya_sweep.suites.check_registry import CHECKS, ScoreFirstSlotPermuted

LEVELS = ["Not urgent", "Soon", "Work is blocked"]


def probes_of(check, **texts):
    return design_of({check: texts}).languages["en"].probes[check]


def slot0(**changes):
    texts = {"instructions": "How urgent?", "texts": ["moderate", "a request"], "levels": [3, 4, 5]}
    return probes_of("score_slot0_identical", **texts | changes)


def first_slot(levels=LEVELS):
    return probes_of("score_first_slot_permuted", instructions="How urgent?", levels=[*levels])


def swap(words=(("A", "B"), ("no", "yes"))):
    criteria = {"false": "can go on", "true": "cannot go on"}
    return probes_of("noul_label_swap", instructions="Which?", criteria=criteria, words=[[*pair] for pair in words])


def read(probe, logits_of):
    return probe.read([np.asarray(logits_of(question), dtype=np.float64) for question in probe.questions])


def test_identical_options_differ_by_their_level_alone():
    """What the runtime shows of them, so that a slot is all there is to prefer."""
    shown = {probe.name: render_options(internal_question(probe.questions[0])) for probe in slot0()}
    assert [*shown] == [f"{text}/{count}" for text in ("moderate", "a request") for count in (3, 4, 5)]
    assert shown["a request/4"] == [f"level {i}: a request" for i in range(4)]


def test_the_slot_excess_is_the_first_logit_above_the_mean():
    [probe] = slot0(texts=["moderate"], levels=[3])
    reading = read(probe, lambda _: [-2.0, 1.0, 4.0])
    assert (reading.value, reading.slots.tolist()) == (-3.0, [-3.0, 0.0, 3.0])


def test_every_level_stands_in_every_slot_twice():
    orders = [probe.questions[0]["criteria"] for probe in first_slot()]
    assert sorted(orders) == sorted([*order] for order in itertools.permutations(LEVELS))
    assert all([order[slot] for order in orders].count(level) == 2 for slot in range(3) for level in LEVELS)


@pytest.mark.parametrize("levels", [LEVELS[:2], LEVELS, [*LEVELS, "Fire"]])
@pytest.mark.parametrize("seed", range(20))
def test_whoever_does_not_mind_the_order_gets_exactly_one_over_the_levels(levels, seed):
    """Also where levels tie, down to all of them: a tie goes to one level, wherever it stands."""
    strength = dict(zip(levels, np.random.default_rng(seed).integers(0, 3, len(levels)), strict=True))
    readings = [read(probe, lambda q: [strength[level] for level in q["criteria"]]) for probe in first_slot(levels)]
    assert np.mean([reading.value for reading in readings]) == 1 / len(levels)
    assert np.mean([reading.slots for reading in readings], axis=0).tolist() == [1 / len(levels)] * len(levels)


@pytest.mark.parametrize(("slot", "share"), [(0, 1.0), (1, 0.0), (2, 0.0)])
def test_a_slot_that_always_wins_is_the_whole_share(slot, share):
    assert {read(probe, lambda q: np.arange(3) == slot).value for probe in first_slot()} == {share}


def follows_criterion(question):
    return [0.0, 1.0]


def follows_word(question):
    return [1.0, 0.0] if question["labels"]["false"] in ("A", "no") else [0.0, 1.0]


@pytest.mark.parametrize(("answer", "kept"), [(follows_criterion, 1.0), (follows_word, 0.0), (lambda q: [0, 0], 1.0)])
def test_words_that_change_places_move_only_who_reads_them(answer, kept):
    assert [read(probe, answer).value for probe in swap()] == [kept, kept]


def test_a_swap_changes_the_words_and_nothing_else():
    for probe, words in zip(swap(), (("A", "B"), ("no", "yes")), strict=True):
        before, after = probe.questions
        assert [before["labels"], after["labels"]] == [
            {"false": words[0], "true": words[1]},
            {"false": words[1], "true": words[0]},
        ]
        assert {**before, "labels": None} == {**after, "labels": None}
        assert render_options(internal_question(after))[0] == f"{words[1]}: can go on"


def test_the_bundled_document_asks_every_check_in_every_language():
    design = bundled_design()
    assert {"en", "de", "fr", "es", "zh-CN", "ar"} == set(design.languages)
    for language in design.languages.values():
        assert len(language.states) == 10
        assert {name: len(probes) for name, probes in language.probes.items()} == dict(
            zip(CHECKS, (6, 6, 3), strict=True)
        )
    limits = {check: limits.document() for check, limits in design.gates["en"].items()}
    assert [*design.gates] == ["en"]
    assert limits["score_slot0_identical"] == {"min": -0.20}
    assert limits["score_first_slot_permuted"] == {"min": 0.15}


def test_a_new_check_is_one_class(monkeypatch):
    """Registered, its texts are checked, and it is asked, read and averaged like the others."""

    class LowestFirst(ScoreFirstSlotPermuted):
        def probes(self):
            for original in super().probes():
                yield Probe(original.name, original.questions, lambda logits, read=original.read: read([-logits[0]]))

    monkeypatch.setitem(CHECKS, "lowest_first", LowestFirst)
    design = design_of({"lowest_first": {"instructions": "?", "levels": LEVELS}}).languages["en"]
    rows, places = presented_facts(design, lambda question: [0.0, 1.0, 2.0])
    [readings] = read_checks("en", design, facts_table(rows), places)
    assert (readings.check, figure_of([readings]).measure.value) == ("lowest_first", 1.0)
    with pytest.raises(DatasetError, match=r"lowest_first\.levels: expected 2 to 4 distinct texts"):
        design_of({"lowest_first": {"instructions": "?", "levels": []}})
