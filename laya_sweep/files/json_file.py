"""Strict reading of a JSON file that a person named: whatever is wrong with it is one sentence and exit code 2.

Python's own reader takes the last of two equal keys, NaN and Infinity, and numbers that overflow; a document read
that way can pass a gate that nobody meant. Here each of these is refused, and so are files that are no text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from laya_sweep.errors import Problem, UsageError, one_line

#: Deepest nesting of a document; past it Python's own writers give up where its reader did not.
MAX_DEPTH = 200


class _StrictError(ValueError):
    """A document that Python would read and that means nothing certain."""


def read_object(path: Path, what: str) -> dict[str, Any]:
    """The JSON object in a file; `what` names it in messages ("baseline", "--against").

    Raises:
        UsageError: as `read_json`, or the file holds another JSON value.
    """
    document = read_json(path, what)
    if not isinstance(document, dict):
        raise _refused(path, what, f"a {kind_of(document)}")
    return document


def read_json(path: Path, what: str, *, any_number: bool = False) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value in a file; `any_number` as in `parse_json`.

    Raises:
        UsageError: missing, a folder, unreadable, empty, not UTF-8, with a byte order mark, not JSON, a key twice in
            one object, NaN, Infinity or a number too large, a lone surrogate, or nested deeper than `MAX_DEPTH`.
    """
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(path, what, one_line(reason)) from error
    try:
        return parse_json(data, any_number=any_number)
    except ValueError as error:
        raise _refused(path, what, one_line(" ".join(str(error).split()))) from error


def parse_json(data: bytes, *, any_number: bool = False) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value in bytes.

    Args:
        data: the document.
        any_number: read NaN and Infinity too, which upstream reports may hold: whoever reads a number then says
            whether it may be one of those.

    Raises:
        ValueError: one sentence that says what is wrong.
    """
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise _StrictError("a byte order mark; save it as plain UTF-8")
    if not data.strip():
        raise _StrictError("an empty file")
    try:
        text = data.decode("utf-8")
        numbers: dict[str, Any] = {} if any_number else {"parse_constant": _no_constant, "parse_float": _finite}
        value = json.loads(text, object_pairs_hook=_unique, parse_int=_whole, **numbers)
        _check_depth(value)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        raise _StrictError(f"bytes that are not UTF-8 at {error.start}") from error
    except UnicodeEncodeError as error:
        raise _StrictError("a lone surrogate, which is no character") from error
    except RecursionError as error:
        raise _StrictError(f"nesting deeper than {MAX_DEPTH}") from error
    except json.JSONDecodeError as error:
        raise _StrictError(f"no JSON at line {error.lineno} column {error.colno}: {error.msg}") from error
    return value


def kind_of(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The JSON name of a value's type.

    >>> kind_of([]), kind_of(True), kind_of(None)
    ('list', 'boolean', 'null')
    """
    kinds = ((bool, "boolean"), (dict, "object"), (list, "list"), (str, "string"), (int | float, "number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def _refused(path: Path, what: str, got: str) -> UsageError:
    return UsageError(Problem(f"{what} {one_line(path)}", "a JSON document", got, "name a file that holds one"))


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _StrictError(f"the key {key!r:.80} twice in one object")
        found[key] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise _StrictError(f"{name}, which is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _StrictError(f"the number {text:.40}, which is too large")
    return value


def _whole(text: str) -> int:
    """An integer that a float64 can hold: a larger one fails later, in the middle of some arithmetic."""
    if len(text) > 300:
        raise _StrictError(f"an integer of {len(text)} digits")
    return int(text)


def _check_depth(value: Any) -> None:  # noqa: ANN401 - any JSON value
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise _StrictError(f"nesting deeper than {MAX_DEPTH}")
        inner = (
            entry.values() if isinstance(entry, dict) else entry for entry in level if isinstance(entry, dict | list)
        )
        level = [child for children in inner for child in children if isinstance(child, dict | list)]
