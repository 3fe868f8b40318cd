"""The contract of an engine: a loaded checkpoint that turns presented questions into raw logits.

Bytes depend on the case alone: a row is padded to a length and a number of options computed from itself, and
only rows of one shape share a batch. At a fixed shape a row's logits do not depend on its mates, its position
or the number of rows (a test holds that), so shards, batches and actors never move a fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from laya_sweep.domain.variant import Variant

#: Rows are padded to a multiple of this many tokens ...
LENGTH_MULTIPLE = 16

#: ... and to at least this many option slots. The scorer multiplies a matrix of (rows x slots) vectors, and below
#: 16 of them torch takes other kernels: a noul alone in its batch differed in the last bit from one among others.
LEAST_OPTIONS = 16

#: The version of the rule, which is identity.
LAYOUT_VERSION = 2

#: The version of the other rule, for graphs whose rows move each other: a row alone, at its own length.
ALONE_VERSION = 1

#: An exported graph takes the two most probable options of a row, so that it needs two slots.
_LEAST_ALONE = 2


class Shape(NamedTuple):
    """The padded shape of a row: tokens, option slots."""

    length: int
    options: int


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


class Forward(NamedTuple):
    """Raw logits per row in slot order (float32, one array a row) and the act probability (float32[rows])."""

    logits: list[NDArray[np.float32]]
    act_probability: NDArray[np.float32]


class EngineInfo(NamedTuple):
    """What a loaded engine is, as seen from inside the process that holds it."""

    device: str
    threads: int
    served_temperatures: dict[str, float]
    warnings: tuple[str, ...]


class DeviceError(Exception):
    """The device that was asked for is not there, or the runtime left it."""


class EncodingError(Exception):
    """A question does not fit the checkpoint; it becomes an error row, its neighbours go on."""


class OutOfMemoryError(Exception):
    """A batch did not fit the device; the caller halves it."""


class Engine(Protocol):
    """A loaded checkpoint.

    An engine with an attribute `takes_batches` that is False gets its rows one by one, in the order they come.
    """

    def info(self) -> EngineInfo:
        """Device, threads and temperatures in force."""
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


def padded_shape(tokens: int, options: int, max_len: int) -> Shape:
    """The shape a row of so many tokens and options is padded to.

    Length: the next multiple of 16, but not beyond `max_len` where the row fits it. Options: the next power of
    two from 16 on.
    """
    length = -(-tokens // LENGTH_MULTIPLE) * LENGTH_MULTIPLE
    return Shape(min(length, max(max_len, tokens)), max(LEAST_OPTIONS, 1 << (options - 1).bit_length()))


def own_shape(tokens: int, options: int) -> Shape:
    """The shape of a row that is computed alone: no padding but a second option slot."""
    return Shape(tokens, max(_LEAST_ALONE, options))
