"""The one room where Hydra lives: overrides from the command line -> plain dictionaries.

`hydra.main` prints several lines, exits 1 and makes folders before anything is checked; `compose` inside
a guard gives one line and exit 2. It refuses sweep overrides, so a multirun is expanded here, and every
combination is composed before the first one starts.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from laya_sweep.config.presets import CONF, preset_names, transform_presets
from laya_sweep.config.settings import REFUSED, written_defaults
from laya_sweep.errors import ConfigError, Problem, name_list

# The options with their declared defaults; `defaults` in conf/config.yaml names this node, and presets lie over it.
ConfigStore.instance().store(name="options", node=written_defaults())
for _name, _node in transform_presets().items():
    ConfigStore.instance().store(group="transform", name=_name, node=_node, package=f"transform.{_name}")


class Job(NamedTuple):
    """One composed run: its overrides as written, and the configuration as plain Python values."""

    overrides: tuple[str, ...]
    config: dict[str, Any]


def compose_jobs(overrides: Sequence[str], *, multirun: bool) -> list[Job]:
    """Every run that the overrides ask for: one, or the product of the swept values in multirun.

    Raises:
        ConfigError: an override that Hydra cannot parse or apply, or a sweep without `-m`.
    """
    combinations = _expand(overrides, multirun=multirun)
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return [Job(tuple(combination), _compose(combination)) for combination in combinations]


def to_yaml(config: dict[str, Any]) -> str:
    """The composed configuration as YAML, for `--cfg`."""
    return OmegaConf.to_yaml(OmegaConf.create(config))


def _compose(overrides: Sequence[str]) -> dict[str, Any]:
    try:
        config = compose("config", overrides=[_listed_map(_open_map(override)) for override in overrides])
        plain = OmegaConf.to_container(config, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        raise ConfigError(_explain(error, overrides)) from error
    if not isinstance(plain, dict):
        raise TypeError(f"Hydra composed a {type(plain).__name__}, not a mapping")
    return {str(key): value for key, value in plain.items()}


def _open_map(override: str) -> str:
    """Limits, revisions and routes are open maps: any name may stand in them, which Hydra calls forcing a key."""
    if re.match(r"\+?checkpoints\.[^.=]+\.routes\.", override):
        return f"++{override.removeprefix('+')}"
    return (
        f"++{override}"
        if re.match(r"(gate\.(min|max|tolerance|checks)[.=]|(revision|baseline)\.)", override)
        else override
    )


def _listed_map(override: str) -> str:
    """A map of thresholds as a list of one, which is the same: Hydra puts no map where a list stands."""
    key, _, value = override.partition("=")
    return f"{key}=[{value}]" if key.lstrip("+") == "min_confidence" and value.lstrip().startswith("{") else override


def _escaped_buckets(override: str) -> str:
    """The runtime's bucket names as keys of a map: Hydra wants the colon inside one escaped, and no quotes around."""
    if not override.lstrip("+").startswith("min_confidence="):
        return override
    return re.sub(r"(['\"]?)(choice|score|noul):([\w+-]+)\1(?=\s*:)", r"\2\\:\3", override)


def _refuse_repeated_buckets(overrides: Sequence[str]) -> None:
    """Hydra would take the last of two thresholds for one bucket, and say nothing."""
    for override in overrides:
        for entries in (
            re.findall(r"{([^{}]*)}", override) if override.lstrip("+").startswith("min_confidence=") else ()
        ):
            keys = [entry.rpartition(":")[0].strip() for entry in entries.split(",")]
            if len(set(keys)) < len(keys):
                raise ConfigError(Problem(override, "each bucket once", f"{{{entries}}}", "keep one of them"))


def _expand(overrides: Sequence[str], *, multirun: bool) -> list[list[str]]:
    overrides = [_escaped_buckets(override) for override in overrides]
    _refuse_repeated_buckets(overrides)
    try:
        parsed = OverridesParser.create().parse_overrides(overrides=overrides)
    except HydraException as error:
        raise ConfigError(_explain(error, overrides)) from error
    if multirun:
        try:
            return [list(choice) for choice in itertools.product(*map(_values, parsed))]
        except HydraException as error:
            raise ConfigError(_explain(error, overrides)) from error
    swept = [override.input_line for override in parsed if override.is_sweep_override()]
    if swept:
        raise ConfigError(
            Problem(f"override {swept[0]!r}", "one value", "several", "add -m to run them one after the other")
        )
    return [list(overrides)]


def _values(override: Override) -> list[str]:
    if not override.is_sweep_override():
        return [str(override.input_line)]
    key = override.get_key_element()
    return [f"{key}={value}" for value in override.sweep_string_iterator()]


def _explain(error: Exception, overrides: Sequence[str]) -> Problem:
    """Hydra's several lines in one: which override, what was expected, what to do."""
    text = " ".join(str(error).split())
    if match := re.search(r"Could not override '([^']+)'", text):
        return _unknown_key(match.group(1))
    if match := re.search(r"In '[^']*': Could not (?:find|load) '([^']+)'", text):
        return _unknown_choice(match.group(1))
    what = " ".join(overrides) or "the configuration"
    return Problem(what, "overrides that Hydra can apply", text, "see python -m laya_sweep --help")


def _unknown_key(key: str) -> Problem:
    if key in REFUSED:
        expected, step = REFUSED[key]
        return Problem(key, expected, "a value", step)
    known = sorted(_flat_keys(_compose([])))
    expected = "a known key (nearest: " + ", ".join(name_list(known, key).split(", ")[:5]) + ")"
    return Problem(
        key,
        expected,
        "an unknown one",
        "correct it, or see --cfg for all keys; a new entry needs a leading +",
    )


def _unknown_choice(choice: str) -> Problem:
    group, _, name = choice.rpartition("/")
    available = preset_names().get(group, [])
    return Problem(group, "one of " + name_list(available, name), repr(name), "choose one of them")


def _flat_keys(value: Any, prefix: str = "") -> list[str]:  # noqa: ANN401 - any YAML value
    if not isinstance(value, dict) or not value:
        return [prefix]
    return [key for name, child in value.items() for key in _flat_keys(child, f"{prefix}.{name}".lstrip("."))]
