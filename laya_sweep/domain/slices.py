"""Where a figure belongs: the whole result, a slice of it, or the mean over its languages."""

from __future__ import annotations

from typing import Final, NamedTuple

#: What answers are sliced by beside their language.
BESIDE_LANGUAGE: Final = ("model", "qid", "tag")

#: Every dimension that answers are sliced by.
DIMENSIONS: Final = ("language", *BESIDE_LANGUAGE)


class SlicePlace(NamedTuple):
    """Whose figures: ("overall", ""), a dimension and one of its values, or ("macro:<dimension>", "")."""

    dimension: str
    value: str


OVERALL: Final = SlicePlace("overall", "")

#: The unweighted mean over the languages.
MACRO: Final = SlicePlace("macro:language", "")
