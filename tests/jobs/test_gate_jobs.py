"""The jobs of a project that watches its checkpoints: the commands for real, and the workflows that call them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

JOBS = Path(__file__).parents[2] / "jobs"


def run(name, *words, cwd, **env):
    done = subprocess.run(
        ["sh", str(JOBS / name), *map(str, words)],
        cwd=cwd,
        env=os.environ | {"PYTHON": sys.executable} | env,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def gate(tmp_path):
    """A copy of the committed gate files, to change."""
    folder = tmp_path / "gate"
    shutil.copytree(JOBS / "gate", folder)
    return folder


@pytest.mark.slow
def test_the_scheduled_command_passes_fails_and_keeps_the_report_whatever_the_verdict(tmp_path, gate):
    passing = run("scheduled_gate.sh", cwd=tmp_path)
    assert passing.returncode == 0, passing.stdout + passing.stderr
    [out] = (tmp_path / "outputs" / "scheduled_gate").iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z", out.name)
    verdict = json.loads((out / "run" / "verdict.json").read_text("utf-8"))
    assert (verdict["passed"], verdict["results"][0]["mode"]) == (True, "strict")
    assert {check["kind"] for check in verdict["results"][0]["checks"]} >= {"baseline", "policy", "comparability"}

    # a reviewed baseline that was better than what the sweep gives, in one language
    baseline = json.loads((gate / "baseline.json").read_text("utf-8"))
    baseline["results"][0]["languages"]["de"]["metrics"]["choice_accuracy"]["value"] = 1.01
    (gate / "baseline.json").write_text(json.dumps(baseline), "utf-8")
    env = {"LAYA_SWEEP_GATE": str(gate), "LAYA_SWEEP_OUT": str(tmp_path / "kept")}
    failing = run("scheduled_gate.sh", f"store.uri={out}/store", cwd=tmp_path, **env)
    assert failing.returncode == 1, failing.stdout + failing.stderr
    assert "FAIL: " in failing.stdout
    assert "language=de choice_accuracy" in failing.stdout
    assert "0 forwards done" in failing.stderr, "the override given to the command won"
    kept = tmp_path / "kept" / "run"
    assert json.loads((kept / "verdict.json").read_text("utf-8"))["passed"] is False
    assert (kept / "report.md").is_file()

    (gate / "policy.json").write_text('{"version": 1, "rules": [{}]}', "utf-8")
    assert run("scheduled_gate.sh", cwd=tmp_path, **env).returncode == 2
    nowhere = run("scheduled_gate.sh", cwd=tmp_path, LAYA_SWEEP_GATE="nowhere")
    assert (nowhere.returncode, nowhere.stderr.count("\n")) == (2, 1)


@pytest.fixture
def without_heavy_packages(tmp_path):
    """An environment in which importing what the job must not need ends the process."""
    folder = tmp_path / "refused"
    for name in ("torch", "ray", "laya", "transformers", "datasets", "hydra", "huggingface_hub"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(f"import os, sys\nsys.stderr.write('{name}')\nos._exit(99)\n")
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(JOBS.parent)])}


def test_the_weight_free_command_needs_neither_checkpoint_nor_torch_nor_ray(tmp_path, gate, without_heavy_packages):
    env = {"LAYA_SWEEP_GATE": str(gate), **without_heavy_packages}
    done = run("weight_free.sh", cwd=tmp_path, **env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "support.jsonl: 4 rows" in done.stdout
    assert "gate passed" in done.stdout

    worse = json.loads((gate / "baseline.json").read_text("utf-8"))
    worse["results"][0]["overall"]["metrics"]["choice_accuracy"]["value"] -= 0.05
    shutil.copy(gate / "baseline.json", tmp_path / "previous.json")
    (gate / "baseline.json").write_text(json.dumps(worse), "utf-8")
    done = run("weight_free.sh", "previous.json", cwd=tmp_path, **env)
    assert done.returncode == 1
    assert "FAIL: overall.choice_accuracy 0.9000" in done.stdout

    (gate / "support.jsonl").write_text('{"state": "no questions"}\n', "utf-8")
    done = run("weight_free.sh", cwd=tmp_path, **env)
    assert done.returncode == 2
    assert "gate passed" not in done.stdout


def workflow(name):
    """A workflow's triggers and steps. YAML 1.1 reads the key `on` as true."""
    document = yaml.safe_load((JOBS / name).read_text("utf-8"))
    [job] = document["jobs"].values()
    return document[True], job["steps"]


def test_the_scheduled_workflow_calls_the_command_and_always_keeps_what_it_wrote():
    triggers, steps = workflow("scheduled_gate.yaml")
    assert "workflow_dispatch" in triggers
    assert all(re.fullmatch(r"[\d*/,-]+( [\d*/,-]+){4}", entry["cron"]) for entry in triggers["schedule"])
    [judging] = [step for step in steps if step.get("run") == "sh jobs/scheduled_gate.sh"]
    [keeping] = [step for step in steps if step.get("uses", "").startswith("actions/upload-artifact@")]
    assert steps.index(keeping) > steps.index(judging)
    assert "continue-on-error" not in judging
    assert keeping["if"] == "always()"
    assert keeping["with"]["path"] == judging["env"]["LAYA_SWEEP_OUT"] + "/run"


def test_the_weight_free_workflow_calls_the_command_and_installs_nothing_heavy():
    triggers, steps = workflow("weight_free.yaml")
    assert "pull_request" in triggers
    runs = [step["run"] for step in steps if "run" in step]
    assert runs[-1] == "sh jobs/weight_free.sh previous.json"
    assert [line for line in runs if "install" in line] == ["pip install numpy pyarrow"]


def test_the_committed_baseline_tells_no_machine_or_folder():
    text = (JOBS / "gate" / "baseline.json").read_text("utf-8")
    assert "/tmp" not in text
    assert "/home" not in text
