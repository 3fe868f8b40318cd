"""A calibration map of the runtime: temperatures by question type and bucket, a binning map, and overrides by language.

What the runtime applies (laya 0.4.15, `Agent.load_calibration` and `lang_temperatures`), restated so that nothing here
needs torch; tests hold it against the runtime's own answers. Where the runtime replaces a temperature that is no
number by 1.0, a file is refused here: a map that means something else than it says calibrates nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from laya_sweep.domain.bucket import BUCKETS
from laya_sweep.domain.question import QUESTION_TYPES

#: What the runtime confines every temperature to.
LEAST: Final = 0.5
MOST: Final = 5.0

#: Key under which a map tells what it was fitted on; the runtime reads past it.
OWN_KEY: Final = "laya_sweep"


@dataclass(frozen=True, slots=True)
class Temperatures:
    """Temperatures as applied: one a question type, and those of the buckets that have their own."""

    by_type: tuple[float, float, float]
    by_bucket: tuple[tuple[str, float], ...] = ()

    def at(self, bucket: str) -> tuple[float, str]:
        """The temperature of a bucket, and the entry that holds it."""
        own = dict(self.by_bucket)
        kind = bucket.partition(":")[0]
        return (own[bucket], bucket) if bucket in own else (self.by_type[QUESTION_TYPES.index(kind)], kind)

    def document(self) -> dict[str, Any]:
        """In the form of the runtime."""
        return {"temperature": list(self.by_type), "temperature_by_options": dict(self.by_bucket)}


@dataclass(frozen=True, slots=True)
class CalibrationMap:
    """Temperatures, and for some buckets the confidence that stands for each of equally wide bins of max p."""

    temperatures: Temperatures
    binning: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def bins(self, bucket: str) -> tuple[float, ...] | None:
        """The confidences of a bucket's bins; None where confidences stay as they are."""
        return dict(self.binning).get(bucket)

    def document(self) -> dict[str, Any]:
        """What the runtime reads of a map file."""
        document = self.temperatures.document()
        if self.binning:
            document["binning_map"] = {key: {"bins": len(row), "values": list(row)} for key, row in self.binning}
        return document


#: Overrides by language, as the runtime looks it up; the flag is as in `overrides_of`.
Overrides = Mapping[str, tuple[Temperatures, bool]]


def language_key(language: str) -> str:
    """A language as the runtime looks overrides up.

    >>> language_key("zh-CN")
    'zh'
    """
    return language.split("-")[0].lower()


def clamped(temperature: float) -> float:
    """A temperature as applied.

    >>> clamped(0.1), clamped(1.5), clamped(9.0)
    (0.5, 1.5, 5.0)
    """
    return min(MOST, max(LEAST, temperature))


def map_of(document: object) -> CalibrationMap:
    """The map in a document that the runtime wrote, or that is written as it does.

    Raises:
        ValueError: one sentence that says what is wrong.
    """
    if not isinstance(document, Mapping):
        raise ValueError(f"Expected an object with temperature, but got {_kind(document)}")
    _check_version(document.get("version"))
    if "temperature" not in document:
        raise ValueError(f"Expected `temperature`, but got keys {', '.join(map(str, document)) or 'none'}")
    binning = document.get("binning_map")
    return CalibrationMap(_temperatures(document, ""), () if binning is None else _binning(binning))


def overrides_of(document: object) -> dict[str, tuple[Temperatures, bool]]:
    """Overrides by language; the flag tells that the types' temperatures are the checkpoint's own, to be filled in.

    Raises:
        ValueError: one sentence that says what is wrong.
    """
    if not isinstance(document, Mapping) or not document:
        raise ValueError(f"Expected an object of language to temperatures, but got {_kind(document)}")
    found: dict[str, tuple[Temperatures, bool]] = {}
    for language, entry in document.items():
        if not isinstance(language, str) or not language:
            raise ValueError(f"Expected languages as texts, but got {language!r}")
        if language_key(language) in found:
            raise ValueError(
                f"Expected each language once, but got {language!r} again: the runtime reads its first part"
            )
        if entry is not None and not isinstance(entry, Mapping):
            raise ValueError(f"Expected an object for {language}, but got {_kind(entry)}")
        own = {} if entry is None else entry
        inherited = own.get("temperature") is None
        read = _temperatures({**own, "temperature": [1.0] * 3} if inherited else own, f"{language}.")
        found[language_key(language)] = (read, inherited)
    return found


def without_own_key(overrides: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Overrides by language as the runtime reads them: without what is told of their fit."""
    if overrides is None:
        return None
    return {
        language: None if entry is None else {key: value for key, value in entry.items() if key != OWN_KEY}
        for language, entry in overrides.items()
    }


def outside(document: object) -> list[str]:
    """Temperatures of a map or of overrides that the runtime moves into its range, by name; [] for none."""
    if not isinstance(document, Mapping):
        return []
    if "temperature" not in document and "temperature_by_options" not in document:
        return [f"{language}.{name}" for language, entry in document.items() for name in outside(entry)]
    named = [(f"temperature[{i}]", value) for i, value in enumerate(document.get("temperature") or ())]
    named += (document.get("temperature_by_options") or {}).items()
    return [f"{name}={value:g}" for name, value in named if clamped(value) != value]


def _check_version(value: object) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value != int(value)):
        raise ValueError(f"Expected `version` to be a whole number, but got {value!r}")


def _temperatures(document: Mapping[Any, Any], where: str) -> Temperatures:
    by_type = document.get("temperature")
    if not isinstance(by_type, Sequence) or isinstance(by_type, str) or len(by_type) != len(QUESTION_TYPES):
        expected = f"3 numbers, of {', '.join(QUESTION_TYPES)}"
        raise ValueError(f"Expected `{where}temperature` to be {expected}, but got {by_type!r:.60}")
    named = _by_bucket(document.get("temperature_by_options") or {}, f"{where}temperature_by_options")
    choice, score, noul = (clamped(_number(value, f"{where}temperature[{i}]")) for i, value in enumerate(by_type))
    buckets = tuple((key, clamped(_number(named[key], f"{where}{key}"))) for key in BUCKETS if key in named)
    return Temperatures((choice, score, noul), buckets)


def _binning(document: object) -> tuple[tuple[str, tuple[float, ...]], ...]:
    named = _by_bucket(document, "binning_map")
    return tuple((key, _bins(key, named[key])) for key in BUCKETS if key in named)


def _bins(bucket: str, entry: object) -> tuple[float, ...]:
    bins, values = (entry.get("bins"), entry.get("values")) if isinstance(entry, Mapping) else (None, None)
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise ValueError(
            f"Expected `bins` of binning_map {bucket} to be a whole number of at least 1, but got {bins!r}"
        )
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != bins:
        raise ValueError(f"Expected {bins} `values` of binning_map {bucket}, but got {values!r:.60}")
    read = tuple(_number(value, f"binning_map {bucket}") for value in values)
    if wrong := [value for value in read if not 0.0 <= value <= 1.0]:
        raise ValueError(f"Expected values of binning_map {bucket} in [0, 1], but got {wrong[0]!r}")
    return read


def _by_bucket(document: object, what: str) -> Mapping[str, Any]:
    if not isinstance(document, Mapping):
        raise ValueError(f"Expected `{what}` to be an object by bucket, but got {_kind(document)}")
    if unknown := [key for key in document if key not in BUCKETS]:
        raise ValueError(f"Expected buckets of `{what}` among {', '.join(BUCKETS)}, but got {unknown[0]!r}")
    return document


def _number(value: object, what: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ValueError(f"Expected {what} to be a finite number, but got {value!r:.60}")


def _kind(value: object) -> str:
    return "nothing" if value is None or value == {} else type(value).__name__
