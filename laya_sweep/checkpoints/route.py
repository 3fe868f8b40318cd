"""Where each case goes, and what was detected in it.

A case is routed once, by its state as it stands: every transform's variants of it go to the same checkpoint, so that
a difference between variants is the model's and never the router's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from laya_sweep.checkpoints.route_table import router_of
from laya_sweep.domain.case import Case
from laya_sweep.domain.settings import RouterSettings
from laya_sweep.errors import Problem, UsageError, name_list, one_line

if TYPE_CHECKING:
    from laya.router import Router


class Route(NamedTuple):
    """Where one case goes.

    `asked` is the name in the row itself, None where the router chose; `model` the table's name of who answers and
    `reason` the router's words. Script and language are what the runtime detects in the state, also where the row
    chose; language is None where it is undecided. `workflow` is one of the runtime's own that the question ids match.
    """

    language: str
    case_id: str
    row_index: int
    asked: str | None
    model: str
    reason: str
    detected_script: str
    detected_language: str | None
    detected_english: bool
    workflow: str | None


#: (language, case id) -> its route.
Routes: TypeAlias = Mapping[tuple[str, str], Route]


def route_cases(settings: RouterSettings, cases: Iterable[Case]) -> dict[tuple[str, str], Route]:
    """The route of every case, as the runtime's own router answers a request for it.

    Raises:
        UsageError: rows that name a checkpoint which is not in the table, each name once.
    """
    router = router_of(settings)
    routes: dict[tuple[str, str], Route] = {}
    unknown: dict[str, list[Case]] = {}
    for case in cases:
        if case.model is not None and not _knows(router, case.model):
            unknown.setdefault(case.model, []).append(case)
        else:
            routes[case.language, case.case_id] = _route(router, case)
    if unknown:
        raise UsageError(*(_unknown(settings, name, own) for name, own in sorted(unknown.items())))
    return routes


def _knows(router: Router, name: str) -> bool:
    try:
        router.resolve(name)
    except ValueError:
        return False
    return True


def _route(router: Router, case: Case) -> Route:
    from laya.lang import analyse

    decision = router.route(case.state, case.questions, model=case.model)
    detected: Mapping[str, Any] = decision["detection"] or analyse(case.state)
    undecided = detected["script"] == "unknown" or detected["language_undecided"]
    return Route(
        language=case.language,
        case_id=case.case_id,
        row_index=case.row_index,
        asked=case.model,
        model=str(decision.model),
        reason=str(decision.reason),
        detected_script=str(detected["script"]),
        detected_language=None if undecided else detected["language"],
        detected_english=bool(detected["is_english"]) and not undecided,
        workflow=decision["workflow"],
    )


def _unknown(settings: RouterSettings, name: str, cases: list[Case]) -> Problem:
    known = name_list([route.name for route in settings.routes], name)
    what = f"model of row {cases[0].row_index}" + (f" and {len(cases) - 1} more" if len(cases) > 1 else "")
    step = f"correct the rows, or add the checkpoint as +checkpoints.{settings.name}.routes.NAME=FOLDER"
    return Problem(what, f"a route of {settings.name} ({known}) or an alias", one_line(repr(name)), step)
