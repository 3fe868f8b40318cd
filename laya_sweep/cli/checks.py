"""`checks --checkpoint FOLDER`: the presentation checks of one checkpoint, as a sweep in this process."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from laya_sweep.cli.arguments import Arguments

_EXITS = """\
exit codes: 0 every gated check passed; 1 one failed; 2 usage, or the logits disagree with the runtime's public
answers on some state by more than 1e-3, and nothing is trusted; 3 a language could not be asked in full"""


def main(words: Sequence[str]) -> int:
    """Sweep the checks over one checkpoint, and say figures and verdict."""
    options = _parser().parse_args(words)
    # Hydra and the sweep are for this verb alone; the others start without them.
    from laya_sweep.config.compose import compose_jobs
    from laya_sweep.config.settings import build_settings
    from laya_sweep.files.hub import HuggingFaceHub, ResolveOnce
    from laya_sweep.run.console import Console
    from laya_sweep.run.sweep import sweep

    [job] = compose_jobs(["+sweep=presentation", "checkpoint=[]", "executor=inline"], multirun=False)
    config = {key: value for key, value in job.config.items() if key != "hydra"}
    return sweep(build_settings(_filled(config, options)), Console(), ResolveOnce(HuggingFaceHub()))


def _filled(config: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """The composed configuration with the options in it: values, not overrides, so a path may hold any sign."""
    checkpoint = {"source": options.checkpoint, "subfolder": options.subfolder, "revision": options.revision}
    filled = {**config, "checkpoints": {_name(options.checkpoint, options.subfolder): checkpoint}}
    if options.lang:
        filled["languages"] = [code for word in options.lang for code in word.split(",") if code]
    if options.states is not None:
        filled["dataset"] = {**config["dataset"], "path": str(options.states)}
    if options.store is not None:
        filled["store"] = {"uri": str(options.store)}
    if options.out is not None:
        filled["out_dir"] = str(options.out)
    return filled


def _name(source: str, subfolder: str | None) -> str:
    """The last part of where a checkpoint is, as its name."""
    parts = [part for part in re.split(r"[/\\:]", f"{source}/{subfolder or ''}") if part not in ("", ".", "..")]
    return parts[-1] if parts else "checkpoint"


def _parser() -> Arguments:
    parser = Arguments(
        prog="laya_sweep checks",
        description="Known failures of a checkpoint that show without a label (docs/checks.md).",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--checkpoint", required=True, metavar="C", help="a folder or a Hub repository")
    parser.add_argument("--subfolder", metavar="S", help="of the repository")
    parser.add_argument("--revision", metavar="R", help="commit, branch or tag of the repository")
    parser.add_argument("--lang", nargs="+", default=[], metavar="CODE", help="default: every language there is")
    parser.add_argument("--states", type=Path, metavar="FILE", help="states, texts, languages and gates of your own")
    parser.add_argument("--out", type=Path, metavar="DIR", help="tables and reports; default: under outputs/runs")
    parser.add_argument("--store", type=Path, metavar="DIR", help="where logits are kept; default: outputs/store")
    return parser
