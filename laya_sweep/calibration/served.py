"""The temperatures of a checkpoint by question type, as it applies them: what a language override may take over."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from laya_sweep.domain.calibration_map import clamped
from laya_sweep.domain.question import QUESTION_TYPES
from laya_sweep.domain.regime import BucketTemperature


def type_temperatures(shipped: Mapping[str, Any]) -> dict[str, BucketTemperature]:
    """By question type, from a checkpoint's own config.

    >>> type_temperatures({"temperature": [0.1, True, 2.0]})["choice"].served
    0.5
    """
    values = shipped.get("temperature")
    if not isinstance(values, list) or len(values) != len(QUESTION_TYPES):
        values = [1.0] * len(QUESTION_TYPES)
    return {
        kind: BucketTemperature(None, _served(value), kind) for kind, value in zip(QUESTION_TYPES, values, strict=True)
    }


def _served(value: object) -> float:
    """The runtime takes what is no number for 1.0, in a config."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return 1.0
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return 1.0
    return clamped(number) if math.isfinite(number) else 1.0
