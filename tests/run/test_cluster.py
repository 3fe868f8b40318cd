"""A real cluster on this machine: a head and one more node, token authentication on, joined from another process."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from processes import running_cluster

pytestmark = [pytest.mark.reference, pytest.mark.ray, pytest.mark.slow]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A head and a second node, each of one CPU."""
    with running_cluster(tmp_path_factory.mktemp("cluster"), cpus=[1, 1]) as cluster:
        yield cluster


@pytest.fixture
def cluster(running, monkeypatch):
    """The cluster, with what joins it in the environment; gives the dashboard's address."""
    for name, value in running.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RAY_ADDRESS", running.address)
    return running.dashboard


def test_a_second_process_joins_and_actors_run_on_both_nodes(cluster, command, inputs, tmp_path):
    words = [
        *inputs,
        "languages=[en,de]",
        "dataset.per_lang=60",
        "shard_cases=5",
        f"store.uri={tmp_path}/shared-store",
    ]
    done = command(*words, "executor.address=auto", "executor.num_actors=2", "out_dir=OUT")
    assert done.returncode == 0, done.stderr
    workers = json.loads((tmp_path / "OUT" / "provenance.json").read_text())["workers"]
    assert len({worker["node"] for worker in workers}) == 2
    local = command(*words[:-1], "executor=inline", "store.uri=local", "out_dir=LOCAL")
    assert local.returncode == 0
    assert (tmp_path / "OUT" / "logits.parquet").read_bytes() == (tmp_path / "LOCAL" / "logits.parquet").read_bytes()

    greedy = command(*words, "dataset.per_lang=61", "executor.address=auto", "executor.num_actors=3", "out_dir=GREEDY")
    assert greedy.returncode == 2
    assert (
        "expected a cluster with room for 3 actors of 1 CPUs and 0 GPUs each, got 2 node(s) with 1 CPUs"
        in greedy.stderr
    )
    assert not (tmp_path / "GREEDY").exists()


def test_a_submitted_job_returns_the_sweep_s_own_exit_code(cluster, english, shared, tmp_path):
    def submit(*words):
        script = [sys.executable, ROOT / "jobs" / "submit.py", "--address", cluster, "--python", sys.executable, "--"]
        return subprocess.run(
            [*script, *words], capture_output=True, text=True, check=False, timeout=180, env=os.environ
        )

    words = [*english, "dataset.per_lang=3", f"store.uri={tmp_path}/store"]
    fine = submit(*words, "languages=[en]", f"out_dir={tmp_path}/OUT")
    assert fine.returncode == 0, fine.stdout
    assert "english served en n=3" in fine.stdout
    data = tmp_path / "data" / "data" / "en"
    data.mkdir(parents=True)
    (data / "test.jsonl.gz").symlink_to(shared / "data" / "amazon_massive_intent" / "data" / "en" / "test.jsonl.gz")
    incomplete = submit(*words, f"dataset.path={tmp_path}/data", "languages=[en,de]", f"out_dir={tmp_path}/OUT2")
    assert incomplete.returncode == 3, incomplete.stdout
    assert submit(*words, "languages=[zz]").returncode == 2


def test_a_node_with_other_code_is_left_out_by_name(command, inputs, tmp_path, tmp_path_factory):
    shutil.copytree(ROOT / "laya_sweep", tmp_path / "edited" / "laya_sweep")
    with (tmp_path / "edited" / "laya_sweep" / "engines" / "torch_engine.py").open("a") as module:
        module.write("# edited\n")
    edited = {1: {"PYTHONPATH": os.pathsep.join([str(tmp_path / "edited"), os.environ["PYTHONPATH"]])}}
    words = [*inputs, "languages=[en]", "dataset.per_lang=20", "shard_cases=5", f"store.uri={tmp_path}/store"]
    with running_cluster(tmp_path_factory.mktemp("mixed"), cpus=[1, 1], own=edited) as cluster:
        joined = cluster.environment | {"RAY_ADDRESS": cluster.address}
        done = command(*words, "executor.address=auto", "executor.num_actors=2", "out_dir=OUT", **joined)
    assert done.returncode == 0, done.stderr
    assert re.search(r"dropped: node \S+ is left out: code of laya_sweep: expected \w{12}, got \w{12}", done.stderr)
    workers = json.loads((tmp_path / "OUT" / "provenance.json").read_text())["workers"]
    assert len({worker["node"] for worker in workers}) == 1
