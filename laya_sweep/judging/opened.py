"""Anything that holds figures, opened: the one reader of gates, for the command, a sweep and Python alike.

A run's folder and the report.json that lies in it beside its tables are the run. A copy of that file elsewhere, or its
value, is what it holds: figures without the rows behind them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

from laya_sweep.documents.result_report import is_report, report_scorecards, ungated_scorecards
from laya_sweep.documents.scorecards import scorecard_of
from laya_sweep.domain.result_key import GatedKey
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.json_file import read_json
from laya_sweep.gates.comparability import UPSTREAM_SCHEMAS
from laya_sweep.gates.door import Door
from laya_sweep.gates.scorecard import UNKNOWN, Scorecard
from laya_sweep.judging.run_cards import exported_scorecard, result_scorecards
from laya_sweep.store.stored_run import StoredRun


class Judgeable(ABC):
    """What has figures of its own to judge, and a report of upstream's kind: an `Evaluation`."""

    name: str

    @property
    @abstractmethod
    def scorecard(self) -> Scorecard:
        """What gates ask about it."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Its report."""


#: A run (its folder or `StoredRun`), an `Evaluation`, a scorecard, a report or map of figures (values or the path of
#: a JSON file).
HoldsFigures: TypeAlias = StoredRun | Judgeable | Scorecard | Mapping[str, Any] | Path | str


@dataclass(frozen=True)
class OpenResult:
    """One result to judge, or to judge by.

    Attributes:
        name: among the results of what was opened; that of a run is a key.
        own: makes its scorecard; called when it is asked for, since intervals take a while.
        report: makes the scorecard that meets an upstream report: of what it exports as one, else of its figures
            without a threshold. None for what has no other figures than its own.
        home: the folder of the run that it belongs to.
    """

    name: GatedKey | str
    own: Callable[[], Scorecard]
    report: Callable[[], Scorecard] | None = None
    home: Path | None = None

    @cached_property
    def card(self) -> Scorecard:
        """Its own scorecard."""
        return self.own()

    @property
    def is_upstream(self) -> bool:
        """Whether it is a report of upstream's kind; what exports one is not."""
        return self.report is None and not self.card.ours and self.card.identity.get("schema") in UPSTREAM_SCHEMAS

    def facing(self, other: OpenResult) -> Scorecard:
        """The card to hold against another.

        Against an upstream report that is the card of the same kind of report, so the rounded side decides the
        rounding. Such a report has no figures of thresholds: against one without a threshold a result of a run stands
        for what it is before any, against others for its own.
        """
        if self.report is None or not other.is_upstream:
            return self.card
        met, threshold = self.report(), other.card.min_confidence
        if isinstance(self.name, GatedKey) and threshold is not None and threshold is not UNKNOWN:
            met = replace(met, min_confidence=self.card.min_confidence)
        return replace(met, name=self.card.name)


@dataclass(frozen=True)
class Opened:
    """What was opened: at least one result, and the options that chose among several of its document."""

    name: str
    results: tuple[OpenResult, ...]
    selectors: frozenset[str] = frozenset()


def open_figures(given: HoldsFigures, role: str, *, model: str | None = None, branch: str | None = None) -> Opened:
    """All results of anything that holds figures.

    Args:
        given: as `HoldsFigures` says.
        role: what it is ("candidate", "baseline"), for messages.
        model, branch: which results, of a published document that holds several.

    Raises:
        UsageError: it cannot be read, holds no figures, or a model or branch has to be named.
    """
    if isinstance(given, Judgeable):
        name = given.name
        report = cache(lambda: scorecard_of(given.document(), role, name=name))
        return Opened(name, (OpenResult(name, lambda: given.scorecard, report),))
    if isinstance(given, Scorecard):
        return _of_card(given)
    if isinstance(given, StoredRun):
        return _of_run(given, role)
    if not isinstance(given, Path | str):
        return _of_document(given, role, role, model, branch)
    path = Path(given)
    if path.is_dir() or (path.name == "report.json" and path.with_name("metrics.parquet").is_file()):
        return _of_run(StoredRun.open(path if path.is_dir() else path.parent), role)
    document = read_json(path, role, any_number=True)
    return _of_document(document, f"{role} {one_line(path)}", str(path), model, branch)


def refuse_idle(opened: Iterable[Opened], model: str | None, branch: str | None, door: Door = Door.PYTHON) -> None:
    """Refuse an option that went nowhere.

    Raises:
        UsageError: a model or branch that no document has a place for.
    """
    used = frozenset[str]().union(*(one.selectors for one in opened))
    for name, value in (("model", model), ("branch", branch)):
        if value is not None and f"--{name}" not in used:
            expected = "a published document with several to choose from"
            raise UsageError(Problem(door.option(name), expected, f"{value!r} for others", f"drop {door.option(name)}"))


def _of_run(run: StoredRun, role: str) -> Opened:
    results = []
    for result in run.results:
        report = cache(partial(exported_scorecard, result)) if run.imported is None else None
        home = run.folder.resolve()
        results += [_kept(key, card, report, home) for key, card in result_scorecards(result).items()]
    if not results:
        raise UsageError(Problem(f"{role} {run.folder}", "a run with results", "none", "name another run"))
    return Opened(str(run.folder), tuple(results))


def _of_document(document: Any, what: str, name: str, model: str | None, branch: str | None) -> Opened:  # noqa: ANN401
    if not is_report(document):
        return _of_card(scorecard_of(document, what, name=name, model=model, branch=branch))
    ungated = cache(partial(ungated_scorecards, document, name))
    cards = report_scorecards(document, name).items()
    return Opened(
        name, tuple(_kept(key, card, partial(lambda result: ungated()[result], key.result)) for key, card in cards)
    )


def _of_card(card: Scorecard) -> Opened:
    return Opened(card.name, (_kept(card.name, card),), card.selectors)


def _kept(
    name: GatedKey | str, card: Scorecard, report: Callable[[], Scorecard] | None = None, home: Path | None = None
) -> OpenResult:
    return OpenResult(name, lambda: card, report, home)
