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
from laya_sweep.results.alike import alike_row, baseline_alike
from laya_sweep.results.check_figure import CheckResult
from laya_sweep.results.checking import Checking, check_rows
from laya_sweep.results.curves import curve_rows
from laya_sweep.results.decisions import is_served
from laya_sweep.results.figures import summarise_result
from laya_sweep.results.pairs import baseline_of, compared_pairs, pair_results, robustness_rows
from laya_sweep.results.rows import RowError
from laya_sweep.results.survivors import withheld
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
        alike: the baseline's decisions on its questions, None where it was asked all of them.
        failed: languages without figures, with the reason.
        unpaired: languages that some compared pairs are missing of, because one of their sides failed.
        routes: as a report counts them; None of a named checkpoint.
        not_applicable: questions that its transform leaves out.
    """

    key: ResultKey
    regime: Regime
    places: tuple[ScoredPlace, ...]
    served: Mapping[str, Mapping[str, float]]
    pairs: pa.Table | None
    compared: pa.Table | None
    alike: pa.Table | None
    failed: Mapping[str, str]
    unpaired: frozenset[str]
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
    failed = _failures(planned, inferred)
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
            alike=baseline_alike(decisions.get(baseline_of(key), {}), decisions.get(key, {})),
            failed=failed[key],
            unpaired=_unpaired(key, failed),
            routes=routes.get(key.checkpoint),
            not_applicable=left_out[key.transform],
        )
        for key in planned.keys
    ]


def _failures(planned: Planned, inferred: Inferred) -> dict[ResultKey, dict[str, str]]:
    """By result the languages without figures, in order: those that could not be asked and those that broke."""
    failed: dict[ResultKey, dict[str, str]] = {}
    for key in planned.keys:
        own = {
            place.rows.expected.language: place.failure
            for place in inferred.places
            if place.failure is not None
            and (place.rows.expected.checkpoint, place.rows.expected.transform) == (key.checkpoint, key.transform)
        }
        failed[key] = dict(sorted({**planned.plan.failed_languages, **own}.items()))
    return failed


def _unpaired(key: ResultKey, failed: Mapping[ResultKey, Mapping[str, str]]) -> frozenset[str]:
    """A baseline is compared with all its transforms, a transform with the baseline."""
    before = baseline_of(key)
    sides = [one for one in failed if baseline_of(one) == before] if key == before else [key, before]
    return frozenset(code for side in sides for code in failed[side])


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
    rows = withheld(rows, task.failed, len(rules.languages))
    if task.compared is not None:
        compared = robustness_rows(task.compared, rules.languages, rules.replicates)
        rows += withheld(compared, task.unpaired, len(rules.languages))
    if task.alike is not None and rules.checking is None:
        beside = summarise_result(
            task.alike, rules.languages, rules.min_confidence, rules.score_within, rules.replicates
        )
        rows += map(alike_row, withheld(beside, task.unpaired, len(rules.languages)))
    errors: list[RowError] = sorted(error for place in task.places for error in place.rows.errors)
    report = ResultReport(
        checkpoint=task.key.checkpoint,
        transform=task.key.transform,
        regime=task.key.regime,
        asked=rules.languages,
        failed=dict(task.failed),
        errored=tuple(dataclasses.asdict(error) for error in errors),
        temperatures={code: _applied(table) for code, table in tables.items()},
        routes=task.routes,
        rows=tuple(rows),
        not_applicable=task.not_applicable,
        checks=None if checks is None else tuple(result.document() for result in checks),
        served=task.regime.kind != "map" and is_served(decisions, task.served),
    )
    curves = curve_rows(task.key, decisions, whole=not task.failed) if ran else CURVES.empty_table()
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
