"""The mapping `gate`: what results must reach, as written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from laya_sweep.config.fields import Fields
from laya_sweep.domain.checked import FileOrFolder
from laya_sweep.domain.settings import BaselinePaths, GateSettings
from laya_sweep.gates.figure_name import PLACES


def read_gate(fields: Fields) -> GateSettings:
    options = fields.options(GateSettings)
    fields.close()
    for key in ("min", "max", "tolerance"):
        options[key] = {name: limit for given in options[key].items() for name, limit in _named(*given)}
        for name, value in options[key].items():
            if isinstance(value, Mapping):
                # A metric's name that the command line took apart at its dots.
                whole = f"'gate.{key}={{{_joined_name(name, value)}}}'"
                fields.complain(f"{key}.{name}", "a number", value, f"write a name with dots or @ as {whole}")
    listed = {key: options[key] and tuple(dict.fromkeys(options[key])) for key in ("languages", "only")}
    return GateSettings(**options | listed)


def read_baseline(fields: Fields) -> BaselinePaths:
    """A path, or one for each checkpoint, where null says that it has none."""
    given = fields.get("baseline")
    if not isinstance(given, Mapping):
        return cast(Path | None, fields.value("baseline", FileOrFolder | None))
    inner = fields.group("baseline")
    return {str(name): inner.value(str(name), FileOrFolder | None) for name in sorted(given, key=str)}


def _named(name: str, value: object) -> list[tuple[str, object]]:
    """`macro: {ece: 0.1}`, which is what the command line makes of macro.ece=0.1, as it was written."""
    if name in PLACES and isinstance(value, Mapping):
        return [(f"{name}.{metric}", limit) for metric, limit in value.items()]
    return [(name, value)]


def _joined_name(name: object, value: Mapping[Any, Any]) -> str:
    inner, limit = next(iter(value.items()), ("", 0))
    return _joined_name(f"{name}.{inner}", limit) if isinstance(limit, Mapping) else f"{name}.{inner}: {limit}"
