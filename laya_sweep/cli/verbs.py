"""The verbs by name; the module of one is imported when it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final

#: name -> the module beside this one and the function in it that takes the verb's words and returns the exit code.
VERBS: Final = {
    "advise": ("advise", "main"),
    "calibrate": ("calibrate", "main"),
    "checks": ("checks", "main"),
    "compare": ("gate", "compare"),
    "curve": ("curve", "main"),
    "export": ("export", "main"),
    "export-onnx": ("export_onnx", "main"),
    "gate": ("gate", "main"),
    "import": ("import_document", "main"),
    "validate": ("validate", "main"),
    "verify": ("verify", "main"),
}


def run_verb(name: str, words: Sequence[str]) -> int:
    """Do what a verb does with its words; the return value is the exit code."""
    module, function = VERBS[name]
    main: Callable[[Sequence[str]], int] = getattr(import_module(f"laya_sweep.cli.{module}"), function)
    return main(words)
