"""What a runner answered, held against what it was asked: an answer that cannot be one is an error, never a score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

import numpy as np

from laya_sweep.domain.question import label_index, label_names, option_labels
from laya_sweep.errors import one_line

#: Room above 1 that float32 arithmetic takes; metrics clip such confidences and count them.
_ROOM = 1e-6


def answer_fault(question: Mapping[str, Any], answer: Any) -> str | None:  # noqa: ANN401 - whatever came back
    """What is wrong with an answer to a question in the runtime's form; None where it can be scored."""
    if answer is None:
        return "missing answer"
    if not isinstance(answer, Mapping):
        return f"invalid answer: expected an object, got {type(answer).__name__}"
    fault = next(_faults(question, answer), None)
    return None if fault is None else f"invalid answer: expected {fault}"


def confidence_of(answer: Mapping[str, Any]) -> float | None:
    """The probability of the reported answer: `answer_confidence`, else max p; None where an answer has neither.

    The entropy figure that the runtime calls `confidence` is another quantity and never takes its place.
    """
    given = answer.get("answer_confidence")
    if given is not None:
        return float(given)
    if answer["type"] == "noul":
        return max(float(answer["noul"]), 1.0 - float(answer["noul"]))
    probabilities = answer.get("probabilities")
    return max(float(value) for value in probabilities.values()) if probabilities else None


def plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value, numpy's numbers among them
    """A value in Python's own types, copied."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _faults(question: Mapping[str, Any], answer: Mapping[str, Any]) -> Iterator[str]:
    kind = question["type"]
    if answer.get("type") != kind:
        yield f"type {kind}, got {_shown(answer.get('type'))}"
    elif kind == "noul" and not _is_share(answer.get("noul")):
        yield f"noul within [0, 1], got {_shown(answer.get('noul'))}"
    elif kind == "choice" and label_index(question["criteria"], answer.get("choice")) is None:
        yield f"a choice among {one_line(', '.join(option_labels(dict(question))))}, got {_shown(answer.get('choice'))}"
    elif kind == "score" and not _is_share(answer.get("score"), len(question["criteria"]) - 1):
        yield f"a score within [0, {len(question['criteria']) - 1}], got {_shown(answer.get('score'))}"
    yield from _probability_faults(question, answer.get("probabilities"))
    for name in ("answer_confidence", "confidence"):
        if not _is_confidence(answer.get(name)):
            yield f"{name} within [0, 1], got {_shown(answer[name])}"


def _probability_faults(question: Mapping[str, Any], given: Any) -> Iterator[str]:  # noqa: ANN401 - whatever came back
    if given is None or (question["type"] == "noul" and not given):
        return
    if not isinstance(given, Mapping):
        yield f"probabilities by option, got {_shown(given)}"
        return
    options, named = option_labels(dict(question)), label_names(given)
    if sorted(named) != sorted(options):
        yield f"probabilities of {one_line(', '.join(options))}, got those of {one_line(', '.join(named))}"
    for name, value in given.items():
        if not _is_share(value):
            yield f"a probability within [0, 1] of {one_line(name)}, got {_shown(value)}"


def _is_number(value: Any) -> bool:  # noqa: ANN401 - any value
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_share(value: Any, most: float = 1.0) -> bool:  # noqa: ANN401 - any value
    """A number from 0 to `most`."""
    return _is_number(value) and -_ROOM <= float(value) <= most + _ROOM


def _is_confidence(value: Any) -> bool:  # noqa: ANN401 - any value
    """A share, nothing, or NaN: the runtime calls an answer of such a confidence unevaluated, and so do metrics."""
    return value is None or _is_share(value) or (_is_number(value) and math.isnan(value))


def _shown(value: Any) -> str:  # noqa: ANN401 - any value
    return "nothing" if value is None else one_line(repr(value))
