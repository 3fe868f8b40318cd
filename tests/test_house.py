"""The rules of the house that no linter holds: what is public, what stays light, who speaks to a heavy library."""

import ast
import importlib
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import laya_sweep
from laya_sweep.cli.verbs import VERBS

PACKAGE = Path(laya_sweep.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "conf")

#: Library -> the rooms that may import it, anywhere in their modules.
LIBRARIES = {
    "torch": {"engines"},
    "ray": {"execution"},
    "hydra": {"config"},
    "omegaconf": {"config"},
    "datasets": {"files"},
    "huggingface_hub": {"files"},
    "transformers": set(),
    "onnx": {"engines"},
    "onnxruntime": {"engines"},
    # config, evaluation: the runtime's threshold rule; evaluation, narrowing: its shortlist and tournament;
    # run: what it takes the script of a state for
    "laya": {"checkpoints", "config", "engines", "evaluation", "narrowing", "run"},
    "rich": {"run"},
}

HEAVY = ("torch", "ray", "transformers", "datasets", "onnx", "onnxruntime")


def shown(path):
    return str(path.relative_to(PACKAGE))


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imported(path):
    """Absolute names of everything a module imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def loaded_by(code):
    """Names of the modules that a fresh interpreter has after some code."""
    script = f"import sys\n{code}\nsys.stdout.write('\\n' + ' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def test_the_layers_hold():
    """The contracts of pyproject.toml: which room may import which, and what derived rooms never load."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Contracts: 2 kept, 0 broken." in done.stdout


def test_three_modules_lie_loose():
    assert sorted(path.name for path in PACKAGE.glob("*.py")) == ["__init__.py", "__main__.py", "errors.py"]


def test_names_of_the_package_are_found_where_its_stub_says():
    tree = ast.parse(Path(laya_sweep.__file__).with_suffix(".pyi").read_text("utf-8"))
    stub = {alias.name: node.module for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(stub) == set(laya_sweep.__all__) == set(dir(laya_sweep))
    for name, module in stub.items():
        assert getattr(laya_sweep, name) is getattr(importlib.import_module(f"laya_sweep.{module}"), name)
    with pytest.raises(AttributeError, match="No laya_sweep attribute nothing"):
        _ = laya_sweep.nothing


@pytest.mark.parametrize("library", sorted(LIBRARIES))
def test_a_heavy_library_lives_in_its_rooms(library):
    users = {room_of(path) for path in MODULES if library in {name.split(".")[0] for name in imported(path)}}
    assert users <= LIBRARIES[library]


@pytest.mark.parametrize("room", ["gates", "metrics", "scoring"])
def test_derived_rooms_need_numpy_pyarrow_and_pydantic_alone(room):
    names = {name.split(".")[0] for path in (PACKAGE / room).rglob("*.py") for name in imported(path)}
    assert names - sys.stdlib_module_names <= {"numpy", "pyarrow", "pydantic", "laya_sweep"}


@pytest.mark.parametrize("room", ["scoring", "metrics", "results", "gates", "documents", "judging", "reports", "store"])
def test_from_facts_on_nothing_knows_a_plan_an_engine_or_ray(room):
    """Every module of a room that scores, summarises, judges or reads a run, in a fresh interpreter."""
    modules = [f"laya_sweep.{room}.{path.stem}" for path in sorted((PACKAGE / room).glob("*.py"))]
    loaded = loaded_by(f"import {', '.join(name.removesuffix('.__init__') for name in modules)}")
    rooms = {name.split(".")[1] for name in loaded if name.startswith("laya_sweep.")}
    assert not rooms & {"engines", "execution", "narrowing", "run", "config", "evaluation"}
    assert not loaded & {*HEAVY, "hydra", "omegaconf", "laya"}


@pytest.mark.parametrize(
    "code",
    [
        "import laya_sweep",
        "from laya_sweep import *",
        "import laya_sweep.__main__",
        "from laya_sweep.__main__ import main; main(['--help'])",
        "from laya_sweep.__main__ import main; main(['--version'])",
        "import laya_sweep.config.settings",
        "import laya_sweep.run.sweep",
        "import laya_sweep.metamorphic",
        *sorted(f"import laya_sweep.cli.{module}" for module, _ in VERBS.values()),
        "from laya_sweep.__main__ import main; assert main(['languages=[xx]']) == 2",
    ],
)
def test_what_must_start_fast_loads_neither_torch_nor_ray(code):
    assert not loaded_by(code) & {*HEAVY}


def test_a_verb_loads_no_other():
    """`validate` needs neither what fits maps nor what sweeps."""
    loaded = loaded_by("from laya_sweep.__main__ import main; assert main(['validate', '--template']) == 0")
    assert not {name for name in loaded if name.startswith(("laya_sweep.run", "laya_sweep.calibration"))}
    assert not loaded & {*HEAVY, "hydra"}


def test_the_package_itself_loads_nothing():
    assert not loaded_by("import laya_sweep") & {"numpy", "pyarrow", "laya"}


@pytest.mark.parametrize("path", [p for p in MODULES if room_of(p) not in ("__main__", "cli")], ids=shown)
def test_only_the_command_line_prints(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    said = [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    said += [
        node.lineno
        for node in calls
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in ("sys.stdout.write", "sys.stderr.write")
    ]
    assert not said, f"{shown(path)} prints in line {said}"
