"""The three shapes in which per-language figures were published, read into one.

report.<language>                                   one checkpoint
part_a.by_model.<model>.per_language.<language>     several checkpoints
per_language.<language>.<branch>                    several runs of one checkpoint
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laya_sweep.errors import Problem, UsageError, name_list
from laya_sweep.jsonfile import kind_of, read_object

Figure = float | int | str | None


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """Figures by language under their published names.

    Attributes:
        name: for messages.
        languages: language -> metric -> figure; an `input_sha256` is a text.
        failed: languages that have an error instead.
        selectors: the options that chose among several tables of the document.
    """

    name: str
    languages: dict[str, dict[str, Figure]]
    failed: dict[str, str]
    selectors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Source:
    """A document with the two selectors; a selector that nothing takes is a mistake the caller reports."""

    path: Path
    document: dict[str, Any]
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
    source = _Source(path, read_object(path, what), model, branch)
    for key, (read, selectors) in _READERS.items():
        if key in source.document:
            return _table(source, read(source), selectors)
    shapes = "report.<lang>, part_a.by_model.<model>.per_language or per_language.<lang>.<branch>"
    found = name_list(sorted(source.document)[:8]) or "no keys"
    raise UsageError(Problem(f"{what} {path}", f"one of the shapes {shapes}", found, "name a published document"))


def _of_report(source: _Source) -> dict[str, Any]:
    return _object(source, source.document["report"], "report")


def _of_models(source: _Source) -> dict[str, Any]:
    part = _object(source, source.document["part_a"], "part_a")
    models = _object(source, part.get("by_model"), "part_a.by_model")
    name = _chosen(source, "--model", source.model, [*models])
    own = _object(source, models[name], f"part_a.by_model.{name}")
    return _object(source, own.get("per_language"), f"part_a.by_model.{name}.per_language")


def _of_branches(source: _Source) -> dict[str, Any]:
    languages = _object(source, source.document["per_language"], "per_language")
    branches = {code: _object(source, entry, f"per_language.{code}") for code, entry in languages.items()}
    known = dict.fromkeys(name for entry in branches.values() for name in entry)
    name = _chosen(source, "--branch", source.branch, [*known])
    return {code: entry[name] for code, entry in branches.items() if name in entry}


_READERS: dict[str, tuple[Callable[[_Source], dict[str, Any]], frozenset[str]]] = {
    "report": (_of_report, frozenset()),
    "part_a": (_of_models, frozenset({"--model"})),
    "per_language": (_of_branches, frozenset({"--branch"})),
}


def _chosen(source: _Source, option: str, wanted: str | None, known: list[str]) -> str:
    if wanted is None and len(known) == 1:
        return known[0]
    if wanted in known:
        return wanted
    expected = f"one of {name_list(known, wanted or '')}" if known else "one to choose"
    got = "none named" if wanted is None else repr(wanted)
    raise UsageError(Problem(f"{option} of {source.path}", expected, got, f"name one with {option}"))


def _table(source: _Source, languages: Mapping[str, Any], selectors: frozenset[str]) -> LanguageTable:
    if not languages:
        raise _wrong(source, "its languages", "at least one", "document without any")
    figures: dict[str, dict[str, Figure]] = {}
    failed: dict[str, str] = {}
    for code, entry in languages.items():
        own = _object(source, entry, code)
        if isinstance(own.get("error"), str):
            failed[code] = own["error"]
        else:
            figures[code] = {name: _figure(source, f"{code}.{name}", value) for name, value in own.items()}
    return LanguageTable(source.path.name, figures, failed, selectors)


def _figure(source: _Source, where: str, value: Any) -> Figure:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool) or not (value is None or isinstance(value, int | float | str)):
        raise _wrong(source, where, "a number, a text or null", kind_of(value))
    return value


def _object(source: _Source, value: Any, where: str) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    if not isinstance(value, dict):
        raise _wrong(source, where, "an object", kind_of(value))
    return value


def _wrong(source: _Source, where: str, expected: str, got: str) -> UsageError:
    return UsageError(Problem(f"{source.path}: {where}", expected, f"a {got}", "name a published document"))
