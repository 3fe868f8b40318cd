"""Fixtures of the whole suite: reference data, real commands, and the straight-line recomputation."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from processes import ended

if TYPE_CHECKING:
    from exported_graphs import Graphs

ROOT = Path(__file__).parents[1]

SHARED = Path(os.environ.get("LAYA_SWEEP_SHARED", ROOT.parent / "shared"))

#: One thread everywhere, so that bits compare between this process, subprocesses and actors.
os.environ.setdefault("OMP_NUM_THREADS", "1")

#: Actors are processes of their own: they find the scripted engines of the tests by this.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(ROOT / "tests" / "execution"), *filter(None, [os.environ.get("PYTHONPATH")])]
)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data folder; skips with a reason where it is missing, fails in CI."""
    if SHARED.is_dir():
        return SHARED
    if os.environ.get("LAYA_SWEEP_REQUIRE_SHARED"):
        pytest.fail(f"the reference data is required here, and there is no folder {SHARED}")
    pytest.skip(f"no reference data at {SHARED}; set LAYA_SWEEP_SHARED")


@pytest.fixture(scope="session", autouse=True)
def reference_is_left_as_it_was() -> Iterator[None]:
    """No test may change a reference checkpoint, as the runtime does to a folder that it loads in place."""
    folder = SHARED / "checkpoints"
    before = {path: path.read_bytes() for path in folder.rglob("*.json")}
    yield
    assert {path: path.read_bytes() for path in folder.rglob("*.json")} == before


@pytest.fixture
def command(tmp_path: Path) -> Run:
    """`command(*words)` runs `python -m laya_sweep` as a user would, in an empty folder."""

    def run(*words: str, cwd: Path | None = None, timeout: float = 300, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning:laya_sweep", "-m", "laya_sweep", *words],
            cwd=cwd or tmp_path,
            env=os.environ | env,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Graphs:
    """The bundled English checkpoint exported to ONNX, once a session."""
    from exported_graphs import export_demo

    return export_demo(tmp_path_factory.mktemp("graphs"))


@pytest.fixture
def massive(shared: Path) -> list[str]:
    """Overrides that name the reference dataset."""
    return ["dataset=massive", f"dataset.path={shared}/data/amazon_massive_intent"]


@pytest.fixture
def english(massive: list[str], shared: Path) -> list[str]:
    """The reference dataset and the english reference checkpoint alone."""
    return [*massive, "checkpoint=[]", f"+checkpoints.english.source={shared}/checkpoints/english"]


@pytest.fixture
def inputs(english: list[str], shared: Path) -> list[str]:
    """The reference dataset and both reference checkpoints."""
    return [*english, f"+checkpoints.multilingual.source={shared}/checkpoints/multilingual"]


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes a test starts, ended with it."""
    with ended() as processes:
        yield processes
