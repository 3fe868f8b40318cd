"""The verbs by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from laya_sweep.cli import (
    advise,
    calibrate,
    checks,
    curve,
    export,
    export_onnx,
    gate,
    import_document,
    validate,
    verify,
)

#: name -> what it does with its words; the return value is the exit code.
VERBS: dict[str, Callable[[Sequence[str]], int]] = {
    "advise": advise.main,
    "calibrate": calibrate.main,
    "checks": checks.main,
    "compare": gate.compare,
    "curve": curve.main,
    "export": export.main,
    "export-onnx": export_onnx.main,
    "gate": gate.main,
    "import": import_document.main,
    "validate": validate.main,
    "verify": verify.main,
}
