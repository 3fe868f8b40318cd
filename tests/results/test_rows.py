"""Facts -> decisions -> metrics of whole results: complete macros only, rows of this run only."""

import dataclasses
import functools
import json

import numpy as np
import pyarrow as pa
import pytest
from builders import error_row, fact_row, facts_table, make_cases, timing_row, timings_table

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.domain.regime import BucketTemperature, Regime
from laya_sweep.domain.result_key import ResultKey
from laya_sweep.domain.thresholds import BucketThresholds
from laya_sweep.errors import CheckpointError
from laya_sweep.metrics import CHOICE, NOUL, SCORE
from laya_sweep.results import figures
from laya_sweep.results.columns import decision_columns
from laya_sweep.results.decisions import is_served, score_cell, score_place
from laya_sweep.results.figures import metric_row, metrics_table
from laya_sweep.results.rows import joined, select_rows
from laya_sweep.run.plan import Cell
from laya_sweep.store.facts import RowId
from laya_sweep.store.schemas import DECISIONS, METRICS
from laya_sweep.transforms.registry import variants_of

UNLABELLED = dict.fromkeys(("gold_index", "gold_label", "p_gold", "correct"))
SERVED = Regime("served", "served")
BUCKETS = {
    f"{kind}:{size}": BucketTemperature(1.0, 1.0, kind)
    for kind in ("choice", "score", "noul")
    for size in ("2", "3-5", "6-10", "11+")
}


summarise_result = functools.partial(figures.summarise_result, replicates=20)


def cell_of(cases, language="en"):
    variants = tuple(variant for case in cases for variant in variants_of("baseline", case))
    return Cell(
        key="key",
        identity={},
        checkpoint="mine",
        language=language,
        transform="baseline",
        cases=tuple(cases),
        variants=variants,
        done=frozenset(),
    )


def answered(cases, right, language="en"):
    """Facts in which the first `right` cases are answered rightly, the others wrongly."""
    rows = []
    for i, case in enumerate(cases):
        options = [*case.questions["intent"]["criteria"]]
        gold = options.index(case.expected["intent"])
        logits = [0.0] * len(options)
        logits[gold if i < right else (gold + 1) % len(options)] = 2.0 + i / 10
        rows.append(fact_row(case.case_id, logits, language=language))
    return facts_table(rows)


def decisions_of(language, count, right):
    cases = make_cases(count, language)
    rows = select_rows(cell_of(cases, language), answered(cases, right, language), timings_table([]))
    return score_cell(rows, SERVED, BUCKETS)


def figure(rows, dimension, value, metric):
    wanted = (dimension, value, metric, None)
    [row] = [r for r in rows if (r.slice_dimension, r.slice_value, r.metric, r.min_confidence) == wanted]
    return row


def test_rows_are_taken_in_case_order_whatever_the_store_holds():
    cases = make_cases(4)
    facts = [fact_row(case.case_id, [float(i), 0.0, 0.0]) for i, case in enumerate(cases)]
    more = [fact_row("another-case"), fact_row(cases[0].case_id, variant="turned"), *reversed(facts)]
    timings = [timing_row("another-case"), *(timing_row(case.case_id, i) for i, case in enumerate(cases))]
    rows = select_rows(cell_of(cases), facts_table(more), timings_table(timings))
    assert rows.facts.to_pylist() == facts_table(facts).to_pylist()
    assert rows.timings["call_ms"].to_pylist() == [0.0, 1.0, 2.0, 3.0]
    assert (rows.missing, rows.errors, rows.failure("fail")) == (0, (), None)


def test_missing_and_failed_rows_fail_the_cell_by_name():
    cases = make_cases(5)
    some = [fact_row(case.case_id) for case in cases[:3]]
    missing = select_rows(cell_of(cases), facts_table(some), timings_table([]))
    assert (missing.missing, missing.failure("skip")) == (2, "2 of 5 rows are missing")
    failed = select_rows(cell_of(cases), facts_table([*some, error_row(cases[3].case_id)]), timings_table([]))
    assert (failed.missing, len(failed.errors)) == (1, 1)
    said = f"en row {cases[3].row_index} intent: EncodingError: does not fit"
    assert failed.failure("fail") == f"1 of 5 rows failed, the first: {said}"
    whole = [*some, fact_row(cases[4].case_id), error_row(cases[3].case_id)]
    assert select_rows(cell_of(cases), facts_table(whole), timings_table([])).failure("skip") is None
    alone = select_rows(cell_of(cases[:1]), facts_table([error_row(cases[0].case_id)]), timings_table([]))
    assert alone.failure("skip") is not None


def test_decisions_are_of_successful_rows_with_their_cases_answers():
    cases = make_cases(4)
    facts = facts_table([*answered(cases[:3], 2).to_pylist(), error_row(cases[3].case_id)])
    table = score_cell(select_rows(cell_of(cases), facts, timings_table([])), SERVED, BUCKETS)
    assert table.schema.equals(DECISIONS)
    assert table["case_id"].to_pylist() == [case.case_id for case in cases[:3]]
    assert table["source_id"].to_pylist() == ["0", "1", "2"]
    assert table["gold_label"].to_pylist() == [case.expected["intent"] for case in cases[:3]]
    assert table["correct"].to_pylist() == [True, True, False]


def test_an_unusable_raw_temperature_is_a_fault_of_the_checkpoint():
    cases = make_cases(1)
    rows = select_rows(cell_of(cases), answered(cases, 1), timings_table([]))
    with pytest.raises(CheckpointError) as caught:
        score_cell(rows, Regime("raw", "raw"), BUCKETS | {"choice:3-5": BucketTemperature(None, 1.0, "choice:3-5")})
    [problem] = caught.value.problems
    assert problem.what == "regime raw of checkpoint mine"
    assert "choice:3-5" in problem.expected


def test_columns_for_the_metrics():
    row = decisions_of("en", 1, 1).to_pylist()[0]
    wrong = {"pred_label": "b", "gold_label": "a", "p_gold": 0.1, "correct": False}
    own = [
        row | wrong | {"gate_confidence": 0.7123, "answer_confidence": 0.71234},
        row | UNLABELLED | {"source_id": "9", "language": "de"},
        row | {"question_type": "noul", "gate_confidence": 1.0, "correct": True},
        row | UNLABELLED | {"question_type": "score", "score_error": -0.5},
    ]
    columns = decision_columns(pa.Table.from_pylist(own, schema=DECISIONS))
    assert columns.question_type.tolist() == [CHOICE, CHOICE, NOUL, SCORE]
    assert columns.level[[0, 2]].tolist() == [7123, 10_000]
    assert columns.confidence[0] == 0.71234
    assert columns.correct.tolist() == [0, -1, 1, -1]
    assert columns.gold_index[1] == columns.gold_label[1] == -1
    assert columns.pred_label[0] != columns.gold_label[0]
    assert np.isnan(columns.p_gold[[1, 3]]).all()
    assert columns.p_gold[0] == 0.1
    assert (columns.score_error[3], np.isnan(columns.score_error[:3]).all()) == (-0.5, True)
    assert columns.source.tolist() == [0, 1, 0, 0]
    languages = columns.slices["language"]
    assert [languages.values[code] for code in languages.codes] == ["en", "de", "en", "en"]


def test_labels_of_gold_and_prediction_share_one_code_space():
    table = decisions_of("en", 6, 3)
    columns = decision_columns(table)
    same = [p == g for p, g in zip(table["pred_label"].to_pylist(), table["gold_label"].to_pylist(), strict=True)]
    assert (columns.pred_label == columns.gold_label).tolist() == same == [True] * 3 + [False] * 3


def two_languages():
    return pa.concat_tables([decisions_of("de", 10, 10), decisions_of("en", 4, 1)])


def test_the_macro_is_over_the_languages_asked_for():
    rows = summarise_result(two_languages(), ["en", "de"], [0.0])
    assert figure(rows, "macro:language", "", "choice_accuracy").value == pytest.approx((1.0 + 0.25) / 2)
    assert figure(rows, "overall", "", "choice_accuracy").value == pytest.approx(11 / 14)
    assert figure(rows, "language", "en", "choice_accuracy").value == 0.25
    partial = {row.metric for row in rows if row.metric.endswith("_partial")}
    assert not partial & {"choice_accuracy_partial", "macro_f1_partial", "ece_partial"}


def test_a_language_less_leaves_no_macro_only_a_partial_one_under_its_own_name():
    rows = summarise_result(two_languages(), ["en", "de", "fr"], [0.0])
    for metric in ("choice_accuracy", "macro_f1", "ece"):
        macro = figure(rows, "macro:language", "", metric)
        assert macro.value is None
        assert "fr" in macro.reason
    assert figure(rows, "macro:language", "", "choice_accuracy_partial").value == pytest.approx(0.625)


def test_nothing_at_all_is_no_value_anywhere():
    rows = summarise_result(DECISIONS.empty_table(), ["en"], [0.5])
    assert rows
    assert all(row.value is None or row.n == 0 for row in rows)
    assert all(row.reason for row in rows if row.value is None)


def test_no_threshold_and_zero_are_different():
    table = decisions_of("en", 6, 3)
    thresholds = {row.min_confidence for row in summarise_result(table, ["en"], [None, 0.0, 0.5])}
    assert thresholds == {None, 0.0, 0.5}
    assert {row.min_confidence for row in summarise_result(table, ["en"], [None])} == {None}
    coverage = {
        row.min_confidence: row.value
        for row in summarise_result(table, ["en"], [0.0, 0.999])
        if (row.slice_dimension, row.metric) == ("overall", "coverage")
    }
    assert coverage == {0.0: 1.0, 0.999: 0.0}


def test_a_regime_is_served_where_every_decision_has_the_runtimes_temperature():
    table = decisions_of("en", 6, 3)
    served = {bucket: entry.served for bucket, entry in BUCKETS.items()}
    assert is_served(table, {"mine": served})
    assert is_served(table, {"mine": {**served, "noul:2": 0.5}})  # asked of no question here
    assert not is_served(table, {"mine": {**served, "choice:3-5": 0.5}, "another": served})
    assert is_served(DECISIONS.empty_table(), {})


def test_the_metrics_table_is_tidy_and_in_its_schema():
    by_bucket = [BucketThresholds.of({"default": 0.5}), BucketThresholds.of({"choice:2": 0.5, "noul:2": 1})]
    rows = summarise_result(decisions_of("en", 6, 3), ["en", "fr"], [0.0, 0.5, *by_bucket])
    table = metrics_table((ResultKey("mine", "baseline", "served"), row) for row in rows)
    assert table.schema.equals(METRICS)
    names = ["checkpoint", "transform", "regime", "slice", "slice_value", "metric"]
    keys = table.select([*names, "min_confidence", "min_confidence_map"])
    assert len({tuple(row.items()) for row in keys.to_pylist()}) == table.num_rows == len(rows)
    assert [metric_row(row) for row in table.to_pylist()] == rows
    texts = {text for text in table["min_confidence_map"].to_pylist() if text is not None}
    assert texts == {'{"default":0.5}', '{"choice:2":0.5,"noul:2":1.0}'}
    for row in table.to_pylist():
        assert (row["value"] is None) <= bool(row["reason"])
        assert all(row[name] is None or np.isfinite(row[name]) for name in ("value", "low", "high"))


@pytest.mark.parametrize("degenerate", ["empty", "unlabelled", "one", "constant", "none right"])
def test_a_report_of_degenerate_answers_is_json_without_nan(degenerate):
    table = {
        "empty": DECISIONS.empty_table(),
        "one": decisions_of("en", 1, 1),
        "constant": decisions_of("en", 6, 6),
        "none right": decisions_of("en", 6, 0),
    }.get(degenerate)
    if table is None:
        rows = [row | UNLABELLED for row in decisions_of("en", 4, 2).to_pylist()]
        table = pa.Table.from_pylist(rows, schema=DECISIONS)
    rows = tuple(summarise_result(table, ["en", "fr"], [0.0, 0.5]))
    report = ResultReport("mine", "baseline", "served", ("en", "fr"), {"fr": "broken"}, {"en": {"unit": 1.0}}, rows)
    document = json.loads(json.dumps(report.document(), allow_nan=False))
    assert document["complete"] is False
    assert document["macro"]["metrics"]["choice_accuracy"]["value"] is None


def test_row_ids_are_what_the_plan_expects():
    cases = make_cases(2)
    assert cell_of(cases).row_ids == [RowId(case.case_id, "baseline", "intent") for case in cases]


def tagged():
    """Ten decisions of two questions; tags a (all), b (the first three), and none beside them."""
    rows = decisions_of("en", 10, 7).to_pylist()
    rows = [
        row | {"question": "q" if i % 2 else "r", "tags": ["a", "b"] if i < 3 else ["a"]} for i, row in enumerate(rows)
    ]
    return pa.Table.from_pylist(rows, schema=DECISIONS)


def test_slices_by_model_question_and_tag():
    rows = summarise_result(tagged(), ["en"], [0.0])
    counts = {
        (row.slice_dimension, row.slice_value): (row.n, row.value) for row in rows if row.metric == "choice_accuracy"
    }
    assert counts["model", "mine"] == counts["tag", "a"] == counts["overall", ""] == (10, 0.7)
    assert counts["tag", "b"] == (3, 1.0)
    assert counts["qid", "q"] == (5, 0.6)
    assert counts["qid", "r"] == (5, 0.8)
    assert {dimension for dimension, _ in counts} == {"overall", "language", "macro:language", "model", "qid", "tag"}


def test_a_dimension_of_one_value_has_every_row_of_the_whole():
    rows = summarise_result(decisions_of("en", 6, 3), ["en"], [None, 0.5], [0.25])
    whole = [row for row in rows if row.slice_dimension == "overall"]
    for dimension, value in (("model", "mine"), ("qid", "intent")):
        own = [row for row in rows if row.slice_dimension == dimension]
        assert [dataclasses.replace(row, slice_dimension="overall", slice_value="") for row in own] == whole
        assert {row.slice_value for row in own} == {value}
    assert not [row for row in rows if row.slice_dimension == "tag"]
    assert [row.reason for row in whole if row.metric == "score_within_0.25"] == ["no labelled score answers"]


def test_tags_of_decisions_become_slices_whatever_the_chunks():
    table = pa.concat_tables([tagged().slice(0, 4), DECISIONS.empty_table(), tagged().slice(4)])
    found = decision_columns(table).slices["tag"]
    pairs = [(int(at), found.values[code]) for at, code in zip(found.rows, found.codes, strict=True)]
    assert pairs == [(i, tag) for i, row in enumerate(table.to_pylist()) for tag in row["tags"]]


def member(cases, model, fails=()):
    """The rows of one member of a routed checkpoint: its cases, of which some failed."""
    rows = [error_row(case.case_id) if case in fails else fact_row(case.case_id, [2.0, 0.0, 0.0]) for case in cases]
    cell = dataclasses.replace(cell_of(cases), checkpoint="auto", model=model, worker=f"auto/{model}")
    return select_rows(cell, facts_table(rows), timings_table([timing_row(case.case_id) for case in cases]))


def test_what_several_answered_is_one_in_case_order():
    cases = make_cases(6)
    parts = [member([cases[i] for i in (5, 1)], "english"), member([cases[i] for i in (4, 0, 2)], "multilingual")]
    whole = joined(parts)
    wanted = [cases[i].case_id for i in (0, 1, 2, 4, 5)]
    assert [case.case_id for case in whole.expected.cases] == wanted
    assert whole.facts["case_id"].to_pylist() == whole.timings["case_id"].to_pylist() == wanted
    assert whole.expected.place == ("auto", "en", "baseline")
    warm = {bucket: BucketTemperature(2.0, 2.0, entry.source) for bucket, entry in BUCKETS.items()}
    table = score_place(parts, SERVED, {"english": BUCKETS, "multilingual": warm})
    rows = {row["case_id"]: row for row in table.to_pylist()}
    assert [*rows] == wanted
    assert [row["model"] for row in rows.values()] == [
        "multilingual",
        "english",
        "multilingual",
        "multilingual",
        "english",
    ]
    assert [row["temperature"] for row in rows.values()] == [2.0, 1.0, 2.0, 2.0, 1.0]
    assert {row["checkpoint"] for row in rows.values()} == {"auto"}
    assert joined(parts[:1]) is parts[0]


def test_a_language_fails_by_all_that_answered_it_together():
    cases = make_cases(4)
    parts = [member(cases[:1], "english", fails=cases[:1]), member(cases[1:], "multilingual")]
    assert joined(parts).failure("skip") is None
    assert joined(parts).failure("fail").startswith("1 of 4 rows failed")
    gone = [member(cases[:1], "english", fails=cases[:1]), member(cases[1:], "multilingual", fails=cases)]
    assert joined(gone).failure("skip").startswith("4 of 4 rows failed")
    assert [error.index for error in joined(gone).errors] == [0, 1, 2, 3]
