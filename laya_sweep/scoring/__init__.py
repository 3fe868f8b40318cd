"""Logits + a regime -> decisions. Derived, so recomputed any time: no torch, no Ray."""

from laya_sweep.scoring.answer import AnsweredQuestion, abstention, criterion_text, runtime_answers
from laya_sweep.scoring.decision import Place, ScoredCell, decide, decide_again
from laya_sweep.scoring.narrowed import CORRECT, MISSES, NARROWING_COLUMNS, kept_question, narrowing_of, over_all
from laya_sweep.scoring.probability import (
    abstains,
    entropy_confidence,
    gate_confidence,
    margin,
    runtime_softmax,
    softmax,
)
from laya_sweep.scoring.question import Target, option_labels, target_of
from laya_sweep.scoring.regime import (
    QUESTION_TYPES,
    BucketTemperature,
    Regime,
    Temperature,
    UnusableTemperatureError,
    option_bucket,
    regime_of,
)
from laya_sweep.scoring.rounding import Rounding

__all__ = [
    "CORRECT",
    "MISSES",
    "NARROWING_COLUMNS",
    "QUESTION_TYPES",
    "AnsweredQuestion",
    "BucketTemperature",
    "Place",
    "Regime",
    "Rounding",
    "ScoredCell",
    "Target",
    "Temperature",
    "UnusableTemperatureError",
    "abstains",
    "abstention",
    "criterion_text",
    "decide",
    "decide_again",
    "entropy_confidence",
    "gate_confidence",
    "kept_question",
    "margin",
    "narrowing_of",
    "option_bucket",
    "option_labels",
    "over_all",
    "regime_of",
    "runtime_answers",
    "runtime_softmax",
    "softmax",
    "target_of",
]
