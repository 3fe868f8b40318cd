"""Presentation checks: known failures of a checkpoint that show without a label, read off raw logits.

`CHECKS` holds the checks; their states, texts, languages and gates are a document (`Design`). `read_checks` turns
stored logits into readings, `check_result` those into figures. No model, no Ray: the logits come from an ordinary
sweep over the suite `presentation`.
"""

from laya_sweep.checks.block import Block, Words
from laya_sweep.checks.design import Design, LanguageDesign, bundled_design, parse_design, read_design
from laya_sweep.checks.evaluation import Readings, read_checks
from laya_sweep.checks.figure import CheckResult, Figure, check_result, figure_of
from laya_sweep.checks.gates import Gates, Limits, only, overlaid, parse_gates, policy_rules
from laya_sweep.checks.probe import Probe, Reading
from laya_sweep.checks.registry import CHECKS, Check

__all__ = [
    "CHECKS",
    "Block",
    "Check",
    "CheckResult",
    "Design",
    "Figure",
    "Gates",
    "LanguageDesign",
    "Limits",
    "Probe",
    "Reading",
    "Readings",
    "Words",
    "bundled_design",
    "check_result",
    "figure_of",
    "only",
    "overlaid",
    "parse_design",
    "parse_gates",
    "policy_rules",
    "read_checks",
    "read_design",
]
