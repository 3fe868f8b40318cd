"""The rules of the house: who imports whom, what stays light, what is public."""

import ast
import graphlib
import importlib
import pkgutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import laya_sweep

PACKAGE = Path(laya_sweep.__file__).parent
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "conf")

#: Room -> the rooms it may import. Data flows one way: nothing here may close a circle.
ALLOWED = {
    # plain values and rules
    "errors": set(),
    "identity": set(),
    "min_confidence": set(),
    "calibration_map": {"min_confidence"},
    "settings": {"min_confidence"},
    "source_revision": set(),
    # where cases come from, how they are shown
    "memo_tokenizer": set(),
    "demo": {"memo_tokenizer"},
    "hub": {"errors"},
    "suites": {"checks", "demo", "errors", "hub", "identity", "settings"},
    "transforms": {"identity", "scoring", "settings", "suites"},
    "checkpoint_names": {"settings"},
    "pins": {"checkpoint_names", "settings"},
    # facts
    "engines": {
        "checkpoint_names",
        "demo",
        "errors",
        "hub",
        "identity",
        "memo_tokenizer",
        "min_confidence",
        "scoring",
        "settings",
        "transforms",
    },
    "store": {"errors", "identity"},
    "narrowing": {"engines", "errors", "scoring", "settings", "transforms"},
    "execution": {
        "engines",
        "errors",
        "hub",
        "min_confidence",
        "narrowing",
        "scoring",
        "settings",
        "store",
        "transforms",
    },
    "routing": {"engines", "errors", "hub", "settings", "suites"},
    "plan": {
        "checkpoint_names",
        "engines",
        "execution",
        "identity",
        "narrowing",
        "routing",
        "settings",
        "store",
        "suites",
        "transforms",
    },
    "inference": {"console", "engines", "execution", "narrowing", "plan", "settings", "store", "transforms"},
    # derived: no torch, no Ray
    "checks": {"errors", "gates", "jsonfile", "metrics"},
    "checking": {"checks", "derive", "errors", "metrics", "suites"},
    "metamorphic": {"engines", "metrics", "scoring", "settings", "transforms"},
    "scoring": {"calibration_map", "min_confidence"},
    "metrics": {"min_confidence"},
    "gates": {"errors", "jsonfile", "language_table", "metrics", "min_confidence"},
    "reports": {"identity", "metrics", "min_confidence", "settings"},
    "derive": {"errors", "identity", "metrics", "min_confidence", "plan", "scoring", "store", "transforms"},
    "truncation": {"derive", "metrics"},
    "pairing": {"derive", "metrics", "settings", "store"},
    # the command line
    "compose": {"errors"},
    "calibration": {
        "calibration_map",
        "demo",
        "derive",
        "engines",
        "errors",
        "hub",
        "identity",
        "jsonfile",
        "metrics",
        "min_confidence",
        "plan",
        "scoring",
        "settings",
        "store",
        "stored_run",
    },
    "config": {
        "calibration_map",
        "errors",
        "identity",
        "jsonfile",
        "min_confidence",
        "pins",
        "routing",
        "settings",
        "suites",
        "transforms",
    },
    "console": {"execution"},
    "documents": {
        "calibration_map",
        "engines",
        "errors",
        "identity",
        "min_confidence",
        "narrowing",
        "plan",
        "reports",
        "routing",
        "scoring",
        "settings",
        "store",
        "suites",
        "transforms",
    },
    "run_folder": {"errors", "store"},
    "provenance": {"documents", "inference", "plan", "settings", "source_revision"},
    "temperatures": {"calibration", "engines", "identity", "scoring", "store"},
    "sweep": {
        "calibration",
        "calibration_map",
        "checking",
        "checks",
        "console",
        "derive",
        "documents",
        "engines",
        "errors",
        "execution",
        "hub",
        "identity",
        "inference",
        "judging",
        "metrics",
        "min_confidence",
        "pairing",
        "plan",
        "provenance",
        "reports",
        "routing",
        "run_folder",
        "scoring",
        "settings",
        "store",
        "stored_run",
        "suites",
        "temperatures",
        "truncation",
    },
    # stored runs, and documents that others publish or read
    "jsonfile": {"errors"},
    "stored_run": {"errors", "jsonfile", "min_confidence", "store"},
    "language_table": {"errors", "jsonfile"},
    "report_cards": {"errors", "gates", "metrics", "min_confidence", "stored_run"},
    "published": {
        "derive",
        "documents",
        "errors",
        "gates",
        "identity",
        "jsonfile",
        "language_table",
        "metrics",
        "min_confidence",
        "pairing",
        "reports",
        "run_folder",
        "scoring",
        "settings",
        "store",
        "stored_run",
        "suites",
    },
    "judging": {
        "derive",
        "errors",
        "gates",
        "metrics",
        "min_confidence",
        "report_cards",
        "reports",
        "run_folder",
        "settings",
        "stored_run",
        "jsonfile",
    },
    # the same for a notebook or a test suite
    "evaluation": {
        "derive",
        "engines",
        "errors",
        "execution",
        "gates",
        "hub",
        "identity",
        "metrics",
        "min_confidence",
        "narrowing",
        "plan",
        "published",
        "reports",
        "scoring",
        "settings",
        "store",
        "stored_run",
        "suites",
        "transforms",
    },
    "verdicts": {"errors", "evaluation", "gates", "judging", "published", "report_cards", "stored_run"},
    "verbs": {
        "compose",
        "config",
        "console",
        "calibration",
        "calibration_map",
        "derive",
        "engines",
        "errors",
        "gates",
        "hub",
        "jsonfile",
        "judging",
        "language_table",
        "metrics",
        "min_confidence",
        "published",
        "report_cards",
        "run_folder",
        "scoring",
        "settings",
        "store",
        "stored_run",
        "suites",
        "sweep",
    },
    "__main__": {"compose", "config", "console", "errors", "hub", "sweep", "verbs"},
}

#: Library -> the rooms that may import it, anywhere in their modules.
LIBRARIES = {
    "torch": {"demo", "engines"},  # demo: the training script alone
    "ray": {"execution"},
    "hydra": {"compose"},
    "omegaconf": {"compose"},
    "datasets": {"hub"},
    "huggingface_hub": {"hub"},
    "transformers": {"demo"},
    "onnx": {"engines"},
    "onnxruntime": {"engines"},
    # config, evaluation: the runtime's threshold rule; evaluation, narrowing: its shortlist and tournament
    "laya": {"checkpoint_names", "config", "demo", "engines", "evaluation", "narrowing", "routing"},
    "rich": {"console"},
}

LIGHT_ROOMS = {"checks", "gates", "metrics", "scoring"}


def shown(path):
    return str(path.relative_to(PACKAGE))


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    """Absolute names of everything a module imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms_imported(path):
    names = (name.split(".") for name in imported(path))
    return {parts[1] for parts in names if parts[0] == "laya_sweep"} - {room_of(path)}


@pytest.mark.parametrize("path", [p for p in MODULES if p.parent != PACKAGE or p.name != "__init__.py"], ids=shown)
def test_a_room_imports_only_what_the_table_allows(path):
    room = room_of(path)
    assert room in ALLOWED, f"{room}: a new room; say in ALLOWED what it may import"
    forbidden = rooms_imported(path) - ALLOWED[room]
    assert not forbidden, f"{shown(path)} imports {sorted(forbidden)}, which ALLOWED[{room!r}] does not list"


def test_the_table_closes_no_circle_and_names_real_rooms():
    order = [*graphlib.TopologicalSorter(ALLOWED).static_order()]
    assert set(order) == set(ALLOWED) == {room_of(path) for path in MODULES} - {"__init__"}


def test_the_package_itself_imports_nothing_but_the_standard_library():
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    names = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names]
    assert set(names) <= sys.stdlib_module_names
    [checked] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    assert all(isinstance(node, ast.ImportFrom) for node in checked.body)


def test_names_of_the_package_are_listed_typed_and_found():
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    [checked] = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    typed = {alias.name: node.module for node in checked.body for alias in node.names}
    assert sorted(typed, key=in_order) == [*laya_sweep.__all__]
    for name, module in typed.items():
        assert getattr(laya_sweep, name) is getattr(importlib.import_module(module), name)
    assert set(laya_sweep.__all__) <= set(dir(laya_sweep))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = laya_sweep.nothing


@pytest.mark.parametrize("library", sorted(LIBRARIES))
def test_a_heavy_library_lives_in_its_rooms(library):
    users = {room_of(path) for path in MODULES if library in {name.split(".")[0] for name in imported(path)}}
    assert users <= LIBRARIES[library]


@pytest.mark.parametrize("room", sorted(LIGHT_ROOMS))
def test_derived_rooms_need_numpy_and_pyarrow_alone(room):
    names = {name.split(".")[0] for path in (PACKAGE / room).rglob("*.py") for name in imported(path)}
    assert names - sys.stdlib_module_names <= {"numpy", "pyarrow", "laya_sweep"}


HEAVY = ("torch", "ray", "transformers", "datasets", "onnx", "onnxruntime")


@pytest.mark.parametrize(
    "code",
    [
        "import laya_sweep; assert not {'numpy', 'pyarrow', 'laya'} & set(sys.modules)",
        "from laya_sweep import *",
        "import laya_sweep.__main__",
        "from laya_sweep.__main__ import main; main(['--help'])",
        "from laya_sweep.__main__ import main; main(['--version'])",
        "import laya_sweep.config",
        "import laya_sweep.sweep",
        "import laya_sweep.verbs, laya_sweep.published, laya_sweep.checks, laya_sweep.metamorphic",
        "import laya_sweep.scoring, laya_sweep.metrics, laya_sweep.reports, laya_sweep.derive",
        "from laya_sweep.__main__ import main; assert main(['languages=[xx]']) == 2",
    ],
)
def test_what_must_start_fast_loads_neither_torch_nor_ray(code):
    script = (
        f"import sys\n{code}\nloaded = [name for name in {HEAVY} if name in sys.modules]\nassert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


PACKAGES = sorted(
    f"laya_sweep.{info.name}"
    for info in pkgutil.iter_modules(laya_sweep.__path__)
    if info.ispkg and info.name != "conf"
)


def in_order(name):
    """The order ruff keeps `__all__` in: constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def public_names(package):
    """Public names that a package made or took from its own modules: no modules, nothing from elsewhere."""
    for name, value in vars(package).items():
        if name.startswith("_") or isinstance(value, types.ModuleType) or name == "annotations":
            continue
        if isinstance(value, type | types.FunctionType) and not value.__module__.startswith(package.__name__):
            continue
        yield name


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_sorted_and_is_what_is_public(name):
    package = importlib.import_module(name)
    listed = getattr(package, "__all__", [])
    assert [*listed] == sorted(listed, key=in_order)
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(public_names(package))


@pytest.mark.parametrize("path", [p for p in MODULES if room_of(p) not in ("__main__", "console", "verbs")], ids=shown)
def test_only_the_command_line_prints(path):
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    said = [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    said += [
        node.lineno
        for node in calls
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func) in ("sys.stdout.write", "sys.stderr.write")
    ]
    assert not said, f"{shown(path)} prints in line {said}"
