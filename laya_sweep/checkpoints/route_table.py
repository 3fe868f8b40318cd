"""The table of a router: the names that a row or the router uses, and the checkpoint behind each.

The runtime is imported where it is asked: a verb that reads finished runs needs none of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from laya_sweep.domain.settings import RouterSettings, RouteSettings

if TYPE_CHECKING:
    from laya.router import Router


def route_table(own: Iterable[RouteSettings]) -> tuple[RouteSettings, ...]:
    """The runtime's own checkpoints, each in its own repository, with a user's in their place or beside them.

    Names are those that the runtime makes of them (`en` and `English` are `english`), in order.

    Raises:
        ValueError: a name that the runtime's router does not take, that stands for the same one as another, or that
            is a letter away from one of the runtime's own, which would leave that one as it is.
    """
    table = {name: RouteSettings(name, str(source)) for name, source in _models({}).items()}
    taken: dict[str, str] = {}
    for route in own:
        name = _checked_name(route)
        if name in taken:
            raise ValueError(f"{taken[name]!r} and {route.name!r} are both {name!r}")
        taken[name] = route.name
        table[name] = RouteSettings(name, route.source, route.subfolder, route.revision)
    return tuple(table[name] for name in sorted(table))


def router_of(settings: RouterSettings) -> Router:
    """The runtime's router over a table; it loads nothing, since it is only asked where rows go.

    Raises:
        ValueError: its `default` is no name of the table.
    """
    from laya.router import Router

    models = {route.name: (route.source, route.subfolder) for route in settings.routes}
    named = {} if settings.default is None else {"default": settings.default}
    return Router(models=models, auto_task_detection=settings.auto_task_detection, **named)


def _models(own: dict[str, str]) -> dict[str, Any]:
    from laya.router import Router

    return dict(Router(models=own, standalone_repos=True).models)


def _checked_name(route: RouteSettings) -> str:
    from laya.router import canonical_name

    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            _models({route.name: route.source})
        except RuntimeWarning as warning:
            raise ValueError(f"route {route.name!r} is one letter away from a checkpoint of the runtime") from warning
    return str(canonical_name(route.name))
