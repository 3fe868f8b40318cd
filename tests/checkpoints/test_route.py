"""Where a case goes is what the runtime's own router says, case by case, and never a variant's affair."""

from __future__ import annotations

import dataclasses

import pytest
from builders import NOUL, state_cases
from laya import Router
from laya.lang import analyse

from laya_sweep.checkpoints.route import route_cases
from laya_sweep.checkpoints.route_counts import route_counts
from laya_sweep.checkpoints.route_table import route_table, router_of
from laya_sweep.demo.corpus import read_corpus
from laya_sweep.domain.settings import RouterSettings, RouteSettings
from laya_sweep.errors import UsageError, exit_code

AUTO = RouterSettings("auto", route_table(()))
STATES = [
    "12",
    "Quero cancelar",
    ["Please cancel my order today", "Ich möchte mein Geld zurück, bitte"],
    {"subject": "the order is late and we are not happy", "body": "заказ опоздал"},
    {"id": 7},
]


def corpus_cases(per_language):
    rows = {}
    for row in read_corpus():
        rows.setdefault(row.language, []).append({"utterance": row.text})
    return [case for code, states in rows.items() for case in state_cases(states[:per_language], language=code)]


def test_every_case_goes_where_the_runtimes_router_sends_it():
    cases = [*corpus_cases(4), *state_cases(STATES, language="xx")]
    router, routes = Router(), route_cases(AUTO, cases)
    assert len(routes) == len(cases) > 200
    for case in cases:
        route, said = routes[case.language, case.case_id], router.route(case.state, case.questions)
        assert (route.model, route.reason, route.asked) == (said.model, said.reason, None)
        assert route.detected_script == analyse(case.state)["script"]
    assert {route.model for route in routes.values()} == {"english", "multilingual"}
    assert len({route.detected_script for route in routes.values()}) > 15


def test_a_row_that_names_a_checkpoint_goes_there_and_its_script_is_still_told():
    names = ["english", " EN ", "ml", "typed_decisions", "papers"]
    settings = RouterSettings("auto", route_table([RouteSettings("Papers", "folder")]))
    cases = state_cases(["क्या यह सही है"] * 5, model=names)
    routes = [route_cases(settings, cases)["en", case.case_id] for case in cases]
    router = Router(models={"papers": "folder"})
    for route, case in zip(routes, cases, strict=True):
        said = router.route(case.state, case.questions, model=case.model)
        assert (route.model, route.reason, route.asked) == (said.model, said.reason, case.model)
    assert [route.model for route in routes] == ["english", "english", "multilingual", "typed-decisions", "papers"]
    assert {route.detected_script for route in routes} == {"devanagari"}


def test_default_and_task_detection_are_the_routers():
    undecided = state_cases(["12"])
    workflow = dict.fromkeys(("action", "category", "churn_risk", "needs_human", "urgency"), NOUL["q"])
    typed = state_cases(["The customer wants to leave us for another company"], questions=workflow)
    changed = dataclasses.replace(AUTO, default="en", auto_task_detection=True)
    plain = [*route_cases(AUTO, [*undecided, *typed]).values()]
    assert [route.model for route in plain] == ["multilingual", "english"]
    assert [route.workflow for route in plain] == [None, "customer_service"]
    assert [route.model for route in route_cases(changed, [*undecided, *typed]).values()] == [
        "english",
        "typed-decisions",
    ]
    with pytest.raises(ValueError, match="french"):
        router_of(dataclasses.replace(AUTO, default="french"))


def test_rows_that_name_an_unknown_checkpoint_are_all_told_with_what_there_is():
    names = [None, "englsh", "mine", "englsh", "english"]
    with pytest.raises(UsageError) as caught:
        route_cases(AUTO, state_cases(["hello there"] * 5, model=names))
    assert exit_code(caught.value) == 2
    one, other = caught.value.problems
    assert (one.what, one.got) == ("model of row 1 and 1 more", "'englsh'")
    assert (other.what, other.got) == ("model of row 2", "'mine'")
    assert "english, multilingual, typed-decisions" in one.expected
    assert "+checkpoints.auto.routes.NAME=FOLDER" in other.next_step


def test_counts_add_up_in_every_language():
    cases = corpus_cases(3)
    counts = route_counts(route_cases(AUTO, cases).values())
    assert [*counts] == sorted({case.language for case in cases})
    for own in counts.values():
        assert own["n"] == 3
        assert own["asked"] == 0
        for name in ("models", "scripts", "detected_languages"):
            assert sum(own[name].values()) == 3
    assert counts["hi"]["scripts"] == {"devanagari": 3}
    assert counts["hi"]["models"] == {"multilingual": 3}
    assert route_counts([]) == {}
