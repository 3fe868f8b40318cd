"""How fast and how large the metrics are, side by side with `laya.evals._aggregate` in the same run.

    python -m benchmarks.metrics                    both parts at full size
    python -m benchmarks.metrics --part summary     (a) a million decisions, overall and 51 languages
    python -m benchmarks.metrics --part bootstrap   (b) 1,000 replicates: 51 languages x 20,000 x 2 regimes
    python -m benchmarks.metrics --scale 0.05       the same on fewer rows, to see that it runs

Each measurement runs in a process of its own, so that a peak belongs to one thing. A peak is what the process
grew by after its imports: "own" is all that it then made, decisions included; "over the data" is beyond them.
Times are wall clock; a machine that is busy with other things shows it in the processor seconds beside them.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from laya_sweep.metrics import EVALS_METRICS, DecisionColumns, SliceColumn, summarise

LANGUAGES = 51
ROWS = 1_000_000
BOOTSTRAP_SOURCES = 20_000
THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
REGIMES = 2
GATED = ("coverage", "abstention_rate", "selective_precision")


def table(sources: int, seed: int) -> DecisionColumns:
    """A parallel corpus: the same utterances in 51 languages, with difficulty shared among them."""
    rng = np.random.default_rng(seed)
    n = sources * LANGUAGES
    source = np.tile(np.arange(sources, dtype=np.int32), LANGUAGES)
    language = np.repeat(np.arange(LANGUAGES, dtype=np.int32), sources)
    ease = rng.normal(size=sources)[source] * 0.7 + rng.normal(size=n) + 0.02 * language - 0.5
    confidence = 1 / (1 + np.exp(-np.abs(ease) * 1.5))
    right = rng.random(n) < np.clip(confidence - 0.1, 0, 1)
    gold, slot = rng.integers(0, 60, n), rng.integers(0, 20, n)
    return DecisionColumns(
        question_type=np.zeros(n, dtype=np.int8),
        n_options=np.full(n, 20, dtype=np.int32),
        confidence=confidence,
        level=np.round(confidence * 10_000).astype(np.int32),
        correct=right.astype(np.int8),
        pred_index=np.where(right, slot, (slot + rng.integers(1, 20, n)) % 20).astype(np.int32),
        gold_index=slot.astype(np.int32),
        pred_label=np.where(right, gold, (gold + rng.integers(1, 60, n)) % 60).astype(np.int32),
        gold_label=gold.astype(np.int32),
        p_gold=np.where(right, confidence, (1 - confidence) / 5),
        score_error=np.full(n, np.nan),
        source=source,
        slices={"language": SliceColumn(language, tuple(f"l{i:02d}" for i in range(LANGUAGES)))},
    )


def memory() -> float:
    """The peak of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def timed(work: Callable[[], Any], repeats: int = 1) -> dict[str, float]:
    """Best wall time of `repeats` runs, and the processor seconds of that run."""
    best = {"seconds": float("inf"), "processor": 0.0}
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        seconds = time.perf_counter() - wall
        if seconds < best["seconds"]:
            best = {"seconds": seconds, "processor": time.process_time() - cpu}
    return best


def ours(scale: float, options: dict[str, Any], regimes: int, repeats: int, sources: int) -> dict[str, float]:
    """`summarise` over `regimes` tables."""
    before = memory()
    tables = [table(max(2, int(sources * scale)), seed) for seed in range(regimes)]
    with_data = memory()

    def work() -> None:
        for columns in tables:
            summarise(columns, **options)

    found = timed(work, repeats)
    return found | {
        "rows": float(regimes * len(tables[0])),
        "own_mb": memory() - before,
        "over_data_mb": memory() - with_data,
    }


def theirs(scale: float) -> dict[str, float]:
    """`laya.evals._aggregate` once, over all rows: no slices, no thresholds."""
    from laya import evals  # type: ignore[import-untyped]

    evaluators = evals.default_evaluators()
    evals.ece([0.5], [True])  # loads torch, which is not what is measured
    columns = table(max(2, int(ROWS // LANGUAGES * scale)), 0)
    names = [e.name for e in evaluators]
    cases = [
        {
            "confidence": confidence,
            "correct": right,
            "scores": dict.fromkeys(names) | {"choice_accuracy": float(right), "mean_confidence": confidence},
        }
        for confidence, right in zip(columns.confidence.tolist(), (columns.correct == 1).tolist(), strict=True)
    ]
    return timed(lambda: evals._aggregate(cases, evaluators), 5) | {"rows": float(len(cases))}


def measure(name: str, scale: float) -> dict[str, float]:
    """One measurement, by name; called in a process of its own."""
    once = {"replicates": 0, "metrics": EVALS_METRICS}
    grid = {"replicates": 0, "metrics": EVALS_METRICS + GATED, "min_confidence": THRESHOLDS}
    works: dict[str, Callable[[], dict[str, float]]] = {
        "aggregate": lambda: theirs(scale),
        "once": lambda: ours(scale, once, 1, 5, ROWS // LANGUAGES),
        "all": lambda: ours(scale, {"replicates": 0}, 1, 5, ROWS // LANGUAGES),
        "grid": lambda: ours(scale, grid, REGIMES, 5, ROWS // LANGUAGES),
        "bootstrap": lambda: ours(scale, {"replicates": 1000}, REGIMES, 1, BOOTSTRAP_SOURCES),
    }
    return works[name]()


def apart(name: str, scale: float) -> dict[str, float]:
    """`measure` in a new process."""
    command = [sys.executable, "-m", "benchmarks.metrics", "--measure", name, "--scale", str(scale)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def line(what: str, found: dict[str, float]) -> str:
    """One measurement as a line for people."""
    text = f"{what:<58}{found['seconds']:9.3f} s  ({found['processor']:.2f} processor seconds)"
    if "own_mb" in found:
        text += f"  own peak {found['own_mb']:.0f} MB, {found['over_data_mb']:.0f} MB over the data"
    return text


def summary_part(scale: float) -> list[str]:
    """(a): ratios to one call of upstream, and to one call a grid point."""
    base, once, everything, grid = (apart(name, scale) for name in ("aggregate", "once", "all", "grid"))
    points = REGIMES * len(THRESHOLDS)
    ratio = base["seconds"] / once["seconds"]
    grid_ratio = points * base["seconds"] / grid["seconds"]
    return [
        f"(a) {int(base['rows']):,} decisions; overall and {LANGUAGES} languages; upstream overall alone",
        line("laya.evals._aggregate, once, overall", base),
        line("summarise, the same metrics, overall + languages + macro", once),
        line("summarise, every metric, overall + languages + macro", everything),
        line(f"summarise, {REGIMES} regimes x {len(THRESHOLDS)} thresholds", grid),
        f"ratio, once: {ratio:.1f} (target 10)    ratio, grid of {points}: {grid_ratio:.0f} (target 100)",
    ]


def bootstrap_part(scale: float) -> list[str]:
    """(b): every interval of two regimes."""
    found = apart("bootstrap", scale)
    return [
        f"(b) 1,000 replicates, {LANGUAGES} languages, {int(found['rows']):,} decisions in {REGIMES} regimes",
        line("summarise, every metric with its interval", found),
        f"time {found['seconds']:.1f} s (target 60 on 2 cores), peak {found['own_mb']:.0f} MB (target 1000)",
    ]


def main() -> None:
    """Read the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--part", choices=("summary", "bootstrap", "both"), default="both")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full number of rows")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, arguments.scale)))
        return
    parts = {"summary": summary_part, "bootstrap": bootstrap_part}
    for name, part in parts.items():
        if arguments.part in (name, "both"):
            print("\n".join(part(arguments.scale)), flush=True)


if __name__ == "__main__":
    main()
