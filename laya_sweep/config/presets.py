"""The presets of each group: the files of conf/, and the transforms there are, which need no file."""

from __future__ import annotations

import dataclasses
from importlib import resources
from pathlib import Path
from typing import Any

from laya_sweep.domain.settings import TransformSettings
from laya_sweep.transforms.registry import TRANSFORMS

#: The folder of the YAML tree.
CONF = Path(str(resources.files("laya_sweep.conf")))


def transform_presets() -> dict[str, dict[str, Any]]:
    """Transform -> its entry of the composed tree: what it draws by stands in it where it draws."""
    return {
        name: dataclasses.asdict(TransformSettings(name)) if transform.draws else {"name": name}
        for name, transform in TRANSFORMS.items()
    }


def preset_names() -> dict[str, list[str]]:
    """Group -> the names that may be chosen, both in order."""
    files = {path.name: [file.stem for file in path.glob("*.yaml")] for path in CONF.iterdir() if path.is_dir()}
    found = {group: sorted(names) for group, names in files.items() if names} | {"transform": sorted(TRANSFORMS)}
    return dict(sorted(found.items()))
