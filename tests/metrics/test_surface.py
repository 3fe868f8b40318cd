"""The public surface, and what the metrics room may import."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

from laya_sweep import metrics

FOLDER = Path(metrics.__file__).parent


def test_all_is_the_surface() -> None:
    public = {
        name for name, value in vars(metrics).items() if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public - {"annotations"} == set(metrics.__all__)


def test_every_public_thing_is_documented() -> None:
    for name in metrics.__all__:
        value = getattr(metrics, name)
        assert isinstance(value, int) or value.__doc__, name


def test_only_numpy_and_the_standard_library() -> None:
    allowed = {*sys.stdlib_module_names, "numpy"}
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path.name}: relative import"
                names = [node.module or ""]
            for name in names:
                inside = name.startswith(("laya_sweep.metrics", "laya_sweep.domain"))
                assert inside or name.split(".")[0] in allowed, f"{path.name} imports {name}"
