"""Every metric of decisions: its name, who enters it, how it is computed and how it is resampled.

A new metric is one entry here, which also says which way is better. What it is decides its interval: a
`proportion` has Wilson's, a mean of terms or a member of a `family` is resampled, and `no_interval` says why
there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from laya_sweep.domain.thresholds import BucketThresholds, MinConfidence, order
from laya_sweep.metrics.accuracy import Total, tolerance_of, within
from laya_sweep.metrics.arrays import Flags, Floats, number_within
from laya_sweep.metrics.auroc import auroc_of
from laya_sweep.metrics.baseline import distinct_of, majority_of
from laya_sweep.metrics.calibration import BINS, squared_errors, surprisals
from laya_sweep.metrics.legacy import acc_at_50_coverage_of
from laya_sweep.metrics.metric import Mean, ViewMetric
from laya_sweep.metrics.narrowing import FIRST_RETRIEVED, KEPT, RANKED, RECALLED, SURVIVED
from laya_sweep.metrics.nature import Direction
from laya_sweep.metrics.populations import EMPTY
from laya_sweep.metrics.selective import (
    augrc_of,
    aurc_of,
    excess_aurc_of,
    selective_accuracy_of,
)
from laya_sweep.metrics.signed_gaps import SignedGaps
from laya_sweep.metrics.slice_view import SliceView
from laya_sweep.metrics.spread import Spread
from laya_sweep.metrics.threshold import Cut, ThresholdCounts, cut_of
from laya_sweep.metrics.value import Measure

DecisionMetric: TypeAlias = ViewMetric[SliceView]
Terms: TypeAlias = Callable[[SliceView], Floats | Flags]


def _mean(
    name: str,
    population: str,
    terms: Terms,
    what: str = "values",
    *,
    better: Direction = "neither",
    proportion: bool = False,
) -> DecisionMetric:
    def measure(view: SliceView) -> Measure:
        return Total.update(terms(view)).compute(EMPTY[population], what, view.nan)

    return DecisionMetric(name, population, measure, Mean(population, terms), proportion=proportion, better=better)


def _correct(population: str) -> Terms:
    return lambda view: view.correct(population)


def _accuracy(name: str, population: str) -> DecisionMetric:
    found = _mean(name, population, _correct(population), better="higher", proportion=True)
    return replace(found, spread=lambda view: view.right_spread(population))


def _first(population: str) -> Terms:
    return lambda view: view.column("gold_index", population) == 0


def _within(tolerance: float) -> DecisionMetric:
    def terms(view: SliceView) -> Floats | Flags:
        error = view.column("score_error", "score")
        kept = within(error, tolerance)
        finite = np.isfinite(error)
        # Under "strict" a NaN term carries the fault to the sum, which then refuses; else it is a miss.
        return kept if view.nan == "compatible" or finite.all() else np.where(finite, kept, np.nan)

    return _mean(f"score_within_{tolerance:g}", "score", terms, "score errors", better="higher", proportion=True)


def _area(name: str, measure: Callable[[SliceView], Measure]) -> DecisionMetric:
    """An area under a curve over coverage."""
    return DecisionMetric(name, "answered", measure, family="ranking", better="lower", cuts=True, of_pairs=True)


def _f1(name: str, measure: Callable[[SliceView], Measure]) -> DecisionMetric:
    # Rare classes go missing from a sample, and again from its replicates: twice the same bias.
    return DecisionMetric(name, "choice", measure, family="classes", recentre=2, better="higher")


def _majority(name: str, population: str, measure: Callable[[SliceView], Measure]) -> DecisionMetric:
    # A largest share only grows by resampling, the more so where the largest is not far ahead.
    return DecisionMetric(name, population, measure, family="classes", recentre=1)


def _legacy(view: SliceView) -> Measure:
    return acc_at_50_coverage_of(view.column("confidence", "answered"), view.correct("answered"))


def _clipped(bins: int, view: SliceView) -> Measure:
    counts = view.bins(bins)
    return Measure(float(counts.clipped), counts.n) if counts.n else Measure.missing(0, EMPTY["answered"])


def _confidence_terms(view: SliceView) -> Floats:
    return view.column("confidence", "labelled")


def _absolute_errors(view: SliceView) -> Floats:
    errors: Floats = np.abs(view.column("score_error", "score"))
    return errors


def _brier_terms(view: SliceView) -> Floats:
    return squared_errors(view.column("confidence", "answered"), view.correct("answered"))


def _nll_terms(view: SliceView) -> Floats:
    return surprisals(view.column("p_gold", "answered"))


def _fixed(bins: int) -> list[DecisionMetric]:
    """The metrics that have no parameter but the bin count, in the order of reports."""
    return [
        replace(_accuracy("choice_accuracy", "choice"), short="acc", in_evals=True),
        _accuracy("accuracy", "choice"),
        replace(_accuracy("noul_accuracy", "noul"), short="noul_acc", in_evals=True),
        replace(_mean("score_mae", "score", _absolute_errors, "score errors", better="lower"), in_evals=True),
        replace(_mean("mean_confidence", "labelled", _confidence_terms, "confidences"), short="conf", in_evals=True),
        DecisionMetric(
            "ece",
            "answered",
            lambda v: v.bins(bins).compute(v.nan),
            SignedGaps("answered", bins),
            better="lower",
            of_pairs=True,
            in_evals=True,
        ),
        DecisionMetric(
            "clipped_confidences", "answered", partial(_clipped, bins), no_interval="a count of faults", better="lower"
        ),
        replace(_mean("brier", "answered", _brier_terms, "confidences", better="lower"), of_pairs=True, in_evals=True),
        _mean("nll", "answered", _nll_terms, "log-likelihoods", better="lower"),
        replace(_area("aurc", lambda v: aurc_of(v.levels, v.nan)), in_evals=True),
        _area("excess_aurc", lambda v: excess_aurc_of(v.levels, v.nan)),
        _area("augrc", lambda v: augrc_of(v.levels, v.nan)),
        DecisionMetric("auroc", "answered", lambda v: auroc_of(v.levels, v.nan), family="ranking", better="higher"),
        DecisionMetric("acc_at_50_coverage", "answered", _legacy, family="ranking", better="higher"),
        _f1("macro_f1", lambda v: v.labels.compute()),
        _f1("macro_f1_slot", lambda v: v.slots.compute()),
        _majority("majority_baseline", "choice", lambda v: majority_of(v.labels)),
        _mean("first_option_baseline", "choice", _first("choice"), proportion=True),
        _majority("noul_majority_baseline", "noul", lambda v: majority_of(v.sides, EMPTY["noul"])),
        _mean("noul_first_option_baseline", "noul", _first("noul"), proportion=True),
        DecisionMetric(
            "distinct_predictions",
            "choice",
            lambda v: distinct_of(v.labels),
            no_interval="resampling can only lose distinct values",
        ),
    ]


def _flagged(name: str, population: str, flag: str, better: Direction) -> DecisionMetric:
    return _mean(name, population, lambda view: view.flag(flag, population), better=better, proportion=True)


def _narrowing(flags: Collection[str]) -> list[DecisionMetric]:
    """How often the gold answer was kept, and how often the answer was right where it was."""
    metrics = []
    if RECALLED in flags:
        every, kept = KEPT[RECALLED]
        metrics += [
            replace(_flagged("shortlist_recall_at_k", every, RECALLED, "higher"), in_evals=True),
            replace(_accuracy("shortlist_accuracy_on_recalled", kept), in_evals=True),
            _flagged("shortlist_first_retrieved_accuracy", RANKED, FIRST_RETRIEVED, "higher"),
        ]
    if SURVIVED in flags:
        every, kept = KEPT[SURVIVED]
        metrics += [
            replace(_flagged("tournament_survival_rate", every, SURVIVED, "higher"), in_evals=True),
            replace(_accuracy("tournament_accuracy_on_survivors", kept), in_evals=True),
        ]
    return metrics


def _selective(coverage: float) -> DecisionMetric:
    share = number_within(coverage, "coverage", 0.0, 1.0, open_low=True)
    return DecisionMetric(
        f"selective_accuracy@{share * 100:g}",
        "answered",
        lambda v: selective_accuracy_of(v.levels, share, v.nan),
        family="ranking",
        better="higher",
        cuts=True,
        share=share,
        of_pairs=True,
        in_evals=True,
    )


def _thresholds(min_confidence: float | BucketThresholds) -> list[DecisionMetric]:
    """Coverage, abstention and precision at one threshold, or at one a bucket."""
    cut = cut_of(min_confidence)

    def metric(
        name: str,
        read: Callable[[ThresholdCounts], Measure],
        mean: Mean[SliceView],
        spread: Callable[[SliceView, Cut], Spread],
        better: Direction = "neither",
    ) -> DecisionMetric:
        return DecisionMetric(
            name,
            "answered",
            lambda v: read(v.threshold(cut)),
            mean,
            min_confidence=min_confidence if isinstance(min_confidence, BucketThresholds) else float(min_confidence),
            proportion=True,
            spread=lambda v: spread(v, cut),
            better=better,
        )

    def accepted(view: SliceView) -> Flags:
        return view.accepted(cut)

    kept = Mean("answered", accepted)
    withheld = Mean[SliceView]("answered", lambda v: ~v.accepted(cut))
    right = Mean("answered", _correct("answered"), kept=accepted)
    return [
        metric("coverage", ThresholdCounts.coverage, kept, SliceView.coverage_spread),
        metric("abstention_rate", ThresholdCounts.abstention_rate, withheld, SliceView.coverage_spread),
        metric("selective_precision", ThresholdCounts.selective_precision, right, SliceView.precision_spread, "higher"),
    ]


SELECTIVE_COVERAGES: Final = (0.5, 0.8)


def catalogue(
    *,
    bins: int = BINS,
    score_within: Sequence[float] = (),
    coverages: Sequence[float] = SELECTIVE_COVERAGES,
    min_confidence: Sequence[MinConfidence] = (),
    only: Sequence[str] | None = None,
    flags: Collection[str] = (),
) -> list[DecisionMetric]:
    """The metrics of a summary, in the order of its rows.

    Args:
        bins: of `ece`.
        score_within: tolerances; each gives `score_within_<tolerance>`.
        coverages: shares in (0, 1]; each gives `selective_accuracy@<percent>`.
        min_confidence: thresholds; None among them is no threshold and gives no row, 0.0 gives rows.
        only: keep these names alone; `ValueError` names one that does not exist, so that a slip in a metric's
            name cannot pass for "nothing to report".
        flags: those that the decisions have; each brings its metrics.

    >>> [metric.name for metric in catalogue(only=["ece", "selective_accuracy@50"])]
    ['ece', 'selective_accuracy@50']
    """
    metrics = _fixed(bins)
    place = 1 + next(i for i, metric in enumerate(metrics) if metric.name == "score_mae")
    tolerances = dict.fromkeys(tolerance_of(value) for value in score_within)
    metrics[place:place] = [_within(value) for value in tolerances]
    place = 1 + next(i for i, metric in enumerate(metrics) if metric.name == "auroc")
    metrics[place:place] = [_selective(value) for value in dict.fromkeys(coverages)]
    metrics += _narrowing(flags)
    for value in sorted({value for value in min_confidence if value is not None}, key=order):
        metrics += _thresholds(value)
    if only is None:
        return metrics
    unknown = sorted(set(only) - {metric.name for metric in metrics})
    if unknown:
        known = ", ".join(dict.fromkeys(metric.name for metric in metrics))
        raise ValueError(f"Expected metrics to be among {known}, but got {', '.join(unknown)}")
    return [metric for metric in metrics if metric.name in only]


#: What an upstream report has of every set, beside the tolerances that were asked for and the `*_ms` figures.
EVALS_METRICS: Final = tuple(metric.name for metric in catalogue() if metric.in_evals)
