"""Metrics over plain arrays: exact, vectorised, with intervals. numpy and the standard library only.

Three ways in. `ece(confidence, correct)` and its kin take arrays and return a number or None. `summarise`
takes the decisions of one result as `DecisionColumns` and returns every metric with its interval, overall and
by slice; `concat` joins the decisions of several shards first, since a mean of means is wrong as soon as they differ
in size. `compare` pairs two runs.
"""

from laya_sweep.metrics.accuracy import accuracy, score_mae, score_within
from laya_sweep.metrics.agreement import AnswerDrift, answer_drift
from laya_sweep.metrics.auroc import auroc
from laya_sweep.metrics.baseline import distinct_predictions, first_option_baseline, majority_baseline
from laya_sweep.metrics.bootstrap import replicate_weights
from laya_sweep.metrics.calibration import brier, ece, mean_confidence, nll
from laya_sweep.metrics.catalogue import EVALS_METRICS
from laya_sweep.metrics.columns import CHOICE, NOUL, SCORE, DecisionColumns, SliceColumn, concat
from laya_sweep.metrics.curve import Curve, curve
from laya_sweep.metrics.draws import bootstrap_interval
from laya_sweep.metrics.f1 import macro_f1
from laya_sweep.metrics.holm import holm
from laya_sweep.metrics.interval import Interval, wilson
from laya_sweep.metrics.legacy import acc_at_50_coverage
from laya_sweep.metrics.mcnemar import mcnemar
from laya_sweep.metrics.metric_row import MetricRow
from laya_sweep.metrics.pair_summary import summarise_robustness
from laya_sweep.metrics.pair_view import PairColumns
from laya_sweep.metrics.paired import PairedComparison, compare
from laya_sweep.metrics.robustness import ROBUSTNESS_METRICS, PairFigures, compare_pairs, summarise_pairs
from laya_sweep.metrics.selective import COVERAGE_METRIC_DEFINITION, augrc, aurc, excess_aurc, selective_accuracy
from laya_sweep.metrics.summary import summarise
from laya_sweep.metrics.threshold import abstention_rate, coverage, selective_precision
from laya_sweep.metrics.value import Measure

__all__ = [
    "CHOICE",
    "COVERAGE_METRIC_DEFINITION",
    "EVALS_METRICS",
    "NOUL",
    "ROBUSTNESS_METRICS",
    "SCORE",
    "AnswerDrift",
    "Curve",
    "DecisionColumns",
    "Interval",
    "Measure",
    "MetricRow",
    "PairColumns",
    "PairFigures",
    "PairedComparison",
    "SliceColumn",
    "abstention_rate",
    "acc_at_50_coverage",
    "accuracy",
    "answer_drift",
    "augrc",
    "aurc",
    "auroc",
    "bootstrap_interval",
    "brier",
    "compare",
    "compare_pairs",
    "concat",
    "coverage",
    "curve",
    "distinct_predictions",
    "ece",
    "excess_aurc",
    "first_option_baseline",
    "holm",
    "macro_f1",
    "majority_baseline",
    "mcnemar",
    "mean_confidence",
    "nll",
    "replicate_weights",
    "score_mae",
    "score_within",
    "selective_accuracy",
    "selective_precision",
    "summarise",
    "summarise_pairs",
    "summarise_robustness",
    "wilson",
]
