"""Which decisions of a result enter what: named populations, written here and nowhere else."""

from __future__ import annotations

from typing import Final

import numpy as np

from laya_sweep.metrics.arrays import Flags
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns
from laya_sweep.metrics.narrowing import EMPTY_NARROWED, narrowing_masks

EMPTY: Final = {
    "choice": "no labelled choice answers",
    "noul": "no labelled noul answers",
    "answered": "no labelled choice or noul answers",
    "score": "no labelled score answers",
    "labelled": "no labelled answers",
    **EMPTY_NARROWED,
}
"""The populations, and what a metric says that finds nobody in one.

choice, noul: labelled answers of that type. answered: both together, whatever can be right or wrong.
score: score answers with a gold score. labelled: all of these. The rest are of `narrowing`.
"""


def population_masks(columns: DecisionColumns) -> dict[str, Flags]:
    """population -> bool[n] over all decisions of the result; element i tells whether decision i is in it."""
    kind = columns.question_type
    answered = columns.correct >= 0
    score = kind == SCORE
    if score.any():
        # Where logits were NaN the error is NaN too, but the gold slot still tells that there is a label.
        score &= ~np.isnan(columns.score_error) | (columns.gold_index >= 0)
    return {
        "choice": answered & (kind == CHOICE),
        "noul": answered & (kind == NOUL),
        "answered": answered,
        "score": score,
        "labelled": answered | score,
        **narrowing_masks(columns.flags),
    }
