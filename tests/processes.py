"""Processes that tests start, ended by id; and a real Ray cluster made of them."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

RAY = Path(sys.executable).parent / "ray"

Processes = list["subprocess.Popen[bytes]"]


@dataclass(frozen=True)
class Cluster:
    """A running cluster: its address, its dashboard, and the variables by which another process joins it."""

    address: str
    dashboard: str
    environment: dict[str, str]


@contextlib.contextmanager
def ended() -> Iterator[Processes]:
    """A list of processes: at the end each is asked to stop, and then ended with its whole group."""
    processes: Processes = []
    try:
        yield processes
    finally:
        for process in reversed(processes):
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Asked to stop, and then ended with its whole group."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


@contextlib.contextmanager
def running_cluster(
    folder: Path, cpus: Sequence[int], own: Mapping[int, Mapping[str, str]] | None = None
) -> Iterator[Cluster]:
    """A head and further nodes with so many CPUs each, token authentication on; `own`: more environment, by node."""
    token = folder / "token"
    token.write_text("0123456789abcdef" * 4)
    port, dashboard = free_port(), free_port()
    cluster = Cluster(
        f"127.0.0.1:{port}",
        f"http://127.0.0.1:{dashboard}",
        {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(token), "RAY_USAGE_STATS_ENABLED": "0"},
    )
    head = [f"--port={port}", "--head", "--dashboard-host=127.0.0.1", f"--dashboard-port={dashboard}"]
    with ended() as processes:
        for node, count in enumerate(cpus):
            words = [*head, "--include-dashboard=true"] if node == 0 else [f"--address={cluster.address}"]
            environment = cluster.environment | dict((own or {}).get(node, {}))
            processes.append(_node(folder / f"node{node}.log", [*words, f"--num-cpus={count}"], environment))
            wait_for(lambda: connects(port), "the head")
        wait_for(lambda: _nodes(cluster) == len(cpus), f"{len(cpus)} nodes")
        yield cluster


def _node(log: Path, words: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    common = ["--node-ip-address=127.0.0.1", "--block", "--disable-usage-stats"]
    with log.open("w") as out:
        return subprocess.Popen(
            [RAY, "start", *words, *common],
            stdout=out,
            stderr=out,
            env=os.environ | environment,
            start_new_session=True,
        )


def _nodes(cluster: Cluster) -> int:
    code = (
        f"import ray; ray.init(address={cluster.address!r}, log_to_driver=False);"
        "print(sum(node['Alive'] for node in ray.nodes()))"
    )
    environment = os.environ | cluster.environment
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, env=environment
    )
    return int(done.stdout.split()[-1]) if done.returncode == 0 else 0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def connects(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until it holds; fails the test after a while."""
    deadline = time.monotonic() + 90
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not come up")
        time.sleep(0.3)
