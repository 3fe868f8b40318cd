"""The contract of an engine: a loaded checkpoint that turns presented questions into raw logits.

Bytes depend on the case alone: a row is padded by itself (see `domain.layout`), and at a fixed shape its logits do not
depend on its mates, its position or the number of rows (a test holds that), so shards, batches and actors never move
a fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.layout import Shape
from laya_sweep.domain.variant import Variant


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """One question of one variant, tokenised.

    `slots[i]` is the place in the presented question of the option in marker slot i. Token counts: the whole
    input, the state before truncation, and how much of the state was dropped. `options_distinct` is how many
    options kept a token span of their own, `tokens_per_option` the cap that was applied to each, or None.
    """

    item: dict[str, Any]
    shape: Shape
    slots: tuple[int, ...]
    input_tokens: int
    state_tokens: int
    state_tokens_dropped: int
    options_distinct: int
    tokens_per_option: int | None

    def as_presented(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the slots in the order in which the question names its options."""
        presented = np.empty_like(values)
        presented[list(self.slots)] = values
        return presented


class Forward(NamedTuple):
    """Raw logits per row in slot order (float32, one array a row) and the act probability (float32[rows])."""

    logits: list[NDArray[np.float32]]
    act_probability: NDArray[np.float32]


#: How far apart float32 logits of a row may be, alone and among others.
FLOAT32_ROWS = 2e-4


class EngineInfo(NamedTuple):
    """What a loaded engine is, as seen from inside the process that holds it.

    Where `rows_together` is False rows of a call move each other, and a call has the questions of one case, in order.
    `row_tolerance` is how far apart the logits of a row may be, alone and among others, in its precision.
    """

    device: str
    threads: int
    served_temperatures: dict[str, float]
    warnings: tuple[str, ...]
    rows_together: bool = True
    row_tolerance: float = FLOAT32_ROWS


class DeviceError(Exception):
    """The device that was asked for is not there, or the runtime left it."""


class EncodingError(Exception):
    """A question does not fit the checkpoint; it becomes an error row, its neighbours go on."""


class OutOfMemoryError(Exception):
    """A batch did not fit the device; the caller halves it."""


def by_shape(rows: Iterable[EncodedQuestion]) -> dict[Shape, list[int]]:
    """Places of the rows that may share a forward pass."""
    groups: dict[Shape, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(row.shape, []).append(place)
    return groups


class Engine(Protocol):
    """A loaded checkpoint."""

    def info(self) -> EngineInfo:
        """Device, threads, temperatures in force, and whether rows share a call."""
        ...

    def encode(self, variant: Variant, qid: str) -> EncodedQuestion:
        """Tokenise one question.

        Raises:
            EncodingError: the question cannot be put to this checkpoint.
        """
        ...

    def forward(self, rows: Sequence[EncodedQuestion]) -> Forward:
        """One forward pass over rows of one shape.

        Raises:
            OutOfMemoryError: the rows do not fit the device.
        """
        ...

    def predict(self, variant: Variant, min_confidence: float | dict[str, float] | None) -> dict[str, dict[str, Any]]:
        """The runtime's own public answers by question id, for the parity check.

        `min_confidence` is in the runtime's own form, to be handed on as it is.
        """
        ...
