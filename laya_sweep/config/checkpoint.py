"""The entries of `checkpoints`: checkpoints, ONNX graphs, and routers over them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from laya_sweep.checkpoints.engine_spec import ENGINES, TORCH, EngineSpec
from laya_sweep.checkpoints.route_table import route_table, router_of
from laya_sweep.config.fields import Fields
from laya_sweep.domain.settings import CheckpointSettings, RouterSettings, RouteSettings
from laya_sweep.errors import AUTO, name_list


def read_checkpoint(name: str, fields: Fields) -> CheckpointSettings | RouterSettings:
    if fields.get("source") == AUTO:
        return _router(name, fields)
    engine = _engine(fields)
    settings = CheckpointSettings(name=name, engine=engine.name, **fields.options(CheckpointSettings))
    fields.close()
    if engine.file is not None and fields.get("onnx") is None:
        fields.complain("onnx", f"a file with engine={engine.name}", None, f"set +checkpoints.{name}.onnx=FILE")
    elif engine.file is None and settings.onnx is not None:
        step = f"set +checkpoints.{name}.engine=onnx"
        fields.complain("onnx", f"null with engine={engine.name}", str(settings.onnx), step)
    digests = {file: digest.strip().lower() for file, digest in settings.expected_sha256.items()}
    return dataclasses.replace(settings, expected_sha256=digests)


def _engine(fields: Fields) -> EngineSpec:
    """The engine by name; torch where none is written."""
    if fields.get("engine") is None:
        return TORCH
    chosen = fields.value("engine", Literal[(*ENGINES,)])
    return TORCH if chosen is None else ENGINES[chosen]


def _router(name: str, fields: Fields) -> RouterSettings:
    fields.get("source")
    settings = RouterSettings(name=name, routes=_routes(fields), **fields.options(RouterSettings))
    fields.close()
    try:
        router_of(settings)
    except ValueError:
        known = name_list([route.name for route in settings.routes], str(settings.default))
        fields.complain("default", f"one of its routes ({known})", settings.default, "name one of them")
    return settings


def _routes(fields: Fields) -> tuple[RouteSettings, ...]:
    """The whole table of a router: the runtime's own routes, with those that are written."""
    raw = fields.get("routes")
    if raw is not None and not isinstance(raw, Mapping):
        fields.complain("routes", "a map of name to checkpoint", raw, "for example routes.multilingual=FOLDER")
    own = [_route(fields, str(name), value) for name, value in raw.items()] if isinstance(raw, Mapping) else []
    try:
        return route_table(own)
    except ValueError as error:
        fields.complain("routes", "names that a router takes", " ".join(str(error).split()), "correct the name")
    return route_table(())


def _route(fields: Fields, name: str, raw: object) -> RouteSettings:
    """A route written as its source, or as a mapping of a checkpoint's parts."""
    inner = fields.inner(f"routes.{name}", {"source": raw} if isinstance(raw, str) else raw)
    route = RouteSettings(name=name, **inner.options(RouteSettings))
    inner.close()
    if route.source == AUTO:
        inner.complain("source", "a folder or a Hub repository", AUTO, "a route is one checkpoint")
    return route
