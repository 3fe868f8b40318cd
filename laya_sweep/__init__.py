"""laya_sweep: sweep Laya checkpoints over languages, regimes and thresholds, and judge what comes out.

The rooms, in the direction data flows:

    conf -> plan -> suites -> transforms -> engines in actors -> store      facts: raw logits, Parquet
       reports <- gates <- metrics <- scoring (regimes) <-------------      derived: recomputed any time

Importing this package imports nothing: each name below is looked up in its room when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from laya_sweep.errors import (
        CheckpointError,
        DatasetError,
        IncompleteError,
        ParityError,
        Problem,
        QualityError,
        SweepError,
        UsageError,
    )
    from laya_sweep.evaluation import (
        ByKnockout,
        ByShortlist,
        Evaluation,
        LoadedEngine,
        evaluate,
        file_fingerprint,
        open_engine,
        questions_fingerprint,
    )
    from laya_sweep.gates import (
        EVALS_SCHEMA,
        POLICY_VERSION,
        VERDICT_SCHEMA,
        Policy,
        Scorecard,
        Thresholds,
        Verdict,
        read_policy,
    )
    from laya_sweep.metrics import COVERAGE_METRIC_DEFINITION, MetricRow
    from laya_sweep.store import SCHEMA_VERSION
    from laya_sweep.stored_run import REPORT_SCHEMA, StoredRun
    from laya_sweep.suites import LabelledSet, read_labelled
    from laya_sweep.verdicts import assert_no_regression, compare, judge, scorecards

__all__ = [
    "COVERAGE_METRIC_DEFINITION",
    "EVALS_SCHEMA",
    "POLICY_VERSION",
    "REPORT_SCHEMA",
    "SCHEMA_VERSION",
    "VERDICT_SCHEMA",
    "ByKnockout",
    "ByShortlist",
    "CheckpointError",
    "DatasetError",
    "Evaluation",
    "IncompleteError",
    "LabelledSet",
    "LoadedEngine",
    "MetricRow",
    "ParityError",
    "Policy",
    "Problem",
    "QualityError",
    "Scorecard",
    "StoredRun",
    "SweepError",
    "Thresholds",
    "UsageError",
    "Verdict",
    "assert_no_regression",
    "compare",
    "evaluate",
    "file_fingerprint",
    "judge",
    "open_engine",
    "questions_fingerprint",
    "read_labelled",
    "read_policy",
    "scorecards",
]

_ROOMS = {
    "errors": (
        "CheckpointError",
        "DatasetError",
        "IncompleteError",
        "ParityError",
        "Problem",
        "QualityError",
        "SweepError",
        "UsageError",
    ),
    "evaluation": (
        "ByKnockout",
        "ByShortlist",
        "Evaluation",
        "LoadedEngine",
        "evaluate",
        "file_fingerprint",
        "open_engine",
        "questions_fingerprint",
    ),
    "gates": (
        "EVALS_SCHEMA",
        "POLICY_VERSION",
        "VERDICT_SCHEMA",
        "Policy",
        "Scorecard",
        "Thresholds",
        "Verdict",
        "read_policy",
    ),
    "metrics": ("COVERAGE_METRIC_DEFINITION", "MetricRow"),
    "store": ("SCHEMA_VERSION",),
    "stored_run": ("REPORT_SCHEMA", "StoredRun"),
    "suites": ("LabelledSet", "read_labelled"),
    "verdicts": ("assert_no_regression", "compare", "judge", "scorecards"),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}

if not TYPE_CHECKING:  # a type checker reads the imports above, and complains of any other name

    def __getattr__(name: str) -> object:
        """A public name, from its room."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
