"""The line of a language, exactly as the published harness prints it, and the figures in it."""

import dataclasses

import numpy as np
import pytest
from builders import timing_row, timings_table

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.slices import MACRO, OVERALL
from laya_sweep.metrics import CHOICE, NOUL, SCORE, DecisionColumns, MetricRow
from laya_sweep.reports.line import LanguageFigures, language_figures, language_line, whole_lines
from laya_sweep.results.alike import alike_row
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
    figures = LanguageFigures(
        n=100, accuracy=0.82, macro_f1=0.78764, ece=0.17886, confidence=0.99889, macro_f1_slot=0.7801
    )
    line = language_line("en", figures, 36.74)
    assert line == "en n=100 acc=0.8200 macro_f1=0.7876 macro_f1_slot=0.7801 ece=0.1789 conf=0.9989 (36.7s)"


@pytest.mark.parametrize(
    ("figures", "line"),
    [
        (
            LanguageFigures(1, 1.0, 1.0, 0.0, 1.0),
            "zh-TW n=1 acc=1.0000 macro_f1=1.0000 macro_f1_slot=none ece=0.0000 conf=1.0000 (0.0s)",
        ),
        (
            LanguageFigures(0, None, None, None, None),
            "zh-TW n=0 acc=none macro_f1=none macro_f1_slot=none ece=none conf=none (0.0s)",
        ),
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
    assert figures.macro_f1_slot == 1.0  # all four choose slot 0, where the gold is


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


def figures_of(place, suffix="", **figures):
    return [
        MetricRow(*place, None, name + suffix, 1, value, 10, 5, None, None, None) for name, value in figures.items()
    ]


FIGURES = {"choice_accuracy": 0.22694, "ece": 0.57091, "macro_f1": 0.20531, "macro_f1_slot": 0.21}
POOLED = {"choice_accuracy": 0.3, "ece": 0.5, "macro_f1": 0.4, "macro_f1_slot": 0.45, "mean_confidence": 0.9}


def test_macro_and_overall_are_named_apart():
    rows = (*figures_of(MACRO, **FIGURES), *figures_of(OVERALL, **POOLED))
    result = ResultReport("english", "baseline", "served", ("de", "en"), {}, {}, rows)
    assert whole_lines(result) == [
        "english served macro over 2 languages: acc=0.2269 ece=0.5709 macro_f1=0.2053 macro_f1_slot=0.2100",
        "english served overall, 10 answers pooled: acc=0.3000 ece=0.5000 macro_f1=0.4000 macro_f1_slot=0.4500",
    ]


def test_a_transform_that_declines_questions_has_the_baseline_on_the_same_ones_behind_it():
    rows = (*figures_of(MACRO, **FIGURES), *figures_of(OVERALL, **POOLED))
    beside = [*figures_of(MACRO, choice_accuracy=0.125), *figures_of(OVERALL, choice_accuracy=0.25)]
    result = ResultReport("english", "label_rename", "served", ("de",), {}, {}, (*rows, *map(alike_row, beside)))
    lines = whole_lines(result)
    assert [line.split(":")[0] for line in lines[2:]] == [
        "english served label_rename beside baseline on the same questions, macro over 1 language",
        "english served label_rename beside baseline on the same questions, overall, 0 answers pooled",
    ]
    assert [line.split(": ")[1].split()[0] for line in lines[2:]] == ["acc=0.1250", "acc=0.2500"]


def test_an_incomplete_result_has_no_macro_in_its_line():
    rows = (*figures_of(MACRO, choice_accuracy=None), *figures_of(MACRO, "_partial", choice_accuracy=0.5))
    rows += tuple(figures_of(OVERALL, "_partial", choice_accuracy=0.5, noul_accuracy=0.75))
    result = ResultReport("english", "baseline", "raw", ("de", "en", "fr"), {"fr": "broken", "en": "cut"}, {}, rows)
    [line] = whole_lines(result)
    assert line == (
        "english raw no macro: 1 of 3 languages ran (without fr, en), and no overall; partial macro: "
        "acc=0.5000 ece=none macro_f1=none macro_f1_slot=none noul_acc=none"
    )
