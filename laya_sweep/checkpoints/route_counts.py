"""How many cases of each language went where: the route table of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from laya_sweep.checkpoints.route import Route


def route_counts(routes: Iterable[Route]) -> dict[str, dict[str, Any]]:
    """By language: `n` cases, those whose row chose (`asked`), and counts by who answers and by what was detected.

    A language that the runtime leaves undecided counts under "".
    """
    by_language: dict[str, list[Route]] = {}
    for route in routes:
        by_language.setdefault(route.language, []).append(route)
    return {code: _counts(by_language[code]) for code in sorted(by_language)}


def _counts(routes: list[Route]) -> dict[str, Any]:
    return {
        "n": len(routes),
        "asked": sum(route.asked is not None for route in routes),
        "models": _sorted(Counter(route.model for route in routes)),
        "scripts": _sorted(Counter(route.detected_script for route in routes)),
        "detected_languages": _sorted(Counter(route.detected_language or "" for route in routes)),
    }


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
