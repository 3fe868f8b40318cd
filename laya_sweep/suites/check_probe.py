"""A probe: one configuration of a check, the questions it puts to a state, and how their logits are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class ProbeReading(NamedTuple):
    """What the logits of one state say.

    Attributes:
        value: the term whose mean over states and configurations is the check's figure.
        slots: float64[k], the same thing for each slot, for whoever asks where it comes from.
    """

    value: float
    slots: Floats


@dataclass(frozen=True, slots=True)
class Probe:
    """One configuration of a check.

    Attributes:
        name: of the configuration; with the check's name it is the question's id.
        questions: one or more, in the runtime's public form; they are asked of the same state.
        read: raw logits of the questions (each float64[k], slot i the i-th option as written) -> `ProbeReading`.
    """

    name: str
    questions: tuple[dict[str, Any], ...]
    read: Callable[[Sequence[Floats]], ProbeReading]

    def question_ids(self, check: str) -> list[str]:
        """Ids of the questions: `check/name`, with a number from the second one on."""
        return [f"{check}/{self.name}" + (f"/{i}" if i else "") for i in range(len(self.questions))]
