"""Submit a sweep to a running Ray cluster as a Ray job, follow its log, and exit with the sweep's own exit code.

    python jobs/submit.py --address http://HEAD:8265 -- +sweep=all_langs store.uri=/shared/store out_dir=/shared/run

`ray job submit` ends with 1 whatever code the job ended with, so this asks for the driver's. The nodes need
laya_sweep installed, and the folders named must be reachable from all of them. The cluster's token is read where
Ray reads it (RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token).
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence

# Read when ray is imported: without it the cluster's token is not sent.
os.environ.setdefault("RAY_AUTH_MODE", "token")

from ray.job_submission import JobStatus, JobSubmissionClient

_POLL_S = 1.0
_EXIT_NO_CLUSTER = 2
_EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Submit, follow, and return the exit code of the sweep."""
    options = _parser().parse_args(arguments)
    try:
        client = JobSubmissionClient(options.address)
    except (ConnectionError, RuntimeError) as error:
        sys.stderr.write(f"error: expected a Ray dashboard at {options.address}, got: {error}; check --address\n")
        return _EXIT_NO_CLUSTER
    overrides = [word for word in options.overrides if word != "--"]
    command = shlex.join([options.python, "-m", "laya_sweep", *overrides, "executor.address=auto"])
    job = client.submit_job(entrypoint=command, runtime_env={"env_vars": {"RAY_AUTH_MODE": "token"}})
    try:
        _follow(client, job)
    except KeyboardInterrupt:
        client.stop_job(job)
        return _EXIT_INTERRUPTED
    return _exit_code(client, job)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--address", default="http://127.0.0.1:8265", help="the cluster's dashboard")
    parser.add_argument("--python", default="python", help="the interpreter on the nodes that has laya_sweep")
    parser.add_argument("overrides", nargs=argparse.REMAINDER, help="-- and then overrides of laya_sweep")
    return parser


def _follow(client: JobSubmissionClient, job: str) -> None:
    """Print the job's log as it grows, until the job has ended."""
    shown = 0
    while True:
        ended = client.get_job_status(job).is_terminal()
        log = client.get_job_logs(job)
        sys.stdout.write(log[shown:])
        sys.stdout.flush()
        shown = len(log)
        if ended:
            return
        time.sleep(_POLL_S)


def _exit_code(client: JobSubmissionClient, job: str) -> int:
    info = client.get_job_info(job)
    if info.status == JobStatus.SUCCEEDED:
        return 0
    if info.driver_exit_code is None:
        sys.stderr.write(f"error: job {job} ended as {info.status}: {info.message}\n")
        return 1
    return int(info.driver_exit_code)


if __name__ == "__main__":
    sys.exit(main())
