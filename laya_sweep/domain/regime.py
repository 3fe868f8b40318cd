"""Regimes: which temperature divides the logits of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from laya_sweep.domain.calibration_map import CalibrationMap, Overrides, language_key, map_of, overrides_of

#: Every kind of regime, as configurations name it; `Regime.of` says what each does.
REGIME_KINDS = ("served", "raw", "unit", "fixed", "map")


class BucketTemperature(NamedTuple):
    """A checkpoint's temperatures of one bucket; `source` is the entry that holds them, bucket or type."""

    raw: float | None
    served: float
    source: str


class Temperature(NamedTuple):
    """The temperature of a decision and where it came from."""

    value: float
    source: str


class UnusableTemperatureError(Exception):
    """The raw regime needs a temperature that the checkpoint does not ship as a number that float32 divides by."""

    def __init__(self, bucket: str) -> None:
        super().__init__(bucket)
        self.bucket = bucket


@dataclass(frozen=True, slots=True)
class Regime:
    """A regime by name: `served`, `raw`, `unit`, `fixed` with its temperature, or `map`.

    A map's temperatures are those of `calibration`, without one the checkpoint's served ones; a language in `languages`
    has its own instead, and then no binning.
    """

    name: str
    kind: str
    temperature: float | None = None
    calibration: CalibrationMap | None = None
    languages: Overrides = field(default_factory=dict)

    def of(self, bucket: str, checkpoint: Mapping[str, BucketTemperature], language: str = "") -> Temperature:
        """The temperature of one bucket of a checkpoint.

        Args:
            bucket: of the question.
            checkpoint: by bucket, and by question type for languages that take those over from it.
            language: of the case.

        Raises:
            UnusableTemperatureError: the raw regime, and no such number is shipped.
        """
        if self.kind == "unit":
            return Temperature(1.0, "unit")
        if self.kind == "fixed":
            if self.temperature is None:
                raise ValueError("Expected `temperature` of a fixed regime to be a number, but got None")
            return Temperature(self.temperature, "fixed")
        if self.kind == "map" and (override := self.languages.get(language_key(language))) is not None:
            value, entry = override[0].at(bucket)
            value = checkpoint[entry].served if override[1] and ":" not in entry else value
            return Temperature(value, f"language:{language_key(language)}:{entry}")
        if self.calibration is not None:
            value, entry = self.calibration.temperatures.at(bucket)
            return Temperature(value, f"map:{entry}")
        shipped = checkpoint[bucket]
        if self.kind in ("served", "map"):
            return Temperature(shipped.served, f"served:{shipped.source}")
        if shipped.raw is None:
            raise UnusableTemperatureError(bucket)
        return Temperature(shipped.raw, f"raw:{shipped.source}")

    def bins(self, bucket: str, language: str) -> tuple[float, ...] | None:
        """The confidences that stand for a bucket's bins of max p; None where confidences stay as they are."""
        if self.calibration is None or language_key(language) in self.languages:
            return None
        return self.calibration.bins(bucket)


def regime_of(name: str, document: Mapping[str, Any]) -> Regime:
    """A regime as a run's report records it.

    Raises:
        UsageError: it records a map that is none.
    """
    calibration, languages = document.get("map"), document.get("lang_temperatures")
    return Regime(
        name,
        document["kind"],
        document.get("temperature"),
        None if calibration is None else map_of(calibration),
        {} if languages is None else overrides_of(languages),
    )
