"""A published per-language document of any of the three shapes as a scorecard, with the macro figures of `summary`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from laya_sweep.documents.language_table import LanguageEntries, language_entries
from laya_sweep.domain.slices import MACRO, OVERALL, SlicePlace
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.gates.comparability import ALL_OPTIONS_KEY, narrowing_identity
from laya_sweep.gates.scorecard import Count, FigureKey, Figures, Scorecard
from laya_sweep.store.stored_run import NARROWED_SCHEMAS

#: The published name of a figure, and ours. The published macro-F1 is over slots.
FIGURE_NAMES: Final[Mapping[str, str]] = {
    "accuracy": "choice_accuracy",
    "macro_f1": "macro_f1_slot",
    "ece": "ece",
    "mean_confidence": "mean_confidence",
    "acc_at_50_coverage": "acc_at_50_coverage",
}
_SUMMARY_NAMES: Final[Mapping[str, str]] = {
    "macro_accuracy": "choice_accuracy",
    "macro_ece": "ece",
    "macro_f1": "macro_f1_slot",
}


def published_scorecard(
    document: Mapping[str, Any], what: str, name: str, model: str | None = None, branch: str | None = None
) -> Scorecard:
    """The document's figures by language, under our names, and its macro figures where it says it is complete.

    A comparison with it goes over the macro and every language. It has overall figures only where it has one
    language, whose figures they are: the mean over languages is not the figure of all their cases.

    Args:
        document: as `has_languages` accepts.
        what: its name in complaints.
        name: its name in verdicts.
        model, branch: which of several, in the shapes that hold several; may be left out where there is one.

    Raises:
        UsageError: there are no languages to find, a model or branch has to be named, or a figure is no finite
            number: every such one.
    """
    entries = language_entries(document, what, model, branch)
    failed = entries.failed()
    report = {code: entry for code, entry in entries.languages.items() if code not in failed}
    problems = list(_problems(report, entries, what))
    if problems:
        raise UsageError(*problems)
    languages = {code: _named(figures, FIGURE_NAMES) for code, figures in report.items()}
    macro = {} if failed else _macro(document)
    slices: dict[str, Mapping[str, Figures]] = {"language": languages}
    if macro:
        slices[MACRO.dimension] = {MACRO.value: macro}
    scope = [SlicePlace("language", code) for code in languages]
    alone = next(iter(languages.values())) if len(languages) == 1 else {}
    return Scorecard(
        name,
        overall=alone,
        slices=slices,
        counts=dict(_counts(report, languages)),
        identity=_options(document),
        absent={f"language {code}": reason for code, reason in failed.items()} | _incomplete(document),
        scope=(MACRO, *scope) if macro else tuple(scope),
        selectors=entries.selectors,
    )


def _options(document: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the figures are of answers over all options, or over those that a narrowing kept."""
    config = document.get("config")
    narrowing = config.get("narrowing") if isinstance(config, Mapping) else None
    schema = NARROWED_SCHEMAS.get(str(narrowing.get("name"))) if isinstance(narrowing, Mapping) else None
    return {ALL_OPTIONS_KEY: True} if schema is None else {"schema": schema, **narrowing_identity(narrowing)}


def _problems(report: Mapping[str, Any], entries: LanguageEntries, what: str) -> Iterator[Problem]:
    for code, figures in report.items():
        place = f"{what} {entries.place(code)}"
        if not isinstance(figures, Mapping):
            yield Problem(place, "an object of figures", type(figures).__name__, "mend the file")
            continue
        for name in FIGURE_NAMES:
            if name in figures and finite_number(figures[name]) is None:
                yield Problem(f"{place}.{name}", "a finite number", one_line(repr(figures[name])), "mend the file")
        if not any(name in figures for name in FIGURE_NAMES):
            yield Problem(place, f"one of {', '.join(FIGURE_NAMES)}", "none of them", "mend the file")


def _macro(document: Mapping[str, Any]) -> dict[str, float]:
    """The macro figures; none where the document says that languages are missing from them."""
    summary = document.get("summary")
    if not isinstance(summary, Mapping) or summary.get("complete") is False:
        return {}
    return _named(summary, _SUMMARY_NAMES)


def _named(figures: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    numbers = {ours: finite_number(figures.get(theirs)) for theirs, ours in names.items()}
    return {name: number for name, number in numbers.items() if number is not None}


def _counts(report: Mapping[str, Any], languages: Mapping[str, Figures]) -> Iterator[tuple[FigureKey, Count]]:
    for code, figures in languages.items():
        n = report[code].get("n")
        if isinstance(n, int) and not isinstance(n, bool) and n >= 0:
            places = [SlicePlace("language", code), *([OVERALL] if len(languages) == 1 else [])]
            yield from ((FigureKey(*place, metric), Count(n)) for place in places for metric in figures)


def _incomplete(document: Mapping[str, Any]) -> dict[str, str]:
    """Languages that the document says it lacks, and does not name."""
    summary = document.get("summary")
    if isinstance(summary, Mapping) and summary.get("complete") is False:
        return {"languages": "its summary says that it is not complete"}
    return {}
