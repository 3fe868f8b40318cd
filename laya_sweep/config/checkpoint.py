"""The entries of `checkpoints`: checkpoints, ONNX graphs, and routers over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from laya_sweep.checkpoints.route_table import route_table, router_of
from laya_sweep.config.fields import Fields
from laya_sweep.domain.settings import CheckpointSettings, RouterSettings, RouteSettings
from laya_sweep.errors import AUTO, name_list


def read_checkpoint(name: str, fields: Fields) -> CheckpointSettings | RouterSettings:
    if fields.get("source") == AUTO:
        return _router(name, fields)
    settings = CheckpointSettings(
        name=name,
        source=fields.text("source"),
        subfolder=fields.optional_text("subfolder"),
        revision=fields.optional_text("revision"),
        max_len=fields.optional_integer("max_len", 8),
        head_max_len=fields.optional_integer("head_max_len", 8),
        engine=_engine(fields),
        onnx=fields.optional_path("onnx", "a file"),
        expected_sha256=_expected_digests(fields),
    )
    fields.close()
    if settings.engine == "onnx" and fields.get("onnx") is None:
        fields.complain("onnx", "a file with engine=onnx", None, f"set +checkpoints.{name}.onnx=FILE")
    if settings.engine == "torch" and settings.onnx is not None:
        fields.complain("onnx", "null with engine=torch", str(settings.onnx), f"set +checkpoints.{name}.engine=onnx")
    return settings


def _engine(fields: Fields) -> Literal["torch", "onnx"]:
    """Torch unless the checkpoint says otherwise."""
    if fields.get("engine") is None:
        return "torch"
    return "onnx" if fields.choice("engine", ["torch", "onnx"]) == "onnx" else "torch"


def _expected_digests(fields: Fields) -> dict[str, str]:
    """Files of the checkpoint, or `onnx`, and the SHA-256 that each must have."""
    raw = fields.get("expected_sha256")
    found = dict(raw) if isinstance(raw, Mapping) else {}
    if raw is not None and not isinstance(raw, Mapping):
        fields.complain("expected_sha256", "a map of file to SHA-256", raw, "write it as {model.safetensors: DIGEST}")
    for name, value in found.items():
        if not isinstance(value, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", value.strip()):
            step = "write it as '+checkpoints.NAME.expected_sha256={model.safetensors: DIGEST}'"
            fields.complain(f"expected_sha256.{name}", "64 hex digits", value, step)
    return {str(name): str(value).strip().lower() for name, value in found.items()}


def _router(name: str, fields: Fields) -> RouterSettings:
    settings = RouterSettings(
        name=name,
        routes=_routes(fields),
        default=fields.optional_text("default"),
        auto_task_detection=fields.get("auto_task_detection") is not None and fields.flag("auto_task_detection"),
        max_len=fields.optional_integer("max_len", 8),
        head_max_len=fields.optional_integer("head_max_len", 8),
    )
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
    route = RouteSettings(
        name=name,
        source=inner.text("source"),
        subfolder=inner.optional_text("subfolder"),
        revision=inner.optional_text("revision"),
    )
    inner.close()
    if route.source == AUTO:
        inner.complain("source", "a folder or a Hub repository", AUTO, "a route is one checkpoint")
    return route
