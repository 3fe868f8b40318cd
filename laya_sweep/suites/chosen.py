"""The languages of a suite whose files say which there are: all of them, or those that a run names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from laya_sweep.errors import DatasetError, Problem, name_list


def chosen_languages(where: str, known: Iterable[str], wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The languages wanted, None for all that are known, in order of their codes.

    Args:
        where: the file or folder, for messages.
        known: codes that it has; "" stands for rows without a language.
        wanted: codes that were asked for.

    Raises:
        DatasetError: with every code that it lacks.
    """
    codes = sorted(known)
    if wanted is None:
        return tuple(codes)
    missing = [code for code in wanted if code not in codes]
    if missing:
        raise DatasetError(*(_unknown(where, codes, code) for code in missing))
    return tuple(wanted)


def _unknown(where: str, known: Sequence[str], code: str) -> Problem:
    listed = name_list([name or "'' (rows without a language)" for name in known], code)
    return Problem("languages", f"languages of {where} ({listed})", repr(code), "name them, or languages=all")
