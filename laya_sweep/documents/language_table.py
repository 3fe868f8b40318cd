"""The three shapes in which per-language figures were published, read into one: for gates, verification and import.

report.<language>                                   one checkpoint
part_a.by_model.<model>.per_language.<language>     several checkpoints
per_language.<language>.<branch>                    several runs of one checkpoint
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from laya_sweep.errors import Problem, UsageError, name_list, one_line
from laya_sweep.files.json_file import kind_of, read_object

Figure = float | int | str | None

#: What a summary says of all languages together -> the figure it is the mean of.
MACROS: Final = {"macro_accuracy": "accuracy", "macro_ece": "ece", "macro_f1": "macro_f1"}

#: What a summary calls the mean over the languages that ran, where some did not.
PARTIAL: Final = "_partial"

#: The shapes in words, for messages.
SHAPES: Final = "report.<lang>, part_a.by_model.<model>.per_language or per_language.<lang>.<branch>"


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """Figures by language under their published names.

    Attributes:
        name: for messages.
        languages: language -> metric -> figure; an `input_sha256` is a text.
        failed: languages that have an error instead.
        selectors: the options that chose among several tables of the document.
        summary: what the document says of all languages together, under published names; empty where it says nothing.
        narrowing: how questions were cut down before they were answered, as a run's report says it; None for not.
    """

    name: str
    languages: dict[str, dict[str, Figure]]
    failed: dict[str, str]
    selectors: frozenset[str] = frozenset()
    summary: Mapping[str, Any] = field(default_factory=dict)
    narrowing: Any = None


@dataclass(frozen=True, slots=True)
class LanguageEntries:
    """What a document holds about each language, unchecked; at least one.

    Attributes:
        languages: language -> the JSON value that should be an object of figures.
        prefix, suffix: around a language's code, where its value stands in the document.
        selectors: the options that its shape has.
        summary: the JSON value that stands as the summary of these languages; None where there is none.
    """

    languages: Mapping[str, Any]
    prefix: str
    suffix: str = ""
    selectors: frozenset[str] = frozenset()
    summary: Any = None

    def place(self, code: str) -> str:
        """Where a language's entry stands: `report.en`."""
        return f"{self.prefix}{one_line(code)}{self.suffix}"

    def failed(self) -> dict[str, str]:
        """Languages that have the text of an error instead of figures."""
        errors = {code: entry.get("error") for code, entry in self.languages.items() if isinstance(entry, Mapping)}
        return {code: error for code, error in errors.items() if isinstance(error, str)}


@dataclass(frozen=True, slots=True)
class _Source:
    """A document with the two selectors; a selector that nothing takes is a mistake the caller reports."""

    name: str
    document: Mapping[str, Any]
    model: str | None
    branch: str | None


def read_language_table(path: Path, what: str, model: str | None = None, branch: str | None = None) -> LanguageTable:
    """The figures in a published document; a selector that its shape does not have is ignored.

    Args:
        path: the file.
        what: its name in messages.
        model: of the second shape; may be left out where there is one.
        branch: of the third shape; may be left out where there is one.

    Raises:
        UsageError: no readable JSON object, none of the three shapes, a figure that is none, or an unknown model or
            branch, with those that exist.
    """
    return language_table(read_object(path, what), path, what, model, branch)


def language_table(
    document: Mapping[str, Any], path: Path, what: str, model: str | None = None, branch: str | None = None
) -> LanguageTable:
    """As `read_language_table`, of a document that was read from `path`."""
    if not has_languages(document):
        found = name_list(sorted(document)[:8]) or "no keys"
        raise UsageError(Problem(f"{what} {path}", f"one of the shapes {SHAPES}", found, "name a published document"))
    config = document.get("config")
    narrowing = config.get("narrowing") if isinstance(config, Mapping) else None
    return _table(path, language_entries(document, str(path), model, branch), narrowing)


def has_languages(document: Mapping[str, Any]) -> bool:
    """Whether a document is of one of the three shapes."""
    return any(key in document for key in _READERS)


def language_entries(
    document: Mapping[str, Any], name: str, model: str | None = None, branch: str | None = None
) -> LanguageEntries:
    """The languages of a document of one of the three shapes.

    Args:
        document: as `has_languages` accepts.
        name: of the document in messages.
        model, branch: as in `read_language_table`.

    Raises:
        UsageError: something on the way to the languages is no object, there are none, or the model or branch is
            unknown or has to be named.
    """
    source = _Source(name, document, model, branch)
    read = next(read for key, read in _READERS.items() if key in document)
    entries = read(source)
    if not entries.languages:
        raise _wrong(name, entries.prefix.rstrip("."), "at least one language", "document without any")
    return entries


def _of_models(source: _Source) -> LanguageEntries:
    part = _object(source.name, source.document["part_a"], "part_a")
    models = _object(source.name, part.get("by_model"), "part_a.by_model")
    name = _chosen(source, "model", source.model, [*models])
    own = _object(source.name, models[name], f"part_a.by_model.{name}")
    place = f"part_a.by_model.{name}.per_language"
    languages = _object(source.name, own.get("per_language"), place)
    return LanguageEntries(languages, f"{place}.", selectors=frozenset({"--model"}), summary=own.get("summary"))


def _of_branches(source: _Source) -> LanguageEntries:
    languages = _object(source.name, source.document["per_language"], "per_language")
    branches = {code: _object(source.name, entry, f"per_language.{code}") for code, entry in languages.items()}
    known = dict.fromkeys(name for entry in branches.values() for name in entry)
    name = _chosen(source, "branch", source.branch, [*known])
    own = {code: entry[name] for code, entry in branches.items() if name in entry}
    return LanguageEntries(own, "per_language.", f".{name}", frozenset({"--branch"}))


def _of_report(source: _Source) -> LanguageEntries:
    languages = _object(source.name, source.document["report"], "report")
    return LanguageEntries(languages, "report.", summary=source.document.get("summary"))


_READERS: Final[Mapping[str, Callable[[_Source], LanguageEntries]]] = {
    "report": _of_report,
    "part_a": _of_models,
    "per_language": _of_branches,
}


def _chosen(source: _Source, kind: str, wanted: str | None, known: list[str]) -> str:
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted in known:
        return wanted
    expected = f"one of {name_list(known, wanted or '')}" if known else "one to choose"
    got = "none named" if wanted is None else repr(wanted)
    step = f"name one with --{kind}, in a sweep with gate.{kind}"
    raise UsageError(Problem(f"--{kind} of {source.name}", expected, got, step))


def _table(path: Path, entries: LanguageEntries, narrowing: Any) -> LanguageTable:  # noqa: ANN401 - any JSON value
    failed, figures = entries.failed(), {}
    for code, entry in entries.languages.items():
        place = entries.place(code)
        own = _object(str(path), entry, place)
        if code not in failed:
            figures[code] = {name: _figure(str(path), f"{place}.{name}", value) for name, value in own.items()}
    summary = {} if entries.summary is None else _object(str(path), entries.summary, "summary")
    return LanguageTable(path.name, figures, failed, entries.selectors, summary, narrowing)


def _figure(document: str, where: str, value: Any) -> Figure:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool) or not (value is None or isinstance(value, int | float | str)):
        raise _wrong(document, where, "a number, a text or null", kind_of(value))
    return value


def _object(document: str, value: Any, where: str) -> Mapping[str, Any]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, Mapping):
        raise _wrong(document, where, "an object", kind_of(value))
    return value


def _wrong(document: str, where: str, expected: str, got: str) -> UsageError:
    return UsageError(Problem(f"{document}: {where}", expected, f"a {got}", "name a published document"))
