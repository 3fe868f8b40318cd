"""The third step: what was inferred -> results, each of them a function of its own values alone.

A task holds everything that one result is derived from, so that tasks may run in any order and anywhere.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from laya_sweep.checkpoints.route_counts import route_counts
from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.regime import Regime
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.thresholds import MinConfidence
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.results.check_figure import CheckResult
from laya_sweep.results.checking import Checking, check_rows
from laya_sweep.results.curves import curve_rows
from laya_sweep.results.decisions import is_served
from laya_sweep.results.figures import summarise_result
from laya_sweep.results.pairs import compared_pairs, pair_results, robustness_rows
from laya_sweep.results.rows import RowError
from laya_sweep.results.truncation import truncation_rows
from laya_sweep.run.places import Inferred, ScoredPlace
from laya_sweep.run.planning import Planned
from laya_sweep.store.schemas import CURVES, DECISIONS
from laya_sweep.transforms.registry import not_applicable


@dataclass(frozen=True, slots=True)
class FigureRules:
    """What figures every result gets."""

    languages: tuple[str, ...]
    min_confidence: tuple[MinConfidence, ...]
    score_within: tuple[float, ...]
    replicates: int
    checking: Checking | None


@dataclass(frozen=True, slots=True)
class ResultTask:
    """Everything that one result is derived from.

    Attributes:
        places: of its checkpoint and transform, in any order.
        served: who answers -> bucket -> the temperature that the runtime applies.
        pairs: its own, which a baseline has none of.
        compared: the pairs that its robustness figures are over, None where there are none.
        unbuilt: languages that could not be asked, with the reason.
        routes: as a report counts them; None of a named checkpoint.
        not_applicable: questions that its transform leaves out.
    """

    key: ResultKey
    regime: Regime
    places: tuple[ScoredPlace, ...]
    served: Mapping[str, Mapping[str, float]]
    pairs: pa.Table | None
    compared: pa.Table | None
    unbuilt: Mapping[str, str]
    routes: Mapping[str, Mapping[str, Any]] | None
    not_applicable: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class DerivedResult:
    """One result: its report, and its rows of the tables."""

    key: ResultKey
    report: ResultReport
    decisions: pa.Table
    curves: pa.Table
    pairs: pa.Table | None


def result_tasks(planned: Planned, inferred: Inferred) -> list[ResultTask]:
    """A task for each result, in the order of the report."""
    plan = planned.plan
    decisions: dict[ResultKey, dict[str, pa.Table]] = {}
    for place in inferred.places:
        own = place.rows.expected
        for regime, table in place.decisions.items():
            decisions.setdefault(ResultKey(own.checkpoint, own.transform, regime), {})[own.language] = table
    pairs = pair_results(planned.keys, decisions, [place.rows for place in inferred.places])
    compared = compared_pairs(pairs)
    cases = [case for language in plan.languages for case in language.cases]
    left_out = {
        transform.name: tuple(entry._asdict() for entry in not_applicable(transform.name, cases))
        for transform in planned.settings.transforms
    }
    routes = {router.name: route_counts(router.routes.values()) for router in plan.routers}
    return [
        ResultTask(
            key=key,
            regime=planned.regimes[key.regime],
            places=tuple(
                place
                for place in inferred.places
                if (place.rows.expected.checkpoint, place.rows.expected.transform) == (key.checkpoint, key.transform)
            ),
            served={
                model: {fact.bucket: fact.served for fact in inferred.temperatures[entry.name]}
                for model, entry in plan.results[key.checkpoint].items()
            },
            pairs=pairs.get(key),
            compared=compared.get(key),
            unbuilt=plan.failed_languages,
            routes=routes.get(key.checkpoint),
            not_applicable=left_out[key.transform],
        )
        for key in planned.keys
    ]


def derive_result(task: ResultTask, rules: FigureRules) -> DerivedResult:
    """The figures, curves and report of one result."""
    ran = {place.rows.expected.language: place for place in task.places if place.failure is None}
    tables = {code: ran[code].decisions[task.regime.name] for code in sorted(ran)}
    decisions = pa.concat_tables([DECISIONS.empty_table(), *tables.values()])
    checks: list[CheckResult] | None = None
    rows: list[MetricRow]
    if rules.checking is None:
        rows = summarise_result(decisions, rules.languages, rules.min_confidence, rules.score_within, rules.replicates)
        rows += truncation_rows([place.rows for place in ran.values()])
    else:
        checks = rules.checking.results((place.rows for place in ran.values()), rules.replicates)
        answered = next(iter(task.served)) if len(task.served) == 1 else None
        rows = check_rows(answered, checks, rules.replicates)
    if task.compared is not None:
        rows += robustness_rows(task.compared, rules.languages, rules.replicates)
    errors: list[RowError] = sorted(error for place in task.places for error in place.rows.errors)
    failures = {place.rows.expected.language: place.failure for place in task.places if place.failure is not None}
    report = ResultReport(
        checkpoint=task.key.checkpoint,
        transform=task.key.transform,
        regime=task.key.regime,
        asked=rules.languages,
        failed=dict(sorted({**task.unbuilt, **failures}.items())),
        errored=tuple(dataclasses.asdict(error) for error in errors),
        temperatures={code: _applied(table) for code, table in tables.items()},
        routes=task.routes,
        rows=tuple(rows),
        not_applicable=task.not_applicable,
        checks=None if checks is None else tuple(result.document() for result in checks),
        served=task.regime.kind != "map" and is_served(decisions, task.served),
    )
    curves = curve_rows(task.key, decisions) if ran else CURVES.empty_table()
    return DerivedResult(task.key, report, decisions, curves, task.pairs)


def derive(planned: Planned, inferred: Inferred) -> list[DerivedResult]:
    """Every result, one after the other."""
    settings = planned.settings
    metrics = settings.metrics
    rules = FigureRules(
        planned.languages, settings.min_confidence, metrics.score_within, metrics.replicates, planned.checking
    )
    return [derive_result(task, rules) for task in result_tasks(planned, inferred)]


def _applied(decisions: pa.Table) -> dict[str, float]:
    """Temperatures in force by where they came from; of a routed checkpoint by who answered and that."""
    names = ("checkpoint", "model", "temperature_source", "temperature")
    rows = set(zip(*(decisions[name].to_pylist() for name in names), strict=True))
    return {
        source if model == checkpoint else f"{model} {source}": value
        for checkpoint, model, source, value in sorted(rows)
    }
