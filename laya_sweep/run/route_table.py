"""Routes as the routes table."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from laya_sweep.checkpoints.route import Route
from laya_sweep.checkpoints.routed import RoutedCheckpoint
from laya_sweep.store.schemas import ROUTES


def routes_table(routers: Iterable[RoutedCheckpoint]) -> pa.Table:
    """Where each case of a routed checkpoint went, and what was detected in it; empty where none is routed."""
    rows = [{"checkpoint": router.name, **route._asdict()} for router in routers for route in ordered_routes(router)]
    return pa.Table.from_pylist(rows, schema=ROUTES)


def ordered_routes(router: RoutedCheckpoint) -> list[Route]:
    """Its routes by language, then in the order of the cases."""
    return sorted(router.routes.values(), key=lambda route: (route.language, route.row_index))
