"""The option-count bucket of a question."""

from __future__ import annotations


def option_bucket(question_type: str, n_options: int) -> str:
    """The runtime's temperature bucket of a question, by its real option count (held against laya in tests).

    >>> option_bucket("choice", 7)
    'choice:6-10'
    """
    size = "2" if n_options <= 2 else "3-5" if n_options <= 5 else "6-10" if n_options <= 10 else "11+"
    return f"{question_type}:{size}"
