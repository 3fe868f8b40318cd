"""`export-onnx CHECKPOINT OUT`: a checkpoint as an ONNX file, checked against torch before it is written."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.cli.arguments import Arguments
from laya_sweep.domain.settings import CheckpointSettings
from laya_sweep.engines.exported_graph import Exported
from laya_sweep.engines.loading import export_onnx
from laya_sweep.errors import OutputError, Problem
from laya_sweep.files.atomic import require_writable, write_bytes
from laya_sweep.files.hub import HuggingFaceHub


def main(words: Sequence[str]) -> int:
    """Export, check, and only then write the file, whole or not at all."""
    options = _parser().parse_args(words)
    out: Path = options.out
    if out.is_dir():
        raise OutputError(Problem(f"OUT {out}", "a file", "a folder", "name a file in it, for example laya.onnx"))
    require_writable(out.parent, "the folder of OUT")
    settings = CheckpointSettings("CHECKPOINT", options.checkpoint, options.subfolder, options.revision, None, None)
    checkpoint = locate(settings, HuggingFaceHub())
    started = time.perf_counter()
    exported = export_onnx(checkpoint, int8=options.int8)
    try:
        write_bytes(out, exported.data)
    except OSError as error:
        raise OutputError(Problem(f"OUT {out}", "a file that can be written", str(error), "name another")) from error
    sys.stdout.write("".join(f"{line}\n" for line in _lines(out, exported, time.perf_counter() - started)))
    return 0


def _parser() -> Arguments:
    parser = Arguments(prog="laya_sweep export-onnx", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a folder, bundled:NAME or a Hub repository")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write")
    parser.add_argument("--int8", action="store_true", help="OUT holds INT8 weights instead of float32")
    parser.add_argument("--subfolder", metavar="S", help="the checkpoint's place in its folder or repository")
    parser.add_argument("--revision", metavar="R", help="a commit, branch or tag of the Hub, or reviewed")
    return parser


def _lines(out: Path, exported: Exported, seconds: float) -> list[str]:
    drift = exported.drift
    together = "share a call" if exported.rows_together else "of several cases are never in one call"
    return [
        f"{out}: {exported.precision}, {len(exported.data) / 1e6:.1f} MB in {seconds:.1f} s; rows {together}",
        f"against torch on {drift.rows} questions: same answer {drift.agreeing}/{drift.rows}, "
        f"largest difference of a logit {drift.logit:.2g}, of a probability {drift.probability:.2g}",
    ]
