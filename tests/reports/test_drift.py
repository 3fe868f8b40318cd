"""Which runners are compared, how answers are joined, and the table in its three forms."""

from __future__ import annotations

import pyarrow as pa
import pytest

from laya_sweep.documents.result_report import ResultReport
from laya_sweep.metrics import MetricRow
from laya_sweep.reports.drift import DriftRunner, drift_lines, drift_markdown, drift_table, runner_groups

HERE, THERE = ("org/laya", None, "c1"), ("org/other", None, "c2")


def names(groups):
    return [[runner.checkpoint for runner in group] for group in groups]


def test_runners_of_the_same_weights_are_one_group_torch_first():
    runners = [
        DriftRunner("a", "onnx int8", "w1", HERE),
        DriftRunner("b", "torch", "w1", THERE),
        DriftRunner("c", "torch", "w2", HERE),
        DriftRunner("d", "onnx fp32", "w1", HERE),
    ]
    assert names(runner_groups(runners, None)) == [["b", "a", "d"]]
    assert runner_groups(runners[1:3], None) == []


def test_a_graph_of_unknown_weights_belongs_to_the_checkpoint_of_its_place():
    foreign = DriftRunner("f", "onnx", None, HERE)
    assert names(runner_groups([foreign, DriftRunner("t", "torch", "w1", HERE)], None)) == [["t", "f"]]
    assert runner_groups([foreign, DriftRunner("t", "torch", "w1", THERE)], None) == []
    assert names(runner_groups([foreign, DriftRunner("g", "onnx", None, HERE)], None)) == [["f", "g"]]


def test_a_named_reference_is_compared_with_all():
    runners = [DriftRunner(name, "torch", name, THERE) for name in "abc"]
    assert names(runner_groups(runners, "b")) == [["b", "a", "c"]]


def result(name, **figures):
    rows = [MetricRow("overall", "", None, key, 1, value, 3, 3, None, None, None) for key, value in figures.items()]
    return ResultReport(name, "baseline", "served", ("en",), {}, {}, tuple(rows))


def answers(*rows):
    """Rows of (case, predicted, probabilities)."""
    keys = {"language": "en", "variant": "baseline", "question": "q"}
    return pa.Table.from_pylist([{**keys, "case_id": a, "pred_index": b, "probabilities": c} for a, b, c in rows])


@pytest.fixture
def table():
    reference = answers(("1", 0, [0.75, 0.25]), ("2", 1, [0.25, 0.5, 0.25]), ("3", 0, [1.0]))
    other = answers(("9", 0, [1.0]), ("3", 0, [1.0]), ("2", 2, [0.25, 0.25, 0.5]), ("1", 0, [0.5, 0.5]))
    group = [DriftRunner("t", "torch", "w", HERE), DriftRunner("q", "onnx int8", "w", HERE)]
    results = {
        "t": result("t", choice_accuracy=1.0, score_mae=None),
        "q": result("q", choice_accuracy=0.5, score_mae=None),
    }
    return drift_table(group, results, {"t": reference, "q": other})


def test_answers_are_joined_by_their_ids_in_any_order(table):
    first, second = table.rows
    assert first.answers == (3, 1.0, 0.0)
    assert second.answers == (3, pytest.approx(2 / 3), 0.25)
    assert table.document() == {
        "transform": "baseline",
        "regime": "served",
        "reference": "t",
        "rows": [
            {"checkpoint": "t", "engine": "torch", "metrics": first.figures, **first.answers._asdict()},
            {"checkpoint": "q", "engine": "onnx int8", "metrics": second.figures, **second.answers._asdict()},
        ],
    }
    assert second.figures["choice_accuracy"] == 0.5


def test_no_answer_in_common_has_no_agreement():
    group = [DriftRunner("t", "torch", "w", HERE), DriftRunner("q", "onnx", "w", HERE)]
    results = {name: result(name) for name in ("t", "q")}
    made = drift_table(group, results, {"t": answers(("1", 0, [1.0])), "q": answers(("2", 0, [1.0]))})
    assert made.rows[1].answers == (0, None, None)
    assert "none" in drift_markdown([made])


def test_the_report_has_no_milliseconds_and_the_terminal_has(table):
    text = drift_markdown([table])
    assert "## Drift from t, served, baseline" in text
    assert "| q | onnx int8 | 0.5000 | 3 | 0.6667 | 0.25 |" in text
    assert "ms" not in text
    assert "score_mae" not in text
    clocks = {"latency_p50_ms": 8.0, "cost_per_decision_p50_ms": 2.0, "largest_batch": 4}
    lines = drift_lines(table, {"checkpoints": {"t": clocks}})
    assert lines[1].split() == [
        *["checkpoint", "engine", "choice_accuracy", "n", "same", "answer", "max", "dp"],
        *["p50", "ms", "ms/decision", "rows/call"],
    ]
    assert lines[2].split()[-3:] == ["8.00", "2.00", "4"]
    assert lines[3].split()[-3:] == ["none", "none", "none"]
    assert drift_markdown([]) == ""
