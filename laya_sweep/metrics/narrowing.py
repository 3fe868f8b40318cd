"""Flags and populations of questions whose options were cut down before they were answered.

The flags of `DecisionColumns` are named for what they tell: that the gold answer was kept (`recalled` by a shortlist,
`survived` a knockout), and that the option a shortlist ranks first is the gold answer (`first_retrieved`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from laya_sweep.metrics.arrays import Flags

RECALLED: Final = "recalled"
SURVIVED: Final = "survived"
FIRST_RETRIEVED: Final = "first_retrieved"

#: Flag -> (population of the decisions that have it, the same where it is 1).
KEPT: Final[Mapping[str, tuple[str, str]]] = {
    RECALLED: ("shortlist", "shortlist_kept"),
    SURVIVED: ("knockout", "knockout_kept"),
}
RANKED: Final = "ranked"

EMPTY_NARROWED: Final[Mapping[str, str]] = {
    "shortlist": "no labelled choice answers",
    "shortlist_kept": "no shortlist holds the gold answer",
    "knockout": "no labelled choice answers",
    "knockout_kept": "no gold answer survived to the final choice",
    RANKED: "no labelled choice has more options than the shortlist keeps",
}


def narrowing_masks(flags: Mapping[str, NDArray[np.int8]]) -> dict[str, Flags]:
    """population -> bool[n], of the flags that there are."""
    masks: dict[str, Flags] = {}
    for name, (all_of_it, kept) in KEPT.items():
        if name in flags:
            masks |= {all_of_it: flags[name] >= 0, kept: flags[name] == 1}
    if FIRST_RETRIEVED in flags:
        masks[RANKED] = flags[FIRST_RETRIEVED] >= 0
    return masks
