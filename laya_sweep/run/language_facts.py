"""What is known of the data of each language: its script, whom the router would ask, and what it is short of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from laya_sweep.checkpoints.route_table import router_of
from laya_sweep.domain.question import option_count
from laya_sweep.domain.settings import DatasetSettings, RouterSettings
from laya_sweep.suites.language import Language

#: Cases of a language that are looked at; a script shows in far fewer.
_LOOKED_AT: Final = 200

_MOST_NAMES: Final = 10


@dataclass(frozen=True, slots=True)
class LanguageFacts:
    """Of the first cases of a language: how many states are in each script, and go to each name of the router."""

    scripts: Mapping[str, int]
    routers: Mapping[str, int]

    def document(self) -> dict[str, dict[str, int]]:
        """As JSON values."""
        return {"scripts": dict(self.scripts), "router_choice": dict(self.routers)}


def language_facts(languages: Iterable[Language]) -> dict[str, LanguageFacts]:
    """By code, as the runtime reads the states; a language that could not be read has none.

    The router is the runtime's own, which knows its published checkpoints alone: a named checkpoint of the run answers
    every case whatever it says.
    """
    from laya.lang import analyse

    router = router_of(RouterSettings("", ()))
    found = {}
    for language in languages:
        cases = language.cases[:_LOOKED_AT]
        scripts = Counter(str(analyse(case.state)["script"]) for case in cases)
        routers = Counter(str(router.route(case.state, case.questions).model) for case in cases)
        if cases:
            found[language.code] = LanguageFacts(_counted(scripts), _counted(routers))
    return found


def shares(counts: Mapping[str, int]) -> str:
    """`latin`, or `han 150, latin 50` where there are several."""
    return next(iter(counts)) if len(counts) == 1 else ", ".join(f"{name} {count}" for name, count in counts.items())


def short_data(settings: DatasetSettings, languages: Sequence[Language]) -> Iterator[str]:
    """A line where languages have fewer rows, or their questions fewer options, than were asked for."""
    built = [language for language in languages if language.error is None]
    if settings.per_lang is not None:
        few = {one.code: len(one.cases) for one in built if len(one.cases) < settings.per_lang}
        if few:
            yield f"{_some(few, built)} fewer rows than per_lang={settings.per_lang}: {_listed(few)}"
    if settings.n_opts:
        most = {one.code: _most_options(one) for one in built if one.cases}
        few = {code: count for code, count in most.items() if count < settings.n_opts}
        if few:
            yield f"{_some(few, built)} fewer options than n_opts={settings.n_opts}: {_listed(few)}"


def _most_options(language: Language) -> int:
    return max(option_count(question) for case in language.cases for question in case.questions.values())


def _some(few: Mapping[str, int], built: Sequence[Language]) -> str:
    return f"{len(few)} of {len(built)} languages {'has' if len(few) == 1 else 'have'}"


def _listed(few: Mapping[str, int]) -> str:
    shown = ", ".join(f"{code or '-'} {count}" for code, count in [*few.items()][:_MOST_NAMES])
    return shown + (f" and {len(few) - _MOST_NAMES} more" if len(few) > _MOST_NAMES else "")


def _counted(counts: Counter[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
