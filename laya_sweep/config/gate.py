"""The mapping `gate`: what results must reach, as written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from laya_sweep.config.fields import Fields
from laya_sweep.domain.settings import GateSettings


def read_gate(fields: Fields) -> GateSettings:
    mode = fields.get("mode")
    settings = GateSettings(
        mode=None if mode is None else _mode(fields.choice("mode", ["strict", "compatible"])),
        min_accuracy=_optional_number(fields, "min_accuracy"),
        max_ece=_optional_number(fields, "max_ece"),
        min=_limits(fields, "min"),
        max=_limits(fields, "max"),
        tolerance=_limits(fields, "tolerance"),
        tolerances=fields.optional_path("tolerances"),
        policy=fields.optional_path("policy"),
        two_sided=fields.flag("two_sided"),
        max_errored_share=fields.number("max_errored_share", 0.0),
        checks=_check_gates(fields),
        model=fields.optional_text("model"),
        branch=fields.optional_text("branch"),
        languages=_compared_languages(fields),
    )
    fields.close()
    return settings


def _check_gates(fields: Fields) -> dict[str, Any]:
    """Language -> check -> {min, max}, as written: the checks know which of them can mean anything."""
    raw = fields.get("checks")
    if raw is None or isinstance(raw, Mapping):
        return dict(raw or {})
    fields.complain("checks", "a map", raw, "for example 'gate.checks={de: {score_slot0_identical: {min: -0.2}}}'")
    return {}


def _compared_languages(fields: Fields) -> tuple[str, ...] | None:
    """Languages of a baseline, as it names them."""
    raw = fields.get("languages")
    wanted = [raw] if isinstance(raw, str) else raw
    if raw is None:
        return None
    if isinstance(wanted, Sequence) and wanted and all(isinstance(code, str) for code in wanted):
        return tuple(dict.fromkeys(wanted))
    fields.complain("languages", "codes as texts, or null for all of the baseline", raw, "for example [en,de]")
    return ()


def _mode(name: str) -> Literal["strict", "compatible"]:
    return "compatible" if name == "compatible" else "strict"


def _optional_number(fields: Fields, key: str) -> float | None:
    return None if fields.get(key) is None else fields.number(key, 0.0)


def _limits(fields: Fields, key: str) -> dict[str, Any]:
    """A map of metric to limit. A nested map is a metric's name that the command line took apart at its dots."""
    raw = fields.get(key)
    found = dict(raw) if isinstance(raw, Mapping) else {}
    if raw is not None and not isinstance(raw, Mapping):
        fields.complain(key, "a map of metric to number", raw, f"for example gate.{key}.choice_accuracy=0.8")
    for name, value in found.items():
        if isinstance(value, Mapping):
            whole = f"'gate.{key}={{{_joined_name(name, value)}}}'"
            fields.complain(f"{key}.{name}", "a number", value, f"write a name with dots or @ as {whole}")
    return found


def _joined_name(name: object, value: Mapping[Any, Any]) -> str:
    inner, limit = next(iter(value.items()), ("", 0))
    return _joined_name(f"{name}.{inner}", limit) if isinstance(limit, Mapping) else f"{name}.{inner}: {limit}"
