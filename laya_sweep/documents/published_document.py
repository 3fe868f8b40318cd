"""A published 51-language document with its cases, checked: what `import` reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laya_sweep.documents.own_keys import own_key_faults
from laya_sweep.documents.published_shape import Fault, shape_faults
from laya_sweep.domain.identity import digest_file
from laya_sweep.errors import Problem, UsageError
from laya_sweep.files.json_file import kind_of, read_object

#: Faults shown of one document; a broken exporter repeats one of them in every case.
MAX_FAULTS = 20


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """A document that `import` can turn into tables.

    Attributes:
        sha256: of the file's bytes.
        cases: its decisions, each with the keys and types of `PublishedShape`.
        rest: everything else in it, as it stands.
    """

    sha256: str
    cases: list[dict[str, Any]]
    rest: dict[str, Any]

    @property
    def asked(self) -> list[str]:
        """Languages of its report and of its cases."""
        return [*dict.fromkeys([*self.rest["report"], *(case["lang"] for case in self.cases)])]


def read_document(path: Path) -> PublishedDocument:
    """Read a published document.

    Raises:
        UsageError: no JSON, another shape, no cases, or cases that contradict themselves; every fault that was found,
            up to `MAX_FAULTS`.
    """
    document = read_object(path, "published document")
    faults = [*_faults(document)]
    if faults:
        step = "import a document that laya-eval wrote"
        shown = [Problem(f"{path}: {where}", expected, got, step) for where, expected, got in faults[:MAX_FAULTS]]
        left = len(faults) - len(shown)
        more = [Problem(f"{path}", "no faults", f"{left} more", step)] if left else []
        raise UsageError(*shown, *more)
    cases = document.pop("cases")
    return PublishedDocument(digest_file(path), cases, document)


def _faults(document: dict[str, Any]) -> Iterator[Fault]:
    """(where, expected, got) of everything wrong."""
    for key in ("config", "report"):
        if not isinstance(document.get(key), dict):
            yield key, "an object", _got(document, key)
    if "summary" in document and not isinstance(document["summary"], dict):
        yield "summary", "an object", _got(document, "summary")
    report = document.get("report")
    for code, entry in report.items() if isinstance(report, dict) else ():
        if not isinstance(entry, dict):
            yield f"report.{code}", "an object", kind_of(entry)
    cases = document.get("cases")
    if not isinstance(cases, list) or not cases:
        yield "cases", "the decisions behind the figures", _got(document, "cases")
        return
    seen: set[tuple[Any, ...]] = set()
    for i, case in enumerate(cases):
        broken = [*_case_faults(f"cases[{i}]", case)]
        yield from broken
        if not broken and (place := (case["lang"], case["index"], case.get("variant"))) in seen:
            yield f"cases[{i}]", "one case per language and index", f"{case['lang']} {case['index']} twice"
        elif not broken:
            seen.add(place)


def _got(document: dict[str, Any], key: str) -> str:
    value = document.get(key)
    return "none" if key not in document else f"an empty {kind_of(value)}" if not value else f"a {kind_of(value)}"


def _case_faults(where: str, case: Any) -> Iterator[Fault]:  # noqa: ANN401 - any JSON value
    wrong = [*shape_faults(where, case)]
    yield from wrong or (*_contradictions(where, case), *own_key_faults(where, case))


def _contradictions(where: str, case: dict[str, Any]) -> Iterator[Fault]:
    options: Sequence[str] = case["options"]
    for side in ("gold", "pred"):
        index, label = case[f"{side}_index"], case[f"{side}_label"]
        if index is None:  # it was not shown: see `own_key_faults`
            continue
        if index >= len(options) or options[index] != label:
            yield f"{where}.{side}_label", f"the option at {side}_index {index}", repr(label)
    if bool(case["correct"]) != (case["gold_index"] == case["pred_index"]):
        yield f"{where}.correct", "1 exactly where the predicted option is the gold one", f"{case['correct']}"
    texts = case.get("option_texts")
    if "option_texts" in case and not _are_texts(texts, len(options)):
        yield f"{where}.option_texts", f"{len(options)} texts", f"{texts!r:.60}"


def _are_texts(value: Any, count: int) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, list) and len(value) == count and all(isinstance(text, str) for text in value)
