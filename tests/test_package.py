"""The wheel, outside the checkout: in an empty folder with spaces and letters of other scripts, twice at once."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = ("conf", "laya_sweep", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package as its wheel installs it, alone in a folder."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in SHIPPED:
        path = ROOT / name
        ignore = shutil.ignore_patterns("__pycache__")
        _ = shutil.copytree(path, source / name, ignore=ignore) if path.is_dir() else shutil.copy(path, source / name)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source],
        check=True,
        capture_output=True,
    )
    [wheel] = folder.glob("laya_sweep-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", folder / "site", wheel], check=True, capture_output=True)
    return folder / "site"


@pytest.fixture
def outside(tmp_path):
    """An empty folder whose path has spaces and letters of other scripts."""
    folder = tmp_path / "my sweeps ሙከራ 試験"
    folder.mkdir()
    return folder


def environment(installed):
    return os.environ | {"PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}


def run(installed, outside, *words):
    return subprocess.run(
        [sys.executable, "-m", "laya_sweep", *words],
        cwd=outside,
        env=environment(installed),
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_wheel_is_what_runs_and_it_holds_its_configuration(installed, outside):
    code = "import laya_sweep, laya_sweep.conf; print(laya_sweep.__file__, laya_sweep.conf.__file__)"
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=outside,
        env=environment(installed),
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.count(str(installed)) == 2
    shipped = {path.relative_to(ROOT / "conf") for path in (ROOT / "conf").rglob("*.yaml")}
    assert {
        path.relative_to(installed / "laya_sweep/conf") for path in (installed / "laya_sweep/conf").rglob("*.yaml")
    } == shipped
    template = run(installed, outside, "validate", "--template")
    assert template.stdout == (ROOT / "laya_sweep" / "suites" / "template.jsonl").read_text("utf-8")
    assert run(installed, outside, "--cfg").stdout.startswith("dataset:")


@pytest.mark.slow
@pytest.mark.ray
def test_the_demo_runs_from_the_wheel_twice_at_once_and_leaves_the_package_alone(installed, outside):
    before = contents(installed)
    words = [sys.executable, "-m", "laya_sweep", "executor.num_actors=1"]
    pair = [
        subprocess.Popen(
            words, cwd=outside, env=environment(installed), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in pair:
        output, errors = process.communicate(timeout=180)
        assert process.returncode == 0, errors
        assert output.count(" n=20 ") == 51 * 2 * 2
        assert "demo_multilingual served macro over 51 languages" in output
    folders = sorted((outside / "outputs" / "runs").iterdir())
    assert len(folders) == 2
    reports = [(folder / "report.json").read_bytes() for folder in folders]
    assert reports[0] == reports[1]
    served = [result for result in json.loads(reports[0])["results"] if result["regime"] == "served"]
    raw = [result for result in json.loads(reports[0])["results"] if result["regime"] == "raw"]
    for ours, theirs in zip(served, raw, strict=True):
        assert ours["macro"]["metrics"]["choice_accuracy"] == theirs["macro"]["metrics"]["choice_accuracy"]
        assert ours["macro"]["metrics"]["ece"]["value"] != theirs["macro"]["metrics"]["ece"]["value"]
    assert contents(installed) == before
