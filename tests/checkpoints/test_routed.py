"""Members of a routed checkpoint: only those that a case goes to, and a named one where it is the same."""

from __future__ import annotations

import dataclasses

import pytest
from builders import (
    CHECKPOINT_CONFIG,
    HubDouble,
    NoHub,
    checkpoint_settings,
    make_settings,
    state_cases,
    write_checkpoint,
)

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.checkpoints.route_table import route_table
from laya_sweep.checkpoints.routed import locate_routers, locate_routes
from laya_sweep.domain.settings import RouterSettings, RouteSettings
from laya_sweep.errors import CheckpointError
from laya_sweep.run.plan import make_plan
from laya_sweep.store.facts import FactStore
from laya_sweep.suites.language import Language

ENGLISH, HINDI = "I want to know where my order is, please", "मेरा ऑर्डर कहाँ है"


def settings_of(**sources):
    return RouterSettings("auto", route_table(RouteSettings(name, str(source)) for name, source in sources.items()))


def test_what_nobody_asks_is_not_fetched(tmp_path):
    hub = HubDouble(write_checkpoint(tmp_path / "hub"))
    routed = locate_routes(settings_of(english=tmp_path / "nowhere"), state_cases([HINDI]), (), hub)
    assert [*routed.members] == ["multilingual"]
    assert hub.resolved == [("convaiinnovations/laya-multilingual", None, "model")]
    assert routed.members["multilingual"].name == "auto/multilingual"
    with pytest.raises(
        CheckpointError, match=r"^checkpoints\.auto\.routes\.english\.source: expected a checkpoint folder"
    ):
        locate_routes(settings_of(english=tmp_path / "nowhere"), state_cases([HINDI, ENGLISH]), (), hub)


def test_budgets_hold_for_every_route(tmp_path):
    folder = write_checkpoint(tmp_path / "c")
    settings = RouterSettings(
        "auto", settings_of(english=folder, multilingual=folder).routes, max_len=64, head_max_len=32
    )
    members = locate_routes(settings, state_cases([HINDI, ENGLISH]), (), NoHub()).members
    assert [(one.max_len, one.head_max_len) for one in members.values()] == [(64, 32)] * 2


def test_a_named_checkpoint_that_is_the_same_answers_for_the_route(tmp_path):
    one, twin = write_checkpoint(tmp_path / "one"), write_checkpoint(tmp_path / "twin")
    warm = write_checkpoint(tmp_path / "warm", {**CHECKPOINT_CONFIG, "temperature": [2.0, 2.0, 2.0]})
    named = [locate(checkpoint_settings(one), NoHub())]
    routed = locate_routes(settings_of(english=twin, multilingual=warm), state_cases([ENGLISH, HINDI]), named, NoHub())
    assert {model: entry.name for model, entry in routed.members.items()} == {
        "english": "mine",
        "multilingual": "auto/multilingual",
    }


def test_two_routers_ask_one_checkpoint_once(tmp_path):
    auto = settings_of(
        english=write_checkpoint(tmp_path / "one"), multilingual=write_checkpoint(tmp_path / "m", weights=b"m")
    )
    cautious = dataclasses.replace(auto, name="cautious", default="english")
    one, other = locate_routers([auto, cautious], state_cases([ENGLISH, HINDI, "12"]), (), NoHub())
    assert one.members == other.members
    assert [entry.name for entry in other.members.values()] == ["auto/english", "auto/multilingual"]
    assert [route.model for route in one.routes.values()] == ["english", "multilingual", "multilingual"]
    assert [route.model for route in other.routes.values()] == ["english", "multilingual", "english"]


@pytest.fixture
def planned(tmp_path):
    """A plan of a named checkpoint and a router over it and another, 3 cases to each."""
    one, other = write_checkpoint(tmp_path / "one"), write_checkpoint(tmp_path / "other", weights=b"other")
    settings = make_settings(routers=(settings_of(english=one, multilingual=other),))
    named = [locate(checkpoint_settings(one), NoHub())]
    cases = state_cases([text.format(i) for i in range(3) for text in (ENGLISH + " {}", HINDI + " {}")])
    router = locate_routes(settings.routers[0], cases, named, NoHub())
    language = Language("en", tuple(cases), {"name": "demo"}, None)
    return make_plan(settings, named, [language], FactStore(tmp_path / "store"), [router])


def test_cells_are_split_by_who_answers_and_no_forward_is_planned_twice(planned):
    cells = {(cell.checkpoint, cell.answered_by): cell for cell in planned.cells}
    assert [*cells] == [("auto", "english"), ("auto", "multilingual"), ("mine", "mine")]
    english, multilingual, mine = cells.values()
    assert [case.row_index for case in english.cases] == [0, 2, 4]
    assert [case.row_index for case in multilingual.cases] == [1, 3, 5]
    assert (english.asked_of, multilingual.asked_of, mine.asked_of) == ("mine", "auto/multilingual", "mine")
    assert english.key == mine.key != multilingual.key
    assert mine.shared == frozenset(english.row_ids)
    assert [variant.case_id for variant in mine.pending] == [case.case_id for case in multilingual.cases]
    assert (planned.rows, planned.pending_rows) == (9, 9)
    assert [entry.name for entry in planned.checkpoints] == ["mine", "auto/multilingual"]
    assert planned.waiting == {english.key, multilingual.key}
    assert [*planned.results] == ["auto", "mine"]
