"""Which results are one measurement, where they differ in how they were rounded or in whose report says it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gate_cards import IDENTITY, ours

from laya_sweep import compare
from laya_sweep.documents.scorecards import scorecard_of
from laya_sweep.gates.comparability import conflicts
from laya_sweep.gates.scorecard import Scorecard

SWEEP = {**IDENTITY, "schema": "laya-sweep-report/1"}


def said(candidate, baseline, mode):
    [check] = [check for check in compare(candidate, baseline, mode=mode).checks if check.kind == "comparability"]
    return check.passed, check.message


@pytest.mark.parametrize(
    ("here", "there", "mode", "passed"),
    [
        ("runtime", "runtime", "strict", True),
        ("runtime", "exact", "strict", False),
        ("exact", "runtime", "strict", False),
        ("runtime", "exact", "compatible", True),
        (None, "exact", "strict", True),
        ("runtime", None, "strict", True),
    ],
)
def test_strict_mode_names_another_rounding_where_both_are_known(here, there, mode, passed):
    found, message = said(ours(rounding=here), ours(rounding=there), mode)
    assert found is passed
    assert (f"rounding (metrics.rounding): baseline is {there}, this run is {here}" in message) is not passed


@pytest.mark.parametrize(
    ("config", "rounding"),
    [
        ({}, "runtime"),
        ({"rounding": "exact"}, "exact"),
        ({"rounding": 7}, "runtime"),
        ({"schema": "other/1"}, None),
        ({"schema": None}, None),
    ],
)
def test_an_upstream_report_is_of_the_runtime_s_figures(config, rounding):
    assert scorecard_of({"config": {**IDENTITY, **config}, "overall": {"ece": 0.1}}).rounding == rounding


def test_a_bare_map_says_nothing_of_rounding():
    assert scorecard_of({"ece": 0.1}).rounding is None


@pytest.mark.parametrize("mode", ["strict", "compatible"])
def test_a_result_of_ours_and_an_upstream_report_are_one_measurement(mode):
    mine = ours(identity=SWEEP, rounding="runtime")
    theirs = replace(ours(identity=IDENTITY, rounding="runtime"), ours=False)
    for candidate, baseline in ((mine, theirs), (theirs, mine)):
        assert said(candidate, baseline, mode)[0]
    other = replace(theirs, identity={**IDENTITY, "schema": "laya-shortlist-evals-report/1"})
    passed, message = said(mine, other, mode)
    assert (passed, "schema (report schema)" in message) == (False, True)


def narrowed_card(schema, k, embedder):
    """Of a shortlist, without any other identity."""
    return Scorecard("run", identity={"schema": schema, "shortlist": {"k": k, "embedder_id": embedder}})


def said_of_options(candidate, baseline):
    return [one for one in conflicts(candidate, baseline, "compatible") if "options" in one]


def test_a_document_of_all_options_is_no_baseline_of_a_shortlist() -> None:
    theirs = Scorecard("published", identity={"all_options": True})
    whole = Scorecard("run", identity={"schema": "laya-sweep-report/1"})
    assert not said_of_options(whole, theirs)
    assert said_of_options(narrowed_card("laya-sweep-shortlist-report/1", 20, "v1"), theirs)


def test_shortlists_of_two_sides_must_agree_in_k_and_embedder() -> None:
    ours_of, upstream = "laya-sweep-shortlist-report/1", "laya-shortlist-evals-report/1"
    card = narrowed_card(ours_of, 20, "v1")
    assert not said_of_options(card, narrowed_card(upstream, 20, "v1"))
    assert said_of_options(card, narrowed_card(upstream, 10, "v1"))
    assert said_of_options(card, narrowed_card(ours_of, 20, "v2"))
    assert said_of_options(card, Scorecard("other", identity={"schema": upstream}))
