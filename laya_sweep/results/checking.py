"""The presentation checks of a run: from its stored logits to figures, rows of the metrics table, and gate rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from laya_sweep.domain.slices import OVERALL, SlicePlace
from laya_sweep.errors import ConfigError, Problem
from laya_sweep.metrics.bootstrap import REPLICATES
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.results.check_figure import CheckResult, check_result, figure_of
from laya_sweep.results.check_readings import read_checks
from laya_sweep.results.rows import PlaceRows
from laya_sweep.suites.check_design import Design
from laya_sweep.suites.check_gates import CheckLimits, only, overlaid, parse_gates, policy_rules


class Checking:
    """What a run is asked, and by which limits it is judged."""

    def __init__(self, design: Design, languages: Sequence[str], gates: Mapping[str, Any]) -> None:
        """The design's gates for the languages of the run, with those of the configuration laid over them.

        Raises:
            ConfigError: gates of the configuration that cannot mean anything.
        """
        problems: list[Problem] = []
        own = parse_gates(gates, "gate.checks", problems)
        if problems:
            raise ConfigError(*problems)
        self._design, self._languages = design, languages
        self._gates: Mapping[str, Mapping[str, CheckLimits]] = overlaid(only(design.gates, languages), own)

    def rules(self) -> list[dict[str, Any]]:
        """The gates as rules of a policy: a language that failed or was never asked keeps none of them."""
        return [rule for code, own in self._gates.items() for rule in policy_rules(code, own, self._readings(code))]

    def results(self, cells: Iterable[PlaceRows], replicates: int = REPLICATES) -> list[CheckResult]:
        """Every check of every language of one checkpoint, languages in the order asked for."""
        found = {rows.expected.language: rows for rows in cells}
        return [
            check_result(readings, self._gates.get(language, {}).get(readings.check), replicates)
            for language in self._languages
            if language in found
            for readings in read_checks(language, self._design.languages[language], *_stored(found[language]))
        ]

    def _readings(self, language: str) -> dict[str, int]:
        """How many readings each check's figure is over; none for a language that the design lacks."""
        design = self._design.languages.get(language)
        if design is None:
            return {}
        return {check: len(probes) * len(design.states) for check, probes in design.probes.items()}


def check_rows(model: str | None, results: Sequence[CheckResult], replicates: int = REPLICATES) -> list[MetricRow]:
    """Rows of the metrics table: each check by language, overall (pooled over languages), and by model.

    Args:
        model: who answered; None where several did, of which a check over all its states is no figure of any.
        results: of one checkpoint.
    """
    rows = []
    for check in dict.fromkeys(result.readings.check for result in results):
        own = [result for result in results if result.readings.check == check]
        pooled = figure_of([result.readings for result in own], replicates)
        rows.append(pooled.row(OVERALL))
        rows += [] if model is None else [pooled.row(SlicePlace("model", model))]
        rows += [result.figure.row(SlicePlace("language", result.readings.language)) for result in own]
    return rows


def _stored(rows: PlaceRows) -> tuple[Any, dict[str, int]]:
    return rows.facts, {case.case_id: case.row_index for case in rows.expected.cases}
