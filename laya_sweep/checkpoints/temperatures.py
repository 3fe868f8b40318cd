"""The temperatures of a checkpoint, raw and as served, resolved once into facts for scoring to look up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from laya_sweep.domain.bucket import SIZE_COUNTS
from laya_sweep.domain.checked import DIVISORS

#: Fields of a checkpoint's config that are served after the forward pass, so not part of what makes a logit.
TEMPERATURE_FIELDS = ("temperature", "temperature_by_options")

_NEUTRAL = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class TemperatureFact:
    """Temperatures of one question type and option-count bucket.

    `raw` is what the checkpoint ships (None where that is no number float32 divides by), `served` what the runtime
    applies. `source` says which entry answered: the bucket's own, or the type's where the bucket is missing.
    """

    question_type: str
    bucket: str
    raw: float | None
    served: float
    source: str


def resolve_temperatures(config: Mapping[str, Any]) -> list[TemperatureFact]:
    """Facts for all 12 combinations of question type and bucket, by the runtime's own bucket and clamp rules.

    Imports laya.common, and with it torch: callers keep the result.
    """
    from laya.common import QTYPES, clamp_temperature, temp_bucket

    by_type = config.get("temperature", _NEUTRAL)
    by_bucket = config.get("temperature_by_options", {})
    facts = []
    for name, index in QTYPES.items():
        for options in SIZE_COUNTS:
            bucket = temp_bucket(index, options)
            shipped = by_bucket.get(bucket, by_type[index])
            source = bucket if bucket in by_bucket else name
            facts.append(TemperatureFact(name, bucket, _divisor(shipped), clamp_temperature(shipped), source))
    return facts


def to_json(facts: list[TemperatureFact]) -> list[dict[str, Any]]:
    """Plain values, for the store."""
    return [asdict(fact) for fact in facts]


def from_json(values: list[dict[str, Any]]) -> list[TemperatureFact]:
    """The inverse of `to_json`."""
    return [TemperatureFact(**value) for value in values]


def _divisor(value: Any) -> float | None:  # noqa: ANN401 - whatever the config holds
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if DIVISORS[0] <= value <= DIVISORS[1] else None
