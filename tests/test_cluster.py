"""A real cluster on this machine: a head and one more node, token authentication on, joined from another process."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.reference, pytest.mark.ray]

ROOT = Path(__file__).parents[1]
RAY = Path(sys.executable).parent / "ray"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def cluster(tmp_path, started, monkeypatch):
    """A head with a dashboard and a second node, each of one CPU; gives the dashboard's address."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    token = tmp_path / "token"
    token.write_text("0123456789abcdef" * 4)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(token))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    port, dashboard = free_port(), free_port()
    common = ["--node-ip-address=127.0.0.1", "--num-cpus=1", "--block", "--disable-usage-stats"]
    head = [
        f"--port={port}",
        "--head",
        "--dashboard-host=127.0.0.1",
        f"--dashboard-port={dashboard}",
        "--include-dashboard=true",
    ]
    start(started, tmp_path, [*head, *common])
    address = f"127.0.0.1:{port}"
    wait_for(lambda: connects(port), "the head")
    start(started, tmp_path, [f"--address={address}", *common])
    wait_for(lambda: nodes(address) == 2, "two nodes")
    monkeypatch.setenv("RAY_ADDRESS", address)
    return f"http://127.0.0.1:{dashboard}"


def start(started, folder, words):
    with (folder / f"ray{len(started)}.log").open("w") as log:
        started.append(subprocess.Popen([RAY, "start", *words], stdout=log, stderr=log, start_new_session=True))


def connects(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def nodes(address):
    probe = (
        f"import ray; ray.init(address={address!r}, log_to_driver=False); print(sum(n['Alive'] for n in ray.nodes()))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False, timeout=60)
    return int(done.stdout.split()[-1]) if done.returncode == 0 else 0


def wait_for(condition, what):
    deadline = time.monotonic() + 90
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not come up")
        time.sleep(0.5)


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
