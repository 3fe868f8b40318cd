"""Facts + a regime -> decisions: what no temperature can move, ties, scores, and every column."""

import numpy as np
import pyarrow as pa
import pytest
from builders import fact_row, facts_table
from hypothesis import given, settings
from hypothesis import strategies as st

from laya_sweep.domain.question import Target
from laya_sweep.domain.regime import BucketTemperature, Regime, UnusableTemperatureError
from laya_sweep.scoring.decision import RowPlace, ScoredCell, decide
from laya_sweep.scoring.probability import entropy_confidence, gate_confidence, margin, softmax
from laya_sweep.store.schemas import DECISIONS

BUCKETS = [f"{kind}:{size}" for kind in ("choice", "score", "noul") for size in ("2", "3-5", "6-10", "11+")]
TEMPERATURES = {bucket: BucketTemperature(0.1006, 0.5, bucket) for bucket in BUCKETS}
REGIMES = [
    Regime("served", "served"),
    Regime("raw", "raw"),
    Regime("unit", "unit"),
    Regime("hot", "fixed", 5.0),
    Regime("cold", "fixed", 0.05),
]

floats32 = st.floats(-60, 60, width=32)


def target(kind, count, gold):
    options = {"noul": ("false", "true")}.get(kind) or tuple(f"label_{i}" for i in range(count))
    if kind == "score":
        return Target(options, None, gold)
    return Target(options, gold, None)


def decided(rows, regime=REGIMES[2], golds=None, temperatures=TEMPERATURES):
    """Decisions, as rows, of (type, logits) pairs."""
    facts = facts_table(fact_row(f"case-{i}", logits, question_type=kind) for i, (kind, logits) in enumerate(rows))
    return decide(facts, scored_cell(rows, golds, temperatures), regime, DECISIONS).to_pylist()


def scored_cell(rows, golds=None, temperatures=TEMPERATURES):
    golds = golds or [None] * len(rows)
    return ScoredCell(
        checkpoint="mine",
        temperatures=temperatures,
        places={f"case-{i}": RowPlace(f"source-{i}", 10 + i, (f"tag {i}", "all")) for i in range(len(rows))},
        targets={
            (f"case-{i}", "intent"): target(kind, len(logits), gold)
            for i, ((kind, logits), gold) in enumerate(zip(rows, golds, strict=True))
        },
    )


questions = st.one_of(
    st.tuples(st.just("noul"), st.lists(floats32, min_size=2, max_size=2)),
    st.tuples(st.sampled_from(["choice", "score"]), st.lists(floats32, min_size=1, max_size=25)),
    st.tuples(st.just("choice"), st.lists(st.sampled_from([0.0, 1.0, 1.0000001]), min_size=2, max_size=6)),
)


@settings(deadline=None)
@given(st.lists(questions, min_size=1, max_size=8))
def test_no_temperature_moves_a_prediction(rows):
    by_regime = [decided(rows, regime) for regime in REGIMES]
    for same in zip(*by_regime, strict=True):
        assert len({(row["pred_index"], row["pred_label"]) for row in same}) == 1
    for (kind, logits), row in zip(rows, by_regime[0], strict=True):
        best = max(np.float32(value) for value in logits)
        tied = kind == "noul" and logits[0] == logits[1]
        assert row["pred_index"] == (1 if tied else [np.float32(value) for value in logits].index(best))


@settings(deadline=None)
@given(st.lists(questions, min_size=1, max_size=8), st.sampled_from(REGIMES))
def test_every_number_of_a_decision_is_read_off_its_logits(rows, regime):
    """Row by row, whatever rows share a matrix: rows of all types and option counts stand mixed."""
    for i, ((kind, logits), row) in enumerate(zip(rows, decided(rows, regime), strict=True)):
        matrix = np.array([logits], dtype=np.float32)
        temperature = np.array([row["temperature"]])
        p = softmax(matrix, temperature)
        np.testing.assert_allclose(row["probabilities"], p[0], atol=1e-15)
        assert row["p_pred"] == row["probabilities"][row["pred_index"]]
        assert row["answer_confidence"] == max(row["probabilities"])
        assert row["gate_confidence"] == gate_confidence(matrix, temperature)[0]
        assert row["entropy_confidence"] == pytest.approx(entropy_confidence(p)[0], abs=1e-12)
        assert row["margin"] == pytest.approx(margin(p)[0], abs=1e-12)
        assert (row["question_type"], row["n_options"], len(row["options"])) == (kind, len(logits), len(logits))
        assert (row["case_id"], row["source_id"], row["row_index"]) == (f"case-{i}", f"source-{i}", 10 + i)
        assert (row["checkpoint"], row["regime"]) == ("mine", regime.name)


def test_the_bucket_is_that_of_the_real_option_count():
    temperatures = {bucket: BucketTemperature(i + 1.0, i + 1.0, bucket) for i, bucket in enumerate(BUCKETS)}
    rows = [("choice", [0.0] * n) for n in (1, 2, 3, 5, 6, 7, 10, 11, 20)] + [("score", [0.0] * 5), ("noul", [0.0] * 2)]
    got = [(row["temperature_source"], row["temperature"]) for row in decided(rows, REGIMES[0], None, temperatures)]
    wanted = [f"choice:{size}" for size in ("2", "2", "3-5", "3-5", "6-10", "6-10", "6-10", "11+", "11+")]
    wanted += ["score:3-5", "noul:2"]
    assert got == [(f"served:{bucket}", temperatures[bucket].served) for bucket in wanted]


@pytest.mark.parametrize("regime", REGIMES, ids=lambda regime: regime.name)
def test_a_noul_tied_at_one_half_is_true(regime):
    [row] = decided([("noul", [0.3, 0.3])], regime, [1])
    assert (row["pred_index"], row["pred_label"], row["correct"], row["p_pred"]) == (1, "true", True, 0.5)


@pytest.mark.parametrize("regime", REGIMES, ids=lambda regime: regime.name)
@pytest.mark.parametrize(("logits", "first"), [([1.0, 1.0], 0), ([0.0, 2.0, 2.0], 1), ([3.0, 1.0, 3.0, 3.0], 0)])
def test_a_choice_tie_goes_to_the_first_canonical_option(regime, logits, first):
    [row] = decided([("choice", logits)], regime, [first])
    assert (row["pred_index"], row["correct"]) == (first, True)


def test_gold_and_right_and_wrong():
    rows = decided([("choice", [0.0, 1.0, 0.5])] * 3 + [("noul", [2.0, 1.0])], golds=[1, 2, None, 1])
    assert [row["correct"] for row in rows] == [True, False, None, False]
    assert [row["gold_label"] for row in rows] == ["label_1", "label_2", None, "true"]
    assert [row["pred_label"] for row in rows] == ["label_1", "label_1", "label_1", "false"]
    assert [row["p_gold"] for row in rows] == [
        rows[0]["probabilities"][1],
        rows[1]["probabilities"][2],
        None,
        rows[3]["probabilities"][1],
    ]
    assert all(row["score_value"] is None and row["score_error"] is None for row in rows)


def test_a_score_is_an_expected_level_with_a_signed_error():
    even = [0.0, 0.0, 0.0]
    labelled, unlabelled, sharp = decided(
        [("score", even), ("score", even), ("score", [0, 0, 80])], golds=[2.0, None, 1.5]
    )
    assert labelled["score_value"] == pytest.approx(1.0)
    assert labelled["score_error"] == pytest.approx(-1.0)
    assert unlabelled["score_value"] == pytest.approx(1.0)
    assert unlabelled["score_error"] is None
    assert (sharp["score_value"], sharp["score_error"]) == (pytest.approx(2.0), pytest.approx(0.5))
    for row in (labelled, unlabelled, sharp):
        assert (row["correct"], row["gold_index"], row["p_gold"]) == (None, None, None)


def test_a_score_moves_with_the_temperature_and_a_choice_does_not():
    rows = [("score", [0.0, 0.0, 3.0]), ("choice", [0.0, 0.0, 3.0])]
    cold, hot = decided(rows, REGIMES[4], [2.0, 2]), decided(rows, REGIMES[3], [2.0, 2])
    assert cold[0]["score_value"] > hot[0]["score_value"] + 0.1
    assert (cold[1]["pred_index"], cold[1]["correct"]) == (hot[1]["pred_index"], hot[1]["correct"]) == (2, True)


def test_a_single_option_is_certain():
    [row] = decided([("choice", [-7.5])], REGIMES[1], [0])
    assert row["probabilities"] == [1.0]
    assert [row[name] for name in ("answer_confidence", "gate_confidence", "entropy_confidence", "margin")] == [1.0] * 4
    assert (row["pred_index"], row["correct"], row["p_gold"]) == (0, True, 1.0)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_tiny_and_huge_logits_give_finite_decisions(scale):
    rows = [("choice", [scale, 0.0, -scale]), ("noul", [-scale, scale])]
    for row in decided(rows, REGIMES[1], [0, 1]):
        numbers = [row["answer_confidence"], row["margin"], row["entropy_confidence"], row["p_gold"]]
        assert np.isfinite([*row["probabilities"], *numbers]).all()
        assert row["correct"]


def test_the_raw_regime_names_the_bucket_without_a_temperature():
    temperatures = TEMPERATURES | {"noul:2": BucketTemperature(None, 1.0, "noul")}
    rows = [("choice", [0.0, 1.0]), ("noul", [0.0, 1.0])]
    assert len(decided(rows, REGIMES[0], None, temperatures)) == 2
    with pytest.raises(UnusableTemperatureError) as caught:
        decided(rows, REGIMES[1], None, temperatures)
    assert caught.value.bucket == "noul:2"


def test_decisions_stand_in_the_order_of_the_facts_in_the_written_schema():
    rows = [("choice", [0.0] * (2 + i % 3)) for i in range(12)]
    facts = facts_table(fact_row(f"case-{i}", logits, question_type=kind) for i, (kind, logits) in enumerate(rows))
    turned = facts.take(pa.array([*reversed(range(12))]))
    table = decide(turned, scored_cell(rows), REGIMES[0], DECISIONS)
    assert table.schema.equals(DECISIONS)
    assert table["case_id"].to_pylist() == [f"case-{i}" for i in reversed(range(12))]


def test_no_facts_are_no_decisions():
    table = decide(facts_table([]), scored_cell([]), REGIMES[0], DECISIONS)
    assert table.num_rows == 0
    assert table.schema.equals(DECISIONS)


def test_a_decision_keeps_the_place_of_its_case():
    [_, row] = decided([("choice", [1.0, 0.0]), ("noul", [0.0, 1.0])])
    assert (row["source_id"], row["row_index"], row["tags"]) == ("source-1", 11, ["tag 1", "all"])
