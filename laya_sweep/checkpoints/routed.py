"""A checkpoint of a sweep that is several: each case is answered by the one it is routed to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from laya_sweep.checkpoints.checkpoint import Checkpoint, locate, require_one_commit
from laya_sweep.checkpoints.route import Routes, route_cases
from laya_sweep.domain.case import Case
from laya_sweep.domain.settings import CheckpointSettings, RouterSettings
from laya_sweep.files.hub import Hub


@dataclass(frozen=True, slots=True)
class RoutedCheckpoint:
    """Who answers what: `members` are the checkpoints that at least one case goes to, by their route's name."""

    settings: RouterSettings
    members: Mapping[str, Checkpoint]
    routes: Routes

    @property
    def name(self) -> str:
        """The name of its results."""
        return self.settings.name

    def cases_of(self, model: str, cases: Iterable[Case]) -> tuple[Case, ...]:
        """Those of some cases that a member answers, in their order."""
        return tuple(case for case in cases if self.routes[case.language, case.case_id].model == model)


def locate_routers(
    routers: Iterable[RouterSettings], cases: Sequence[Case], named: Sequence[Checkpoint], hub: Hub
) -> list[RoutedCheckpoint]:
    """Each of several routers as `locate_routes` has it; a member that an earlier one has is that one.

    Raises:
        CheckpointError: as `locate_routes`; or one checkpoint is asked at two commits.
        UsageError: as `locate_routes`.
    """
    known, made = [*named], list[RoutedCheckpoint]()
    for settings in routers:
        made.append(locate_routes(settings, cases, known, hub))
        known += made[-1].members.values()
    require_one_commit(known)
    return made


def locate_routes(
    settings: RouterSettings, cases: Iterable[Case], named: Sequence[Checkpoint], hub: Hub
) -> RoutedCheckpoint:
    """Route the cases, then find the checkpoints that they go to, and no other: what nobody asks is not fetched.

    Args:
        settings: the table.
        cases: of all languages.
        named: checkpoints that the run has anyway; a member that is the same to the last byte is that one, so that
            no second worker loads it.
        hub: where repositories are.

    Raises:
        CheckpointError: a member is no checkpoint.
        UsageError: a row names an unknown one, or a repository cannot be reached.
    """
    routes = route_cases(settings, cases)
    used = {route.model for route in routes.values()}
    members = {
        route.name: locate(_member(settings, route.name), hub) for route in settings.routes if route.name in used
    }
    return RoutedCheckpoint(settings, {name: _shared(settings, name, members[name], named) for name in members}, routes)


def _member(settings: RouterSettings, model: str) -> CheckpointSettings:
    route = next(route for route in settings.routes if route.name == model)
    key = f"{settings.name}.routes.{model}"
    return CheckpointSettings(
        key, route.source, route.subfolder, route.revision, settings.max_len, settings.head_max_len
    )


def _shared(settings: RouterSettings, model: str, member: Checkpoint, named: Sequence[Checkpoint]) -> Checkpoint:
    """The named checkpoint with the same bytes, temperatures and budgets, else the member under a name of its own."""
    same = (checkpoint for checkpoint in named if _content(checkpoint) == _content(member))
    return next(same, dataclasses.replace(member, name=f"{settings.name}/{model}"))


def _content(checkpoint: Checkpoint) -> tuple[object, ...]:
    return checkpoint.digest, checkpoint.temperatures, checkpoint.max_len, checkpoint.head_max_len
