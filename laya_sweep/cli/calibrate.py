"""`calibrate RUN --out MAP.json`: temperatures, and bins if asked, fitted on a run and judged on other rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laya_sweep.calibration.before_after import Comparison, compare_regimes
from laya_sweep.calibration.fit import FittedMap, Floors, fit_map
from laya_sweep.calibration.halves import Halves
from laya_sweep.calibration.map_file import checkpoint_config, languages_document, map_document, own_document
from laya_sweep.calibration.overlap import DatasetRow
from laya_sweep.cli.arguments import Arguments
from laya_sweep.cli.halves import add_halves, read_halves
from laya_sweep.domain.calibration_map import Overrides, language_key
from laya_sweep.domain.regime import Regime
from laya_sweep.errors import Problem, UsageError
from laya_sweep.files.atomic import write_json
from laya_sweep.files.hub import HuggingFaceHub

_ByLanguage = dict[str, tuple[FittedMap, list[DatasetRow]]]


def main(words: Sequence[str]) -> int:
    """Write the map and, where asked, the overrides by language; print the fit and figures before and after."""
    options = _parser().parse_args(words)
    floors = _floors(options)
    halves = read_halves(options, None, any_regime=True)
    fitted = fit_map(halves.fit.labelled(halves.fit_part), halves.fit.served, floors, options.bins)
    if not fitted.fits:
        got = f"{sum(fitted.rows.values())}, no type with as many"
        step = "take a larger run, or lower --min-type"
        raise UsageError(Problem("rows to fit on", f"{floors.type} labelled answers of a question type", got, step))
    by_language = _by_language(halves, floors) if options.lang_out else {}
    comparisons = _judged(halves, fitted, {})
    own = own_document(halves.fit.result, fitted, halves.fit_rows, floors, halves.seed)
    own["held_out"] = [comparison.document() for comparison in comparisons]
    checkpoint = halves.fit.result.run.config["checkpoints"][halves.fit.result.checkpoint]
    config = checkpoint_config(checkpoint, HuggingFaceHub())
    write_json(options.out, map_document(fitted, checkpoint, own, config))
    lines = [*_fit_lines(fitted, floors), *_figure_lines("map", comparisons), f"map in {options.out}"]
    if config is None:
        lines.append("the checkpoint's config cannot be had here: the map does not say whose it is (version 1)")
    if options.lang_out:
        lines += _write_languages(options.lang_out, halves, fitted, by_language, floors)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep calibrate", description=(__doc__ or "").splitlines()[0])
    add_halves(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="MAP.json", help="the map, as the runtime loads it")
    parser.add_argument("--lang-out", type=Path, metavar="FILE", help="also temperatures by language, to this file")
    parser.add_argument("--bins", type=int, metavar="N", help="also a binning map of N bins, for example 15")
    floors = Floors()
    parser.add_argument("--min-bucket", type=int, default=floors.bucket, metavar="N", help="fewest rows of a bucket")
    parser.add_argument("--min-type", type=int, default=floors.type, metavar="N", help="fewest rows of a type")
    parser.add_argument("--min-binning", type=int, default=floors.binning, metavar="N", help="fewest rows for bins")
    return parser


def _floors(options: argparse.Namespace) -> Floors:
    given = {"--min-bucket": options.min_bucket, "--min-type": options.min_type, "--min-binning": options.min_binning}
    given |= {} if options.bins is None else {"--bins": options.bins}
    if wrong := [name for name, value in given.items() if value < 1]:
        problem = Problem(wrong[0], "a whole number of at least 1", str(given[wrong[0]]), "correct it")
        raise UsageError(problem)
    return Floors(options.min_bucket, options.min_type, options.min_binning)


def _by_language(halves: Halves, floors: Floors) -> _ByLanguage:
    """A fit of each language that has rows enough, under the runtime's key of it: zh-CN and zh-TW are one."""
    rows, dataset = halves.fit.labelled(halves.fit_part), halves.fit_rows
    found: _ByLanguage = {}
    for key in sorted({language_key(row.language) for row in rows} - {""}):
        own = [row for row in rows if language_key(row.language) == key]
        fitted = fit_map(own, halves.fit.served, floors)
        if fitted.fits:
            found[key] = fitted, [row for row in dataset if language_key(row.language) == key]
    return found


def _judged(halves: Halves, fitted: FittedMap, overrides: Overrides) -> list[Comparison]:
    after = Regime("map", "map", None, fitted.calibration, overrides)
    part = halves.judge_part
    return compare_regimes(
        halves.judge.decisions(Regime("served", "served"), part), halves.judge.decisions(after, part)
    )


def _write_languages(path: Path, halves: Halves, fitted: FittedMap, found: _ByLanguage, floors: Floors) -> list[str]:
    left = sorted({language_key(row.language) for row in halves.fit_rows} - set(found))
    if not found:
        return [f"no language has {floors.type} labelled answers of a type: nothing is written to {path}"]
    write_json(path, languages_document(found))
    overrides: dict[str, Any] = {key: (own.calibration.temperatures, False) for key, (own, _) in found.items()}
    said = [f"too few rows, left to the map: {', '.join(key or '-' for key in left)}"] if left else []
    comparisons = _judged(halves, fitted, overrides)
    return [*said, *_figure_lines("map and languages", comparisons), f"temperatures by language in {path}"]


def _fit_lines(fitted: FittedMap, floors: Floors) -> list[str]:
    lines = [
        f"temperatures (a bucket of fewer than {floors.bucket} rows takes its type's, fitted on {floors.type} or more)"
    ]
    for name, fit in fitted.fits.items():
        beyond = f", the rows ask for {fit.fitted:.4g}" if fit.applied != fit.fitted else ""
        lines.append(f"  {name} T={fit.applied:.4f} n={fit.n}{beyond}")
    for bucket, n in fitted.rows.items():
        if bucket not in fitted.fits:
            value, entry = fitted.calibration.temperatures.at(bucket)
            of = "as served" if entry == bucket else f"of {entry}"
            lines.append(f"  {bucket} T={value:.4f} {of}, n={n}")
    lines += [f"  {bucket}: {len(values)} bins" for bucket, values in fitted.calibration.binning]
    return lines


def _figure_lines(name: str, comparisons: Sequence[Comparison]) -> list[str]:
    lines = [f"held-out rows, served -> {name}, with 95% intervals by source"]
    for row in comparisons:
        before, after = (
            f"{figure.value:.4f}" + ("" if figure.low is None else f" [{figure.low:.4f}, {figure.high:.4f}]")
            for figure in (row.before, row.after)
        )
        lines.append(f"  {row.language or 'all'} {row.metric} n={row.n} {before} -> {after}")
    return lines
