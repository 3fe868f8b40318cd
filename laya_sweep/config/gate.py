"""The mapping `gate`: what results must reach, as written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laya_sweep.config.fields import Fields
from laya_sweep.domain.settings import GateSettings


def read_gate(fields: Fields) -> GateSettings:
    options = fields.options(GateSettings)
    fields.close()
    for key in ("min", "max", "tolerance"):
        for name, value in options[key].items():
            if isinstance(value, Mapping):
                # A metric's name that the command line took apart at its dots.
                whole = f"'gate.{key}={{{_joined_name(name, value)}}}'"
                fields.complain(f"{key}.{name}", "a number", value, f"write a name with dots or @ as {whole}")
    languages = options["languages"]
    return GateSettings(**options | {"languages": languages and tuple(dict.fromkeys(languages))})


def _joined_name(name: object, value: Mapping[Any, Any]) -> str:
    inner, limit = next(iter(value.items()), ("", 0))
    return _joined_name(f"{name}.{inner}", limit) if isinstance(limit, Mapping) else f"{name}.{inner}: {limit}"
