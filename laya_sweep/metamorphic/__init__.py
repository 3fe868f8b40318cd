"""Metamorphic checks for a corpus of your own, in Python: does an answer survive another order, other names?

`evaluate` does a whole corpus, `evaluate_variants` one case and the variants you make of it, with a loaded checkpoint
or any scorer. The sweep does the same over datasets, as transforms. Importing this package loads no torch.
"""

from laya_sweep.metamorphic.case import (
    Input,
    MetamorphicCase,
    MetamorphicVariant,
    permute_options,
    rename_labels,
    untouched,
)
from laya_sweep.metamorphic.comparison import VariantResults, compare_predictions, report_of
from laya_sweep.metamorphic.evaluation import evaluate, evaluate_variants
from laya_sweep.metamorphic.model import model_scorer
from laya_sweep.metamorphic.prediction import Prediction, Scorer

__all__ = [
    "Input",
    "MetamorphicCase",
    "MetamorphicVariant",
    "Prediction",
    "Scorer",
    "VariantResults",
    "compare_predictions",
    "evaluate",
    "evaluate_variants",
    "model_scorer",
    "permute_options",
    "rename_labels",
    "report_of",
    "untouched",
]
