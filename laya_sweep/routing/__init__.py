"""Which checkpoint answers a row: its own choice, else the runtime's router, asked on the driver without weights."""

from laya_sweep.routing.counts import route_counts
from laya_sweep.routing.route import Route, route_cases
from laya_sweep.routing.routed import RoutedCheckpoint, locate_routers, locate_routes
from laya_sweep.routing.table import route_table, router_of

__all__ = [
    "Route",
    "RoutedCheckpoint",
    "locate_routers",
    "locate_routes",
    "route_cases",
    "route_counts",
    "route_table",
    "router_of",
]
