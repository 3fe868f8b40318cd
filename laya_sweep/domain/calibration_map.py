"""A calibration map of the runtime: temperatures by question type and bucket, a binning map, and overrides by language.

What the runtime applies (laya 0.4.15, `Agent.load_calibration` and `lang_temperatures`), restated so that nothing here
needs torch; tests hold it against the runtime's own answers. Where the runtime replaces a temperature that is no
number by 1.0, a file is refused here: a map that means something else than it says calibrates nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from laya_sweep.domain.bucket import BUCKETS
from laya_sweep.domain.checked import Count, Document, Finite, Listed, Refusal, Takes, Text, among, checked, refuse
from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.errors import Problem, UsageError

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


#: Overrides by language, as the runtime looks it up; the flag tells that the types' temperatures are the checkpoint's
#: own, to be filled in.
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


def _each_once(entries: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, str] = {}
    again = [language for language in entries if first.setdefault(language_key(language), language) != language]
    if again:
        words = "each language once, by its first part, which is what the runtime reads"
        refuse(*(Refusal((name,), words, name, "keep one", f"{first[language_key(name)]} too") for name in again))
    return entries


def _whole(value: float) -> float:
    if value.is_integer():
        return value
    raise ValueError("a fraction")


_Temperature = Annotated[Finite, AfterValidator(clamped)]
_ByType = Annotated[
    tuple[_Temperature, ...],
    Listed,
    Field(min_length=len(QUESTION_TYPES), max_length=len(QUESTION_TYPES)),
    Takes(f"{len(QUESTION_TYPES)} finite numbers, of {', '.join(QUESTION_TYPES)}", whole=True),
]
_Bucket = Annotated[str, among(BUCKETS, "a bucket")]


class _Written(Document):
    """What a map and an override have in common; other keys say nothing of temperatures, and pass."""

    model_config = ConfigDict(extra="ignore")

    temperature_by_options: Annotated[
        dict[_Bucket, _Temperature],
        BeforeValidator(lambda given: given or {}),  # as the runtime takes it
        Takes("an object by bucket"),
    ] = Field(default_factory=dict)

    def temperatures(self, by_type: Sequence[float]) -> Temperatures:
        """As applied, buckets in their order."""
        choice, score, noul = by_type
        own = self.temperature_by_options
        return Temperatures((choice, score, noul), tuple((key, own[key]) for key in BUCKETS if key in own))


class _WrittenBins(Document):
    """The binning of one bucket."""

    model_config = ConfigDict(extra="ignore")

    bins: Count
    values: Annotated[
        tuple[Annotated[float, Field(ge=0, le=1), Takes("a number in [0, 1]")], ...],
        Listed,
        Takes("a list of numbers in [0, 1]"),
    ]

    @model_validator(mode="after")
    def _one_a_bin(self) -> Self:
        if len(self.values) != self.bins:
            words = f"a number for each of {self.bins} bins"
            refuse(Refusal(("values",), words, self.values, got=f"{len(self.values)} numbers"))
        return self


class _WrittenMap(_Written):
    """A map file; its version is a number that nothing hangs on here."""

    version: Annotated[int | Annotated[float, AfterValidator(_whole)] | None, Takes("a whole number", whole=True)] = (
        None
    )
    temperature: _ByType
    binning_map: Annotated[dict[_Bucket, _WrittenBins] | None, Takes("an object by bucket")] = None

    def calibration(self) -> CalibrationMap:
        """As applied, buckets in their order."""
        binning = self.binning_map or {}
        bins = tuple((key, binning[key].values) for key in BUCKETS if key in binning)
        return CalibrationMap(self.temperatures(self.temperature), bins)


class _WrittenOverride(_Written):
    """The temperatures of one language."""

    temperature: _ByType | None = None


def _as_applied(entries: dict[str, _WrittenOverride | None]) -> dict[str, tuple[Temperatures, bool]]:
    given = {language: entry or _WrittenOverride() for language, entry in entries.items()}
    return {
        language_key(language): (entry.temperatures(entry.temperature or (1.0,) * 3), entry.temperature is None)
        for language, entry in given.items()
    }


#: The type of a map that the runtime wrote, or that is written as it does; its value is the `CalibrationMap`.
MAP = Annotated[_WrittenMap, Takes("an object with temperature"), AfterValidator(_WrittenMap.calibration)]

#: The type of overrides by language; its value is `Overrides`.
OVERRIDES = Annotated[
    dict[Text, _WrittenOverride | None],
    Field(min_length=1),
    AfterValidator(_each_once),
    Takes("an object of language to temperatures"),
    AfterValidator(_as_applied),
]


def _required(hint: Any, document: object, what: str) -> Any:  # noqa: ANN401 - of the hint's type
    problems: list[Problem] = []
    value = checked(hint, document, what, problems)
    if problems:
        raise UsageError(*problems)
    return value


def map_of(document: object) -> CalibrationMap:
    """The map in a document.

    Raises:
        UsageError: with every fault of it.
    """
    calibration: CalibrationMap = _required(MAP, document, "calibration map")
    return calibration


def overrides_of(document: object) -> Overrides:
    """The overrides by language in a document.

    Raises:
        UsageError: with every fault of it.
    """
    overrides: Overrides = _required(OVERRIDES, document, "lang_temperatures")
    return overrides


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
