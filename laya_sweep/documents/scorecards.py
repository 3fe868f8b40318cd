"""From documents to scorecards: upstream reports, published documents, and bare maps of figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from laya_sweep.documents.language_table import SHAPES, has_languages
from laya_sweep.documents.published_scorecard import published_scorecard
from laya_sweep.domain.slices import OVERALL
from laya_sweep.domain.thresholds import from_document
from laya_sweep.domain.tolerance import finite_number
from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.json_file import read_json
from laya_sweep.gates.comparability import EVALS_SCHEMA, SHORTLIST_KEY, TOURNAMENT_KEY
from laya_sweep.gates.evidence import confidence_faults, counts_of_cases
from laya_sweep.gates.scorecard import IDENTITY_KEYS, UNKNOWN, FigureKey, MinConfidence, Scorecard

#: Keys of a report other than its overall figures: a document with one of them is a report without any.
_REPORT_KEYS: Final = ("config", "slices", "cases")
_KINDS: Final = f"a laya-evals report, a published document ({SHAPES}), or a map of metric to number"


def read_scorecard(
    path: Path, role: str = "baseline", *, model: str | None = None, branch: str | None = None
) -> Scorecard:
    """The scorecard of a JSON file.

    Args:
        path: the file.
        role: what it is to the reader ("candidate", "baseline"), for messages.
        model, branch: as in `scorecard_of`.

    Raises:
        UsageError: the file cannot be read, or as `scorecard_of`.
    """
    document = read_json(path, role, any_number=True)
    return scorecard_of(document, f"{role} {one_line(path)}", name=str(path), model=model, branch=branch)


def scorecard_of(
    document: Any,  # noqa: ANN401 - any JSON value
    what: str = "baseline",
    *,
    name: str | None = None,
    model: str | None = None,
    branch: str | None = None,
) -> Scorecard:
    """The scorecard of a JSON value of any of the three kinds.

    Args:
        document: the value.
        what: its name in complaints.
        name: its name in verdicts; `what` if not given.
        model, branch: which results, of a published document that holds several; a document without is not asked.

    Raises:
        UsageError: the value is none of the three kinds, or a figure in it is not a number.
    """
    title = name or what
    if not isinstance(document, Mapping):
        got = "null" if document is None else type(document).__name__
        raise UsageError(Problem(what, f"an object: {_KINDS}", got, "name another file"))
    if "overall" in document:
        return _report(document, document["overall"], what, title)
    if has_languages(document):
        return published_scorecard(document, what, title, model, branch)
    if any(key in document for key in _REPORT_KEYS):
        return _report(document, {}, what, title)
    return Scorecard(title, overall=_figures(document, what))


def _report(document: Mapping[str, Any], overall: Any, what: str, name: str) -> Scorecard:  # noqa: ANN401
    """An upstream report. Its overall figures must be numbers; a slice's that are not are figures without value."""
    config = document.get("config")
    config = config if isinstance(config, Mapping) else {}
    identity = _identity(config, document)
    figures, slices = _figures(overall, f"{what} overall"), _slices(document.get("slices"))
    given = document.get("cases")
    cases = given if isinstance(given, list) else []
    known = {FigureKey(*OVERALL, name) for name in figures} | {
        FigureKey(dimension, value, name)
        for dimension, groups in slices.items()
        for value, own in groups.items()
        for name in own
    }
    return Scorecard(
        name,
        overall=figures,
        slices=slices,
        counts=counts_of_cases(cases, sorted({key.metric for key in known})),
        doubtful=confidence_faults(cases, known),
        identity=identity,
        coverage_metric_definition=config.get("coverage_metric_definition"),
        min_confidence=_min_confidence(config),
        rounding=_rounding(config, identity),
        errored=_how_many(config.get("errored")),
        asked=_asked(given, config.get("errored")),
        recorded_policy=config.get("gate_policy"),
    )


def _figures(given: Any, what: str) -> dict[str, float]:  # noqa: ANN401 - any JSON value
    """Metric -> number, NaN and infinities included: a gate decides about those, and fails them.

    Raises:
        UsageError: not an object, or an entry that is no number.
    """
    if not isinstance(given, Mapping):
        got = "null" if given is None else type(given).__name__
        raise UsageError(Problem(what, "an object of metric to number", got, "name another file"))
    wrong = [name for name, value in given.items() if not _is_number(value)]
    if wrong:
        wanted = f"a number (the file being {_KINDS})"
        raise UsageError(
            *(Problem(f"{what} {one_line(name)}", wanted, _shown(given[name]), "mend the file") for name in wrong[:20])
        )
    return {name: float(value) for name, value in given.items()}


def _slices(given: Any) -> dict[str, dict[str, dict[str, float]]]:  # noqa: ANN401 - any JSON value
    found: dict[str, dict[str, dict[str, float]]] = {}
    for dimension, groups in given.items() if isinstance(given, Mapping) else ():
        for value, figures in groups.items() if isinstance(groups, Mapping) else ():
            if isinstance(figures, Mapping):
                numbers = {name: finite_number(figure) for name, figure in figures.items()}
                kept = {name: number for name, number in numbers.items() if number is not None}
                found.setdefault(dimension, {})[value] = kept
    return found


def _identity(config: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Identity keys from `config`, else from the top of the document, where some tools write them."""
    found = {key: _first(config.get(key), document.get(key)) for key in IDENTITY_KEYS}
    found[TOURNAMENT_KEY] = config.get(TOURNAMENT_KEY)
    shortlist = config.get(SHORTLIST_KEY)
    if isinstance(shortlist, Mapping):
        found[SHORTLIST_KEY] = {"k": shortlist.get("k"), "embedder_id": shortlist.get("embedder_id")}
    return {key: value for key, value in found.items() if value is not None}


def _first(one: Any, other: Any) -> Any:  # noqa: ANN401 - any JSON values
    return other if one is None else one


def _min_confidence(config: Mapping[str, Any]) -> MinConfidence:
    """The threshold in the timing block, where upstream records it; null there is "none was asked for"."""
    timing = config.get("timing")
    if not isinstance(timing, Mapping) or "min_confidence" not in timing:
        return UNKNOWN
    value: MinConfidence = timing["min_confidence"]
    try:
        return from_document(value)
    except ValueError:
        return value


def _rounding(config: Mapping[str, Any], identity: Mapping[str, Any]) -> str | None:
    """As recorded; an upstream report records none, and its figures are of the runtime's answers."""
    recorded = config.get("rounding")
    if isinstance(recorded, str):
        return recorded
    return "runtime" if identity.get("schema") == EVALS_SCHEMA else None


def _how_many(errored: Any) -> int:  # noqa: ANN401 - any JSON value
    """Cases that the report lists as errored; anything else that is not nothing counts as one."""
    return len(errored) if isinstance(errored, list) else int(bool(errored))


def _asked(cases: Any, errored: Any) -> int | None:  # noqa: ANN401 - any JSON values
    known = isinstance(cases, list) and (errored is None or isinstance(errored, list))
    return len(cases) + len(errored or []) if known else None


def _is_number(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or finite_number(value) is not None


def _shown(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return f"the text {one_line(value)!r}"
    return "null" if value is None else type(value).__name__
