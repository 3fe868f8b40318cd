"""The first step of a sweep: settings -> everything that will run, read and checked. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from laya_sweep.calibration.overlap import refuse_fitted_rows
from laya_sweep.checkpoints.checkpoint import locate_all
from laya_sweep.checkpoints.routed import locate_routers
from laya_sweep.domain.calibration_map import map_of, overrides_of
from laya_sweep.domain.regime import Regime
from laya_sweep.domain.result_key import GatedKey, ResultKey
from laya_sweep.domain.settings import RegimeSettings, Settings
from laya_sweep.files.atomic import require_writable
from laya_sweep.files.hub import Hub
from laya_sweep.judging.gate import Gate
from laya_sweep.judging.preparation import prepare_gate, with_rules
from laya_sweep.results.checking import Checking
from laya_sweep.run.plan import Plan, make_plan
from laya_sweep.store.facts import FactStore
from laya_sweep.suites.language import build_languages
from laya_sweep.suites.presentation import PresentationSuite
from laya_sweep.suites.suite import Suite, make_suite


@dataclass(frozen=True, slots=True)
class Planned:
    """A sweep before it starts.

    `languages` are those that were asked for; `checking` is None but for the presentation checks.
    """

    settings: Settings
    suite: Suite
    languages: tuple[str, ...]
    plan: Plan
    regimes: Mapping[str, Regime]
    checking: Checking | None
    gate: Gate
    store: FactStore

    @property
    def keys(self) -> list[ResultKey]:
        """Every result, in the order of the report."""
        return [
            ResultKey(name, transform.name, regime)
            for name in self.plan.results
            for transform in self.settings.transforms
            for regime in self.regimes
        ]


def plan_sweep(settings: Settings, hub: Hub) -> Planned:
    """Read and check all that a sweep needs, and plan it.

    Raises:
        UsageError: the request cannot be run.
    """
    require_writable(settings.store.uri, "store.uri")
    if settings.out_dir is not None:
        require_writable(settings.out_dir, "out_dir")
    gate = prepare_gate(settings.gate, settings.baseline)
    store = FactStore(settings.store.uri)
    suite = make_suite(settings.dataset, hub)
    checkpoints = locate_all(settings.checkpoints, hub)
    asked = suite.languages(settings.languages)
    checking = None
    if isinstance(suite, PresentationSuite):
        checking = Checking(suite.design, asked, settings.gate.checks)
        gate = with_rules(gate, checking.rules())
    languages = build_languages(suite, asked)
    cases = [case for language in languages for case in language.cases]
    routers = locate_routers(settings.routers, cases, checkpoints, hub)
    plan = make_plan(settings, checkpoints, languages, store, routers)
    refuse_fitted_rows(settings.regimes, languages)
    regimes = {regime.name: _regime(regime) for regime in settings.regimes}
    planned = Planned(settings, suite, asked, plan, regimes, checking, gate, store)
    thresholds = settings.min_confidence or (None,)
    gate.foresee([GatedKey(key, value) for key in planned.keys for value in thresholds], settings.out_dir)
    return planned


def _regime(settings: RegimeSettings) -> Regime:
    calibration = None if settings.document is None else map_of(settings.document)
    languages = {} if settings.lang_temperatures is None else overrides_of(settings.lang_temperatures)
    return Regime(settings.name, settings.kind, settings.temperature, calibration, languages)
