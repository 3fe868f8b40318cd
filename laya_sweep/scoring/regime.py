"""Regimes: which temperature divides the logits of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

#: Question types by name, in the runtime's order.
QUESTION_TYPES = ("choice", "score", "noul")


def option_bucket(question_type: str, n_options: int) -> str:
    """The runtime's temperature bucket of a question, by its real option count (held against laya in tests).

    >>> option_bucket("choice", 7)
    'choice:6-10'
    """
    size = "2" if n_options <= 2 else "3-5" if n_options <= 5 else "6-10" if n_options <= 10 else "11+"
    return f"{question_type}:{size}"


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
    """The raw regime needs a temperature that the checkpoint does not ship as a positive number."""

    def __init__(self, bucket: str) -> None:
        super().__init__(bucket)
        self.bucket = bucket


@dataclass(frozen=True, slots=True)
class Regime:
    """A regime by name: `served`, `raw`, `unit`, or `fixed` with its temperature."""

    name: str
    kind: str
    temperature: float | None = None

    def of(self, bucket: str, checkpoint: Mapping[str, BucketTemperature]) -> Temperature:
        """The temperature of one bucket of a checkpoint.

        Raises:
            UnusableTemperatureError: the raw regime, and no positive number is shipped.
        """
        if self.kind == "unit":
            return Temperature(1.0, "unit")
        if self.kind == "fixed":
            if self.temperature is None:
                raise ValueError("Expected `temperature` of a fixed regime to be a number, but got None")
            return Temperature(self.temperature, "fixed")
        entry = checkpoint[bucket]
        if self.kind == "served":
            return Temperature(entry.served, f"served:{entry.source}")
        if entry.raw is None:
            raise UnusableTemperatureError(bucket)
        return Temperature(entry.raw, f"raw:{entry.source}")
