"""The command line: a verb, or Hydra overrides for a sweep; the console script `laya-sweep` is the same."""

from __future__ import annotations

import dataclasses
import signal
import sys
from collections.abc import Sequence
from importlib import metadata
from types import FrameType

HELP = """\
usage: python -m laya_sweep [-m] [OVERRIDE ...]
       python -m laya_sweep VERB ...

Sweep Laya checkpoints over languages, temperature regimes and confidence thresholds.
Raw logits are stored once; every regime and threshold is derived from them.

  python -m laya_sweep                           the bundled demo sweep, no network
  python -m laya_sweep +sweep=all_langs          51 languages x [english, multilingual] x [served, raw]
  python -m laya_sweep +sweep=all_langs dataset.path=DIR \\
      'checkpoint=[]' +checkpoints.mine.source=FOLDER languages=[en,de] out_dir=OUT
  python -m laya_sweep -m min_confidence=0.0,0.5,0.7,0.9 ...     one run after the other
  python -m laya_sweep dataset=jsonl dataset.path=FILE           a labelled set, questions of all types
  python -m laya_sweep dataset=table dataset.path=FILE dataset.text=COLUMN dataset.label=COLUMN    CSV, TSV, ...
  python -m laya_sweep +sweep=presentation                       the presentation checks
  python -m laya_sweep ... dry_run=true                          the plan: cells, forwards, what is cached

verbs (VERB --help says more):
  checks --checkpoint C    presentation checks of a checkpoint: position priors, label words; no labels needed
  gate RUN ...     thresholds, a policy or a baseline on the results of a run
  compare RUN_OR_JSON --baseline RUN_OR_JSON    drift against a baseline, within tolerances
  advise RUN --target-accuracy A --out FILE   the lowest min_confidence of each bucket that reaches an accuracy
  calibrate RUN --out MAP.json                a calibration map fitted on a run's logits, judged on held-out rows
  curve RUN ...    precision over coverage at the min_confidences of runs, or of a multirun
  export RUN --format laya-eval|laya-evals|laya-metamorphic    one result as a document that other tools read
  export-onnx CHECKPOINT OUT [--int8]         a checkpoint as an ONNX file, checked against torch
  import FILE --out DIR                       a published document with cases, as the tables of a run
  verify RUN_OR_JSON --against FILE           per-language figures against published ones, cell by cell
  validate FILE    a labelled JSONL file: what is in it, or every fault; --template prints an example

options:
  -m, --multirun   run the product of comma-separated values; logits are shared
  --cfg            print the composed configuration and stop
  --version        print the version and stop
  -h, --help       print this and stop

exit codes: 0 done and every gate passed, 1 a gate failed or a mismatch, 2 usage or broken parity, 3 incomplete,
  130 interrupted
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; a user's mistake is one line, never a traceback."""
    from laya_sweep.errors import SweepError, exit_code

    given = list(sys.argv[1:] if arguments is None else arguments)
    is_verb = bool(given) and not given[0].startswith("-") and "=" not in given[0]
    if not is_verb and ("-h" in given or "--help" in given):
        from laya_sweep.config.help import option_lines

        sys.stdout.write(f"{HELP}\n{option_lines()}")
        return 0
    if "--version" in given:
        sys.stdout.write(f"laya-sweep {metadata.version('laya-sweep')}\n")
        return 0
    signal.signal(signal.SIGTERM, _terminate)
    try:
        return _verb(given[0], given[1:]) if is_verb else _sweep(given)
    except SweepError as error:
        for line in str(error).splitlines():
            sys.stderr.write(f"error: {line}\n")
        return exit_code(error)
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped before anything was computed\n")
        return 130


def _verb(name: str, words: Sequence[str]) -> int:
    from laya_sweep.cli.verbs import VERBS, run_verb
    from laya_sweep.errors import Problem, UsageError, name_list

    if name not in VERBS:
        expected = f"a verb ({name_list(sorted(VERBS), name)}) or an override key=value"
        raise UsageError(Problem(repr(name), expected, "neither", "see --help"))
    return run_verb(name, words)


def _sweep(given: Sequence[str]) -> int:
    from laya_sweep.config.compose import compose_jobs, to_yaml
    from laya_sweep.config.settings import build_settings
    from laya_sweep.errors import ConfigError, Problem, combine_exit_codes

    multirun = "-m" in given or "--multirun" in given
    overrides = [argument for argument in given if argument not in ("-m", "--multirun", "--cfg")]
    if unknown := [argument for argument in overrides if argument.startswith("-") or "=" not in argument]:
        known = "an override key=value, or one of -m, --multirun, --cfg, --version, --help"
        raise ConfigError(*(Problem(repr(word), known, "neither", "see --help") for word in unknown))
    jobs = compose_jobs(overrides, multirun=multirun)
    settings = [build_settings({key: value for key, value in job.config.items() if key != "hydra"}) for job in jobs]
    if "--cfg" in given:
        sys.stdout.write("---\n".join(to_yaml(job.config) for job in jobs))
        return 0

    from laya_sweep.files.hub import HuggingFaceHub, ResolveOnce
    from laya_sweep.run.console import Console
    from laya_sweep.run.sweep import sweep

    console, hub, codes = Console(), ResolveOnce(HuggingFaceHub()), []
    for index, (job, one) in enumerate(zip(jobs, settings, strict=True)):
        if len(jobs) > 1:
            console.note(f"job {index + 1} of {len(jobs)}: {' '.join(job.overrides)}")
            one = dataclasses.replace(one, out_dir=one.out_dir / str(index) if one.out_dir else None)
        codes.append(sweep(one, console, hub))
    return combine_exit_codes(codes)


def _terminate(_: int, __: FrameType | None) -> None:
    """SIGTERM, as `ray job stop` and cluster managers send it, ends a run as Ctrl-C does."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
