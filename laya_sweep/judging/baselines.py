"""Which result is the baseline of which: by name, by names that somebody chose, or the only one there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from laya_sweep.domain.result_key import GatedKey, ResultKey
from laya_sweep.errors import Problem, UsageError, name_list, one_line
from laya_sweep.gates.comparability import same_threshold
from laya_sweep.gates.door import Door
from laya_sweep.gates.scorecard import UNKNOWN, Scorecard
from laya_sweep.judging.opened import HoldsFigures, Opened, OpenResult


class BaselineNames(NamedTuple):
    """Names of the baseline's results where they are others than those of the results; None is the same."""

    checkpoint: str | None = None
    regime: str | None = None
    transform: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """Those that somebody chose."""
        return {name: value for name, value in self._asdict().items() if value is not None}


#: Results are compared with those of their names.
SAME_NAMES: Final = BaselineNames()


class ByCheckpoint(dict[str, HoldsFigures | None]):
    """A baseline for each checkpoint, by its name; None is that it has none."""


#: What results are compared with: one opened thing, or one for each checkpoint; None is that it has none.
Sources: TypeAlias = Opened | Mapping[str, Opened | None]


@dataclass(frozen=True)
class Baselines:
    """What results are compared with.

    Attributes:
        sources: the opened baseline, or baselines by checkpoint.
        names: which of their results.
        languages: those in which they are compared; None for everything that a baseline has.
        door: how advice is spelled.
    """

    sources: Sources
    names: BaselineNames = SAME_NAMES
    languages: tuple[str, ...] | None = None
    door: Door = Door.PYTHON

    def __post_init__(self) -> None:
        problems = [problem for opened in self.opened for problem in self._unknown_names(opened)]
        if problems:
            raise UsageError(*problems)

    @cached_property
    def opened(self) -> list[Opened]:
        """All of them."""
        if isinstance(self.sources, Opened):
            return [self.sources]
        return [opened for opened in self.sources.values() if opened is not None]

    def of(self, result: OpenResult) -> OpenResult | None:
        """What a result is compared with; None for a checkpoint that has no baseline by name.

        Raises:
            UsageError: there is none, or none that could be told from others; it is the result itself.
        """
        opened = self._source(result.name)
        if opened is None:
            return None
        found = self._counterpart(result, opened)
        if result.home is not None and (found.home, found.name) == (result.home, result.name):
            expected = f"another result than {result.name}, or one of another run"
            step = f"name another run, or choose one with {self.door.option('baseline_checkpoint')} and the like"
            raise UsageError(Problem(f"baseline {result.home}", expected, "the result itself", step))
        return found

    def foresee(self, keys: Iterable[GatedKey], home: Path | None) -> None:
        """Refuse before anything is computed what `of` would refuse of the results of a sweep.

        Args:
            keys: what the sweep will make.
            home: the folder that it will be written to.
        """
        expected = [OpenResult(key, _not_there_yet, _not_there_yet, home and home.resolve()) for key in keys]
        if not isinstance(self.sources, Opened):
            known = [*dict.fromkeys(key.result.checkpoint for key in keys)]
            unknown = [name for name in self.sources if name not in known]
            step = "name a checkpoint of this run"
            problems = [
                Problem(self._named(name), f"one of {name_list(known, name)}", "an unknown one", step)
                for name in unknown
            ]
            if problems:
                raise UsageError(*problems)
        for result in expected:
            self.of(result)

    def _source(self, name: GatedKey | str) -> Opened | None:
        if isinstance(self.sources, Opened):
            return self.sources
        checkpoint = name.result.checkpoint if isinstance(name, GatedKey) else name
        if checkpoint not in self.sources:
            expected = f"a baseline of checkpoint {one_line(checkpoint)} beside those of {name_list([*self.sources])}"
            step = f"name it with {self._named(checkpoint)}=RUN_OR_JSON, or null to compare it with nothing"
            raise UsageError(Problem(self._named(checkpoint), expected, "none", step))
        return self.sources[checkpoint]

    def _named(self, checkpoint: str) -> str:
        return f"{self.door.option('baseline')}{' ' if self.door is Door.COMMAND else '.'}{one_line(checkpoint)}"

    def _counterpart(self, result: OpenResult, opened: Opened) -> OpenResult:
        """The only one of the chosen names, else the one of the result's own name beside them.

        A document of others has no such name: an upstream report meets the results at its threshold, or one without
        a threshold the ungated figures, where that leaves one result.
        """
        given = self.names.given
        if not isinstance(self.sources, Opened) and "checkpoint" not in given:
            alone = {own.name.result.checkpoint for own in opened.results if isinstance(own.name, GatedKey)}
            given |= {"checkpoint": alone.pop()} if len(alone) == 1 else {}
        pool = [own for own in opened.results if _has(own, given)]
        wanted = result.name
        if isinstance(wanted, GatedKey):
            wanted = GatedKey(wanted.result._replace(**given), wanted.min_confidence)
        found = pool if len(pool) == 1 else [own for own in pool if own.name == wanted]
        if not found and result.is_upstream:
            threshold = result.card.min_confidence
            if threshold is None or threshold is UNKNOWN:
                found = [*{_result_of(own.name): own for own in reversed(pool)}.values()]
            else:
                found = [own for own in pool if same_threshold(own.card.min_confidence, threshold)]
        if len(found) == 1:
            return found[0]
        known = "; ".join(str(own.name) for own in opened.results)
        raise UsageError(Problem("baseline", f"a result {wanted}", known, self._step()))

    def _step(self) -> str:
        options = ", ".join(self.door.option(f"baseline_{name}") for name in BaselineNames._fields)
        alone = ", or one result: scorecards(baseline)[NAME]" if self.door is Door.PYTHON else ""
        return f"name another baseline, or choose a result of it with {options}{alone}"

    def _unknown_names(self, opened: Opened) -> Iterator[Problem]:
        keys = [own.name.result for own in opened.results if isinstance(own.name, GatedKey)]
        for name, value in self.names.given.items():
            option = self.door.option(f"baseline_{name}")
            known = [*dict.fromkeys(getattr(key, name) for key in keys)]
            if not known:
                got = f"{one_line(opened.name)}, which holds one result"
                yield Problem(option, "a run or its report.json to choose from", got, "drop it")
            elif value not in known:
                expected = f"one of {name_list(known, value)}"
                yield Problem(option, expected, repr(one_line(value)), "name one of them")


def _has(own: OpenResult, given: Mapping[str, str]) -> bool:
    key = own.name.result if isinstance(own.name, GatedKey) else None
    return key is None or all(getattr(key, name) == value for name, value in given.items())


def _result_of(name: GatedKey | str) -> ResultKey | str:
    return name.result if isinstance(name, GatedKey) else name


def _not_there_yet() -> Scorecard:
    raise AssertionError("a result that is yet to be computed has no figures")
