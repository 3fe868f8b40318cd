"""Reading JSON that a person or another tool wrote, so that a broken file is one line and exit code 2.

Python's reader lets the last of two equal keys win, and reports a document nested too deeply as a stack
overflow. A gate must not be decided by either. NaN and Infinity are read, because upstream reports may hold
them: whoever reads a number says whether it may be one of those.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from laya_sweep.errors import Problem, UsageError

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN = 80


class _DuplicateKeyError(ValueError):
    """An object holds a key twice."""


def read_json(path: Path, what: str = "file") -> Any:  # noqa: ANN401 - any JSON value
    """The value in a JSON file.

    Args:
        path: the file.
        what: what the file is to the reader, such as "baseline"; the first word of a complaint.

    Raises:
        UsageError: no such file, a folder, unreadable, empty, not UTF-8, with a byte order mark, not JSON, nested
            too deeply, or an object with one key twice.
    """
    subject = f"{what} {one_line(path)}"
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(Problem(subject, "a file that can be read", one_line(reason), "correct the path")) from error
    return parse_json(data, subject)


def parse_json(data: bytes, subject: str) -> Any:  # noqa: ANN401 - any JSON value
    """The value in the bytes of a JSON document; `subject` names it in complaints.

    Raises:
        UsageError: as `read_json`.
    """
    if not data.strip():
        raise _not_json(subject, "nothing: it is empty")
    if data.startswith(b"\xef\xbb\xbf"):
        raise _not_json(subject, "a byte order mark before the document")
    try:
        text = data.decode("utf-8")
        value = json.loads(text, object_pairs_hook=_unique)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise _not_json(subject, "half of a character (a lone surrogate)") from error
    except UnicodeDecodeError as error:
        raise _not_json(subject, f"other bytes at position {error.start}") from error
    except RecursionError as error:
        raise _not_json(subject, "a document nested too deeply to read") from error
    except ValueError as error:
        raise _not_json(subject, one_line(error)) from error
    return value


def one_line(value: object) -> str:
    """A value from a file as a part of one line: bounded, and escaped where it does not print.

    >>> one_line("choice_accuracy"), one_line("two\\nlines")
    ('choice_accuracy', "'two\\\\nlines'")
    """
    text = value if isinstance(value, str) else str(value)
    text = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
    return text if text.isprintable() else ascii(text)


def _not_json(subject: str, got: str) -> UsageError:
    return UsageError(Problem(subject, "one JSON document in UTF-8, every key once", got, "mend the file"))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise _DuplicateKeyError(f"the key {one_line(twice)!r} more than once in one object")
    return found
