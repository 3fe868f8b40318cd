"""A JSON file that a person named: whatever is wrong with it is one line and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from laya_sweep.errors import Problem, UsageError, one_line
from laya_sweep.files.strict_json import FieldFault, parse_strict

#: Digits of the longest whole number that a float64 can hold, about.
_DIGITS = 300


class DocumentError(ValueError):
    """Bytes that are no JSON document, or one that means nothing certain."""

    def __init__(self, fault: FieldFault) -> None:
        super().__init__(f"expected {fault.expected}, got {fault.got}")
        self.fault = fault


def read_object(path: Path, what: str) -> dict[str, Any]:
    """The JSON object in a file; `what` names it in messages ("baseline", "--against").

    Raises:
        UsageError: as `read_json`, or the file holds another JSON value.
    """
    document = read_json(path, what)
    if not isinstance(document, dict):
        raise _refused(path, what, "a JSON document", f"a {kind_of(document)}")
    return document


def read_json(path: Path, what: str, *, any_number: bool = False) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value in a file; `any_number` as in `parse_strict`.

    Raises:
        UsageError: missing, a folder, unreadable, empty, not UTF-8, with a byte order mark, not JSON, a key twice in
            one object, NaN, Infinity or a number too large, a lone surrogate, or nested too deep.
    """
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _refused(path, what, "a JSON document", reason) from error
    try:
        return parse_json(data, any_number=any_number)
    except DocumentError as error:
        raise _refused(path, what, error.fault.expected, error.fault.got) from error


def parse_json(data: bytes, *, any_number: bool = False) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value in bytes; `any_number` as in `parse_strict`.

    Raises:
        DocumentError: with the first fault.
    """
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(FieldFault("", "plain UTF-8", "a byte order mark"))
    if not data.strip():
        raise DocumentError(FieldFault("", "a JSON document", "an empty file"))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DocumentError(FieldFault("", "UTF-8", f"other bytes at {error.start}")) from error
    parsed = parse_strict(text, any_number=any_number, digits=_DIGITS)
    if parsed.faults:
        raise DocumentError(parsed.faults[0])
    return parsed.value


def kind_of(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The JSON name of a value's type.

    >>> kind_of([]), kind_of(True), kind_of(None)
    ('list', 'boolean', 'null')
    """
    kinds = ((bool, "boolean"), (dict, "object"), (list, "list"), (str, "string"), (int | float, "number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")


def _refused(path: Path, what: str, expected: str, got: str) -> UsageError:
    step = "name a file that holds a JSON document"
    return UsageError(Problem(f"{what} {one_line(path)}", expected, one_line(got), step))
