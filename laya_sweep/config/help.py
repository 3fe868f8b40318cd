"""The options for people: the lines of `--help` and the page docs/options.md, both from the declarations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING
from pathlib import Path
from typing import NamedTuple

from laya_sweep.config.presets import preset_names
from laya_sweep.domain.option import Declared, every_option
from laya_sweep.domain.settings import Settings

#: How the options of a group are written, where not by its own name, in the order in which they are shown.
_WRITTEN = {
    "": "",
    "checkpoints": "checkpoints.NAME",
    "routers": "checkpoints.NAME, source=auto",
    "routers.routes": "checkpoints.NAME.routes.NAME",
    "dataset": "dataset",
    "dataset.mapping": "dataset=table",
    "regimes": "regime.NAME",
    "transforms": "transform.NAME",
}

_PAGE = """\
# Options of a sweep

Every option, from its declaration in `laya_sweep/domain/settings.py`; `--cfg` prints those of a run. Identity can
change a logit, so that another value computes other cells; runtime never does. A default of - stands in a file of
`conf/`, or the option must be written. `revision=R`, `revision=reviewed` and `revision.NAME=R` set the revision of
checkpoints by name.
"""


class Line(NamedTuple):
    """One option in words."""

    key: str
    takes: str
    default: str
    role: str
    help: str


def option_lines() -> str:
    """The presets and the options as `--help` lists them."""
    shown = ["presets:", *_presets(), ""]
    for title, lines in _groups():
        shown += [f"{title}:" if title else "options of a sweep (Hydra overrides KEY=VALUE), their defaults:"]
        for line in lines:
            default = "" if line.default == "-" else line.default
            shown.append(f"  {line.key:<20} {default:<14} {line.help} ({line.takes})".rstrip())
        shown.append("")
    return "\n".join(shown)


def _presets() -> list[str]:
    """The groups and what each has; several of a listed group go in brackets."""
    signs = {"sweep": "+sweep={}", **dict.fromkeys(("checkpoint", "regime", "transform"), "{group}=[{}, ...]")}
    return [
        "  " + signs.get(group, "{group}={}").format("|".join(own), group=group)
        for group, own in preset_names().items()
    ]


def options_page() -> str:
    """docs/options.md."""
    parts = [_PAGE]
    for title, lines in _groups():
        rows = [f"| `{line.key}` | {line.takes} | {line.default} | {line.role} | {line.help} |" for line in lines]
        head = ["| option | takes | default | role | what it does |", "|---|---|---|---|---|"]
        parts.append("\n".join([f"## `{title}`" if title else "## The run", "", *head, *rows, ""]))
    return "\n".join(parts)


def _groups() -> Iterator[tuple[str, list[Line]]]:
    """Titles, and the options under each."""
    by_group: dict[str, list[Line]] = {name: [] for name in _WRITTEN}
    for option in every_option(Settings):
        group, _, key = option.name.rpartition(".")
        if option.option is not None and not option.option.found:
            line = Line(key, option.words, _default(option), option.option.role, option.option.help)
            by_group.setdefault(group, []).append(line)
    return ((_WRITTEN.get(group, group), lines) for group, lines in by_group.items())


def _default(option: Declared) -> str:
    """As it is written on the command line; - for none, and for what a preset has."""
    value = option.default
    if value is MISSING or option.name.startswith("dataset."):
        return "-"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, tuple):
        return f"[{','.join(map(str, value))}]"
    return value.as_posix() if isinstance(value, Path) else f"{value:g}" if isinstance(value, float) else str(value)
