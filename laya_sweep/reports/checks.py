"""The presentation checks for a person: a line each, and report.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.reports.table import cell, figure, table

_VERDICTS = {None: "no gate", True: "pass", False: "FAIL"}


def check_lines(result: ResultReport) -> list[str]:
    """`mine en score_slot0_identical 0.6640 (leave-one-out 0.5200 .. 0.7410) n=60 gate >= -0.2: pass`."""
    checks = result.checks or ()
    lines = [f"{result.checkpoint} {check['language']} {check['check']} {_figure(check)}" for check in checks]
    gated = [check["passed"] for check in checks if check["passed"] is not None]
    kept = f"{sum(gated)} of {len(gated)} gated figures pass" if gated else "no gate applies to these languages"
    failed = [f"{code} failed" for code in result.failed]
    return [*lines, f"{result.checkpoint} checks: {', '.join([kept, *failed])}"]


def checks_markdown(results: Sequence[ResultReport]) -> str:
    """The whole report of a run of checks."""
    parts = ["# Presentation checks"]
    for result in results:
        checks = result.checks or ()
        parts += ["", f"## {result.checkpoint}, {result.regime}, {result.transform}", "", _summary(checks)]
        parts += [f"\n- **{code} failed**: {cell(reason)}" for code, reason in result.failed.items()]
        for check in checks:
            parts += ["", f"### {check['language']}: {check['check']}", "", *_details(check)]
    return "\n".join(parts) + "\n"


def _figure(check: Mapping[str, Any]) -> str:
    if check["value"] is None:
        return f"has no value: {check['reason']}; {_gate(check)}"
    low, high = (check["leave_one_state_out"][name] for name in ("low", "high"))
    return f"{check['value']:.4f} (leave-one-out {low:.4f} .. {high:.4f}) n={check['n']} {_gate(check)}"


def _gate(check: Mapping[str, Any]) -> str:
    verdict = _VERDICTS[check["passed"]]
    return verdict if check["gate"] is None else f"gate {_limits(check['gate'])}: {verdict}"


def _limits(gate: Mapping[str, float]) -> str:
    signs = {"min": ">=", "max": "<="}
    return " and ".join(f"{signs[name]} {limit:g}" for name, limit in gate.items())


def _summary(checks: Sequence[Mapping[str, Any]]) -> str:
    header = ["language", "check", "value", "95% by state", "leave one state out", "n", "gate", "verdict"]
    rows = []
    for check in checks:
        gate = "none" if check["gate"] is None else _limits(check["gate"])
        ranges = (_range(check[name]) for name in ("interval", "leave_one_state_out"))
        value = figure(check["value"]) if check["value"] is not None else f"none: {check['reason']}"
        verdict = _VERDICTS[check["passed"]]
        rows.append([check["language"], check["check"], value, *ranges, str(check["n"]), gate, verdict])
    return table(header, rows)


def _range(limits: Mapping[str, float] | None) -> str:
    return "none" if limits is None else f"[{limits['low']:.4f}, {limits['high']:.4f}]"


def _details(check: Mapping[str, Any]) -> Iterator[str]:
    states = [[str(i), figure(value)] for i, value in enumerate(check["per_state"])]
    yield table(["state", "value"], states)
    yield ""
    rows = [
        [entry["name"], figure(entry["value"]), ", ".join(map(figure, entry["slots"]))]
        for entry in check["per_configuration"]
    ]
    yield table(["configuration", "value", "per slot"], rows)
