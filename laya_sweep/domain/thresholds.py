"""A min_confidence: one threshold for every answer, one an option-count bucket, or none at all.

None is no threshold and 0.0 is one, the control arm: they stay different everywhere. A map names buckets as the
runtime does (`choice:3-5`); a bucket it does not name is gated at its `default`, and without one at 0.0, so that its
answers pass. What is legal is the runtime's to say: configurations ask its validator, and a test holds the reader
of stored documents here against it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from laya_sweep.domain.bucket import BUCKETS

#: The key of a map that stands for every bucket the map does not name.
DEFAULT: Final = "default"

_KEYS: Final = (*BUCKETS, DEFAULT)
_NONE: Final = "none"


@dataclass(frozen=True, slots=True)
class BucketThresholds:
    """A threshold a bucket. `entries` is ordered by bucket, so that equal maps are equal values; see `of`."""

    entries: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, thresholds: Mapping[Any, Any]) -> BucketThresholds:
        """The value of a map of bucket, or `default`, to a threshold.

        Raises:
            ValueError: it is empty, a key is no bucket, or a threshold is no number in [0, 1].
        """
        unknown = [key for key in thresholds if key not in _KEYS]
        if unknown or not thresholds:
            raise ValueError(f"Expected a map by {', '.join(_KEYS)}, but got {unknown[0] if unknown else 'no entry'!r}")
        return cls(tuple((key, _number(thresholds[key])) for key in _KEYS if key in thresholds))

    def at(self, bucket: str) -> float:
        """The threshold of a bucket.

        >>> BucketThresholds.of({"choice:2": 0.7}).at("noul:2")
        0.0
        """
        named = dict(self.entries)
        return named.get(bucket, named.get(DEFAULT, 0.0))

    def document(self) -> dict[str, float]:
        """The map as the runtime takes it."""
        return dict(self.entries)

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key}: {_digits(value)}" for key, value in self.entries) + "}"


MinConfidence: TypeAlias = float | BucketThresholds | None


def from_document(value: object) -> MinConfidence:
    """A min_confidence from its JSON value, as it stands in reports.

    Raises:
        ValueError: it is neither null, a number in [0, 1] nor a map of such numbers by bucket.
    """
    if value is None:
        return None
    return BucketThresholds.of(value) if isinstance(value, Mapping) else _number(value)


def to_document(value: MinConfidence) -> float | dict[str, float] | None:
    """The JSON value of a min_confidence, which is also what the runtime takes."""
    return value.document() if isinstance(value, BucketThresholds) else value


def shown(value: MinConfidence) -> str:
    """The one spelling for people; `parse` reads it.

    >>> shown(None), shown(0.0), shown(BucketThresholds.of({"default": 0.5, "choice:2": 0.7}))
    ('none', '0', '{choice:2: 0.7, default: 0.5}')
    """
    if value is None:
        return _NONE
    return str(value) if isinstance(value, BucketThresholds) else _digits(value)


def parse(text: str) -> MinConfidence:
    """A min_confidence from a word: what `shown` writes, or a map in JSON.

    Raises:
        ValueError: the text is neither.

    >>> parse("0.50"), parse('{"choice:2": 0.7}')
    (0.5, BucketThresholds(entries=(('choice:2', 0.7),)))
    """
    word = text.strip()
    if word == _NONE:
        return None
    if not (word.startswith("{") and word.endswith("}")):
        return _number(float(word))
    pairs = [entry.rpartition(":") for entry in word[1:-1].split(",")]
    named = {key.strip().strip("\"'"): float(value) for key, _, value in pairs}
    if len(named) < len(pairs):
        raise ValueError(f"Expected each bucket once, but got {text}")
    return BucketThresholds.of(named)


def threshold_at(value: float | BucketThresholds, bucket: str) -> float:
    """The threshold that gates an answer of a bucket."""
    return value.at(bucket) if isinstance(value, BucketThresholds) else value


def same_gate(one: MinConfidence, other: MinConfidence) -> bool:
    """Whether both mark every answer alike, however they are written.

    >>> same_gate(0.7, BucketThresholds.of({"default": 0.7})), same_gate(None, 0.0)
    (True, False)
    """
    if one is None or other is None:
        return one is other
    return all(threshold_at(one, bucket) == threshold_at(other, bucket) for bucket in BUCKETS)


def order(value: float | BucketThresholds) -> tuple[float, str]:
    """Sort key: numbers first, ascending, then maps by their text."""
    return (math.inf, str(value)) if isinstance(value, BucketThresholds) else (value, "")


def _number(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= 1.0:
        return float(value) + 0.0  # -0.0 is 0.0
    raise ValueError(f"Expected a threshold in [0, 1], but got {value!r}")


def _digits(value: float) -> str:
    """As short as it can be without being another number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
