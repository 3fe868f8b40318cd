"""What this process uses of the machine it runs on."""

from __future__ import annotations

import os
import resource
import sys

#: ru_maxrss is in kilobytes on Linux and in bytes on macOS.
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def peak_rss_bytes() -> int:
    """The most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT


def usable_cpus() -> int:
    """The CPUs that this process may run on: of a container or a pinned shell fewer than the machine has."""
    affinity = getattr(os, "sched_getaffinity", None)  # which macOS lacks
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
