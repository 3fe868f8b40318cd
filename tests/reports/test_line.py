"""The line of a language, exactly as the published harness prints it, and the figures in it."""

import dataclasses

import numpy as np
import pytest
from builders import timing_row, timings_table

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.metrics import CHOICE, NOUL, SCORE, DecisionColumns, MetricRow
from laya_sweep.reports.line import LanguageFigures, language_figures, language_line, macro_line
from laya_sweep.results.timing import model_seconds


def columns_of(confidence, correct, pred=None, gold=None, kinds=None):
    n = len(confidence)
    integers = np.zeros(n, np.int32)
    correct = np.array(correct, np.int8)
    gold = integers if gold is None else np.array(gold, np.int32)
    pred = np.where(correct == 1, gold, gold + 1).astype(np.int32) if pred is None else np.array(pred, np.int32)
    return DecisionColumns(
        question_type=np.array([CHOICE] * n if kinds is None else kinds, np.int8),
        n_options=integers + 3,
        confidence=np.array(confidence, np.float64),
        level=np.rint(np.array(confidence) * 10_000).astype(np.int32),
        correct=correct,
        pred_index=integers,
        gold_index=integers,
        pred_label=pred,
        gold_label=gold,
        p_gold=np.full(n, np.nan),
        score_error=np.full(n, np.nan),
        source=np.arange(n, dtype=np.int32),
        slices={},
    )


def test_the_line_of_the_requirements():
    figures = LanguageFigures(n=100, accuracy=0.82, macro_f1=0.78764, ece=0.17886, confidence=0.99889)
    line = language_line("en", figures, 36.74)
    assert line == "en n=100 acc=0.8200 macro_f1=0.7876 ece=0.1789 conf=0.9989 (36.7s)"


@pytest.mark.parametrize(
    ("figures", "line"),
    [
        (LanguageFigures(1, 1.0, 1.0, 0.0, 1.0), "zh-TW n=1 acc=1.0000 macro_f1=1.0000 ece=0.0000 conf=1.0000 (0.0s)"),
        (LanguageFigures(0, None, None, None, None), "zh-TW n=0 acc=none macro_f1=none ece=none conf=none (0.0s)"),
    ],
)
def test_the_line_at_its_ends(figures, line):
    assert language_line("zh-TW", figures, 0.04) == line


def test_figures_by_hand():
    """Four answers: bins of 15 hold 0.9, 0.9 | 0.6 | 0.3; labels 0 (twice), 1 and 2, the 2 taken for a 1."""
    figures = language_figures(columns_of([0.9, 0.9, 0.6, 0.3], [1, 1, 1, 0], pred=[0, 0, 1, 1], gold=[0, 0, 1, 2]))
    assert figures.n == 4
    assert figures.accuracy == 0.75
    assert figures.confidence == pytest.approx(0.675)
    assert figures.ece == pytest.approx(0.5 * 0.1 + 0.25 * 0.4 + 0.25 * 0.3)
    assert figures.macro_f1 == pytest.approx((1.0 + 2 / 3 + 0.0) / 3)


def test_each_figure_is_of_the_types_that_it_is_about():
    """Confidence of all labelled answers, ece without scores, accuracy and F1 of choices alone."""
    whole = columns_of([0.9, 0.6, 0.5, 0.4, 0.3], [1, 0, -1, -1, 1], kinds=[CHOICE, CHOICE, CHOICE, SCORE, NOUL])
    errors = np.array([np.nan, np.nan, np.nan, -1.5, np.nan])
    figures = language_figures(dataclasses.replace(whole, score_error=errors))
    choices = language_figures(columns_of([0.9, 0.6], [1, 0]))
    assert (figures.n, figures.accuracy, figures.macro_f1) == (4, choices.accuracy, choices.macro_f1)
    assert (figures.noul_accuracy, figures.score_mae) == (1.0, 1.5)
    assert figures.confidence == pytest.approx((0.9 + 0.6 + 0.4 + 0.3) / 4)
    assert figures.ece == pytest.approx((0.1 + 0.6 + 0.7) / 3)
    assert language_line("", figures, 0.0).startswith("- n=4 acc=0.5000 ")
    assert language_line("", figures, 0.0).endswith(" noul_acc=1.0000 score_mae=1.5000 (0.0s)")


def test_unlabelled_answers_have_no_part_in_it():
    whole = columns_of([0.9, 0.6, 0.5, 0.4], [1, 0, -1, -1], kinds=[CHOICE, CHOICE, CHOICE, SCORE])
    assert language_figures(whole) == language_figures(columns_of([0.9, 0.6], [1, 0]))


def test_nothing_labelled_has_no_figures():
    assert language_figures(columns_of([0.5], [-1])) == LanguageFigures(0, None, None, None, None)


def test_seconds_count_each_call_once():
    rows = [timing_row(str(i), 800.0, batch_rows=4) for i in range(4)] + [timing_row("x", 200.0, batch_rows=1)]
    assert model_seconds(timings_table(rows)) == pytest.approx(1.0)
    assert model_seconds(timings_table(rows[:2])) == pytest.approx(0.4)
    assert model_seconds(timings_table([])) == 0.0


def macro_row(metric, value, reason=None):
    return MetricRow("macro:language", "", None, metric, 1, value, 10, 5, None, None, reason)


def test_the_macro_line_of_a_complete_result():
    rows = (macro_row("choice_accuracy", 0.22694), macro_row("ece", 0.57091), macro_row("macro_f1", 0.20531))
    result = ResultReport("english", "baseline", "served", ("de", "en"), {}, {}, rows)
    assert macro_line(result) == "english served macro over 2 languages: acc=0.2269 ece=0.5709 f1=0.2053"


def test_an_incomplete_result_has_no_macro_in_its_line():
    rows = (macro_row("choice_accuracy", None, "incomplete"), macro_row("choice_accuracy_partial", 0.5))
    result = ResultReport("english", "baseline", "raw", ("de", "en", "fr"), {"fr": "broken", "en": "cut"}, {}, rows)
    line = macro_line(result)
    assert line == ("english raw no macro: 1 of 3 languages ran (without fr, en); partial: acc=0.5000 ece=none f1=none")
