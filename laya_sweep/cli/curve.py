"""`curve RUN ...`: the precision-coverage points of runs at their min_confidences, as one curve a result."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from laya_sweep.cli.arguments import Arguments, run_folders
from laya_sweep.domain.thresholds import BucketThresholds, MinConfidence, from_document, order, shown
from laya_sweep.errors import Problem, UsageError
from laya_sweep.files.atomic import write_bytes
from laya_sweep.store.parquet import parquet_bytes
from laya_sweep.store.schemas import CURVES
from laya_sweep.store.stored_run import StoredRun, read_table

_RESULT = ("checkpoint", "transform", "regime")


class _Place(NamedTuple):
    """A point's place: its result and threshold."""

    checkpoint: str
    transform: str
    regime: str
    threshold: float | BucketThresholds

    def order(self) -> tuple[str, str, str, float, str]:
        """Sort key: by result, then by falling threshold, then the maps."""
        number, text = order(self.threshold)
        return (*self[:3], -number if not text else 1.0, text)


def main(words: Sequence[str]) -> int:
    """Print the points of every result, by falling threshold; with --out also write them as a curves table.

    A map of thresholds by bucket is a point beside the curve: it is printed last, and is no row of the table.
    """
    options = _parser().parse_args(words)
    dimension, _, value = options.slice.partition("=")
    folders = run_folders(options.runs)
    points = collect(folders, dimension, value)
    if not points:
        _refuse_imported(folders)
        problem = Problem(
            f"slice {options.slice}",
            "a slice with a min_confidence in these runs",
            "none",
            "name one as --slice language=en, and runs with min_confidence set",
        )
        raise UsageError(problem)
    sys.stdout.write("".join(f"{line}\n" for line in _lines(points)))
    if options.out is not None:
        alone = [point for point in points if not isinstance(point["threshold"], BucketThresholds)]
        table = pa.Table.from_pylist(alone, schema=CURVES)
        write_bytes(options.out, parquet_bytes(table, {"table": "curves"}))
    return 0


def _refuse_imported(folders: Sequence[Path]) -> None:
    """A document of others has no thresholds, and nothing to cut at one."""
    for folder in folders:
        run = StoredRun.open(folder)
        if run.imported is not None and not run.thresholds:
            expected, got = (
                "a run with thresholds",
                "an imported document, which tells no gate_confidence to cut at one",
            )
            raise UsageError(Problem(f"run {folder}", expected, got, "name a run of a sweep"))


def collect(folders: Sequence[Path], dimension: str = "overall", value: str = "") -> list[dict[str, Any]]:
    """Points of all runs, one per result and threshold, as rows of the curves schema.

    Raises:
        UsageError: two runs disagree on a point, so they are not runs of one sweep.
    """
    found: dict[_Place, dict[str, Any]] = {}
    for folder in folders:
        for place, point in _points(folder, dimension, value).items():
            if found.setdefault(place, point) != point:
                raise UsageError(_disagreement(folder, place))
    return [found[place] for place in sorted(found, key=_Place.order)]


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep curve", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="out_dir of a run, or of a multirun")
    parser.add_argument("--slice", default="overall", help="overall (default), or for example language=en")
    parser.add_argument("--out", type=Path, help="also write the points as a Parquet curves table, without maps")
    return parser


def _points(folder: Path, dimension: str, value: str) -> dict[_Place, dict[str, Any]]:
    gathered: dict[_Place, dict[str, Any]] = {}
    for row in read_table(folder, "metrics").to_pylist():
        threshold = _threshold(row)
        if (row["slice"], row["slice_value"]) == (dimension, value) and threshold is not None:
            place = _Place(row["checkpoint"], row["transform"], row["regime"], threshold)
            gathered.setdefault(place, {})[row["metric"]] = row
    points = {place: _point(place, rows, dimension, value) for place, rows in gathered.items()}
    return {place: point for place, point in points.items() if point is not None}


def _threshold(row: dict[str, Any]) -> MinConfidence:
    number: float | None = row["min_confidence"]
    text = row["min_confidence_map"]
    return number if text is None else from_document(json.loads(text))


def _point(place: _Place, rows: dict[str, dict[str, Any]], dimension: str, value: str) -> dict[str, Any] | None:
    coverage, precision = rows["coverage"], rows["selective_precision"]
    if coverage["value"] is None:
        return None
    accepted = precision["n"] if precision["value"] is not None else 0
    return {
        **place._asdict(),
        "slice": dimension,
        "slice_value": value,
        "n": coverage["n"],
        "accepted": accepted,
        "correct": round(accepted * (precision["value"] or 0.0)),
        "coverage": coverage["value"],
        "precision": precision["value"],
        "low": precision["low"],
        "high": precision["high"],
    }


def _disagreement(folder: Path, place: _Place) -> Problem:
    return Problem(
        f"run {folder}",
        "runs of one sweep that differ in min_confidence alone",
        f"another point for {' '.join(place[:3])} at {shown(place.threshold)} than an earlier run has",
        "name the runs of one multirun",
    )


def _lines(points: Sequence[dict[str, Any]]) -> list[str]:
    lines = ["checkpoint transform regime min_confidence coverage precision low high accepted n"]
    for point in points:
        figures = [_shown(point[name]) for name in ("coverage", "precision", "low", "high")]
        names = [str(point[name]) for name in _RESULT]
        threshold = shown(point["threshold"]).replace(" ", "")
        lines.append(" ".join([*names, threshold, *figures, str(point["accepted"]), str(point["n"])]))
    return lines


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}"
