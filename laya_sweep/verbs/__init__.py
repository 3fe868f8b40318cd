"""Verbs: what the command line does beside a sweep; torch and Ray are loaded by those that compute, and only then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laya_sweep.verbs import checks, curve, export, gate, import_document, validate, verify

#: name -> what it does with its words; the return value is the exit code.
VERBS: dict[str, Callable[[Sequence[str]], int]] = {
    "checks": checks.main,
    "compare": gate.compare,
    "curve": curve.main,
    "export": export.main,
    "gate": gate.main,
    "import": import_document.main,
    "validate": validate.main,
    "verify": verify.main,
}

__all__ = ["VERBS"]
