"""The decisions of one result as a struct of arrays: what every metric reads.

One result is checkpoint x regime x transform over all its languages. Columns instead of row objects, because
the metrics are vectorised; one element a decision, in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

CHOICE: Final = 0
SCORE: Final = 1
NOUL: Final = 2
LEVELS: Final = 10_000
"""The runtime rounds answer_confidence to 4 decimals, so its levels are 0 .. 10,000."""

_DTYPES: Final[dict[str, type[np.generic]]] = {
    "question_type": np.int8,
    "n_options": np.int32,
    "confidence": np.float64,
    "level": np.int32,
    "correct": np.int8,
    "pred_index": np.int32,
    "gold_index": np.int32,
    "pred_label": np.int32,
    "gold_label": np.int32,
    "p_gold": np.float64,
    "score_error": np.float64,
    "source": np.int32,
}
_RANGES: Final = {"question_type": (0, 2), "level": (-1, LEVELS), "correct": (-1, 1)}


def _typed(values: ArrayLike, name: str, dtype: type[np.generic]) -> NDArray[Any]:
    """`values` as one-dimensional `dtype`, refusing a cast that would change a number."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"Expected `{name}` to have one dimension, but got shape {array.shape}")
    if array.dtype == dtype:
        return array
    if array.size and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise TypeError(f"Expected `{name}` to be {np.dtype(dtype)}, but got {array.dtype}")
    cast = array.astype(dtype)
    if np.issubdtype(dtype, np.integer) and (cast != array).any():
        raise ValueError(f"Expected `{name}` to fit {np.dtype(dtype)}, but got {array.max()}")
    return cast


@dataclass(frozen=True)
class SliceColumn:
    """Which slice of one dimension each decision belongs to.

    Attributes:
        codes: int32[n]; index into `values`, or -1 for a decision that belongs to no slice of this dimension.
        values: the slice names, such as the languages; each at most once.
        rows: for a dimension in which a decision may have several values (tags): int64[m], and `codes[i]` is
            then a value of decision `rows[i]`. None, the usual case, means one code a decision.
    """

    codes: NDArray[np.int32]
    values: tuple[str, ...]
    rows: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        codes = _typed(self.codes, "codes", np.int32)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "values", tuple(self.values))
        if len(set(self.values)) != len(self.values):
            raise ValueError(f"Expected each slice value once, but got {self.values}")
        if len(codes) and not -1 <= codes.min() <= codes.max() < len(self.values):
            raise ValueError(f"Expected codes in -1 .. {len(self.values) - 1}, but got {codes.min()} .. {codes.max()}")
        if self.rows is not None:
            object.__setattr__(self, "rows", _typed(self.rows, "rows", np.int64))
            if len(self.rows) != len(codes):
                raise ValueError(f"Expected a row for each of {len(codes)} codes, but got {len(self.rows)}")

    @classmethod
    def of(cls, names: Sequence[str]) -> SliceColumn:
        """The column of one name a decision, with values in sorted order.

        >>> SliceColumn.of(["en", "de", "en"]).codes
        array([1, 0, 1], dtype=int32)
        """
        values = sorted(set(names))
        index = {value: code for code, value in enumerate(values)}
        return cls(np.array([index[name] for name in names], dtype=np.int32), tuple(values))

    def take(self, rows: NDArray[np.intp], n: int) -> SliceColumn:
        """The column for decisions `rows` (indices, repeats allowed) of a table of `n` decisions."""
        if self.rows is None:
            return SliceColumn(self.codes[rows], self.values)
        order = np.argsort(self.rows, kind="stable")
        starts = np.searchsorted(self.rows[order], rows, side="left")
        counts = np.bincount(self.rows, minlength=n)[rows]
        new_rows = np.repeat(np.arange(len(rows)), counts)
        offset = np.arange(len(new_rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return SliceColumn(self.codes[order[np.repeat(starts, counts) + offset]], self.values, new_rows)


@dataclass(frozen=True)
class DecisionColumns:
    """Decisions as columns; all of length n, element i of each belongs to decision i.

    Attributes:
        question_type: int8; CHOICE, SCORE or NOUL.
        n_options: int32; how many options the question had.
        confidence: float64; answer_confidence, unrounded. May exceed 1 by float32 noise, may be NaN.
        level: int32; the runtime's 4-decimal answer_confidence times 10,000; -1 where it is not finite.
        correct: int8; 1 right, 0 wrong, -1 unlabelled or a score question.
        pred_index, gold_index: int32; slots in canonical option order; gold -1 when unlabelled.
        pred_label, gold_label: int32; codes of label texts in one code space; gold -1 when unlabelled.
        p_gold: float64; probability of the gold answer, NaN when unlabelled.
        score_error: float64; expected score minus gold, in levels; NaN elsewhere.
        source: int32; cluster code of source_id, the same for one utterance in all languages.
        slices: slice dimension -> `SliceColumn`.
        flags: name -> int8; 1 or 0, and -1 for a decision of which it says nothing. See `narrowing` for the names.

    Raises `ValueError` or `TypeError` for columns of unequal length, another dtype or values out of range.
    """

    question_type: NDArray[np.int8]
    n_options: NDArray[np.int32]
    confidence: NDArray[np.float64]
    level: NDArray[np.int32]
    correct: NDArray[np.int8]
    pred_index: NDArray[np.int32]
    gold_index: NDArray[np.int32]
    pred_label: NDArray[np.int32]
    gold_label: NDArray[np.int32]
    p_gold: NDArray[np.float64]
    score_error: NDArray[np.float64]
    source: NDArray[np.int32]
    slices: Mapping[str, SliceColumn]
    flags: Mapping[str, NDArray[np.int8]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            column = _typed(getattr(self, name), name, dtype)
            object.__setattr__(self, name, column)
            self._check(name, column)
        for name, flag in self.flags.items():
            if flag.dtype != np.int8 or flag.shape != (len(self),):
                raise ValueError(f"Expected flag `{name}` to be int8 of {len(self)} elements, but got {flag.shape}")
        for dimension, codes in self.slices.items():
            self._check_slice(dimension, codes)
        if ((self.question_type == SCORE) & (self.correct != -1)).any():
            raise ValueError("Expected `correct` to be -1 for score questions, which are not right or wrong")

    def _check(self, name: str, column: NDArray[Any]) -> None:
        if len(column) != len(self):
            raise ValueError(f"Expected `{name}` to have {len(self)} elements, but got {len(column)}")
        low, high = _RANGES.get(name, (None, None))
        if low is not None and len(column) and not low <= column.min() <= column.max() <= high:
            raise ValueError(f"Expected `{name}` in {low} .. {high}, but got {column.min()} .. {column.max()}")

    def _check_slice(self, dimension: str, column: SliceColumn) -> None:
        rows = column.rows
        if rows is None and len(column.codes) != len(self):
            got = len(column.codes)
            raise ValueError(f"Expected {len(self)} codes in slice {dimension!r}, but got {got}")
        if rows is not None and len(rows) and not 0 <= rows.min() <= rows.max() < len(self):
            raise ValueError(f"Expected rows of slice {dimension!r} in 0 .. {len(self) - 1}")

    def __len__(self) -> int:
        return len(self.question_type)

    def take(self, rows: ArrayLike) -> DecisionColumns:
        """The decisions `rows`: indices (repeats allowed) or a boolean mask, in the order given."""
        index = np.asarray(rows)
        index = np.flatnonzero(index) if index.dtype == np.bool_ else index.astype(np.intp)
        parts = {name: getattr(self, name)[index] for name in _DTYPES}
        slices = {name: column.take(index, len(self)) for name, column in self.slices.items()}
        flags = {name: flag[index] for name, flag in self.flags.items()}
        return DecisionColumns(**parts, slices=slices, flags=flags)


def _concat_slices(parts: Sequence[SliceColumn], offsets: Sequence[int]) -> SliceColumn:
    values = sorted({value for part in parts for value in part.values})
    index = {value: code for code, value in enumerate(values)}
    codes = []
    for part in parts:
        lookup = np.array([*(index[value] for value in part.values), -1], dtype=np.int32)
        codes.append(lookup[part.codes])
    if all(part.rows is None for part in parts):
        return SliceColumn(np.concatenate(codes), tuple(values))
    rows = [
        (np.arange(len(part.codes)) if part.rows is None else part.rows) + offset
        for part, offset in zip(parts, offsets, strict=True)
    ]
    return SliceColumn(np.concatenate(codes), tuple(values), np.concatenate(rows))


def concat(parts: Sequence[DecisionColumns]) -> DecisionColumns:
    """All decisions of `parts`, one part after the other.

    The parts must have the same slice dimensions; their slice values are united. Label and source codes must
    already come from one code space, which only the caller can know.

    >>> concat([])
    Traceback (most recent call last):
    ...
    ValueError: Expected at least one part to concatenate, but got none
    """
    if not parts:
        raise ValueError("Expected at least one part to concatenate, but got none")
    dimensions = parts[0].slices.keys()
    for part in parts:
        if part.slices.keys() != dimensions:
            raise ValueError(f"Expected slice dimensions {sorted(dimensions)}, but got {sorted(part.slices)}")
    offsets = np.cumsum([0, *(len(part) for part in parts[:-1])]).tolist()
    slices = {name: _concat_slices([part.slices[name] for part in parts], offsets) for name in dimensions}
    names = [one.name for one in fields(DecisionColumns) if one.name not in ("slices", "flags")]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    named = dict.fromkeys(name for part in parts for name in part.flags)
    flags = {name: np.concatenate([_flag(part, name) for part in parts]) for name in named}
    return DecisionColumns(**columns, slices=slices, flags=flags)


def _flag(part: DecisionColumns, name: str) -> NDArray[np.int8]:
    return part.flags.get(name, np.full(len(part), -1, np.int8))
