"""The faults that users of comparable runners reported about judging (CASES.md), each by its smallest input."""

import json

import pytest
from gate_cards import ours, with_overall

from laya_sweep.documents.scorecards import scorecard_of
from laya_sweep.errors import SweepError, exit_code
from laya_sweep.gates.limits import read_limits
from laya_sweep.gates.policy import read_policy
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.judging.functions import judge

FINE = {"choice_accuracy": 0.8, "ece": 0.1}


def code(candidate, **asked):
    """The exit code a command would end with."""
    try:
        return judge(candidate, **asked).exit_code
    except SweepError as error:
        return exit_code(error)


@pytest.fixture
def file(tmp_path):
    def write(value, name="file.json"):
        path = tmp_path / name
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
        return path

    return write


def test_errors_fail_a_gate_unless_a_share_is_allowed_by_name():
    easy = ours(overall={"choice_accuracy": 1.0}, errored=5, asked=8)
    gate = Thresholds.of(min_accuracy=0.9)
    assert code(easy, thresholds=gate) == 1
    assert code(easy, thresholds=gate, max_errored_share=0.7) == 0


@pytest.mark.parametrize("limit", [{"minimum": {"noul_accuracy": 0.0}}, {"maximum": {"score_mae": 1e9}}])
def test_a_gate_on_a_metric_the_data_lack_fails(limit):
    assert code(ours(), thresholds=Thresholds.of(**limit)) == 1


def test_a_gate_on_a_slice_the_data_lack_fails():
    rule = {"slice": {"language": "xx"}, "metric": "ece", "min_count": 1, "max": 1}
    assert code(ours(), policy={"version": 1, "rules": [rule]}) == 1


@pytest.mark.parametrize(
    "baseline", [{}, None, [], [0.8], "0.8", 0.8, True, {"ece": "0.1"}, {"ece": True}, {"ece": None}, {"overall": {}}]
)
def test_a_baseline_of_something_else_is_exit_2(baseline, file):
    assert code(FINE, baseline=file(baseline)) == 2


@pytest.mark.parametrize("tolerance", [float("inf"), True, "0.1", None, [0.1]])
def test_a_tolerance_of_something_else_is_exit_2(tolerance):
    assert code(FINE, baseline=FINE, tolerances={"ece": tolerance}) == 2


def test_a_mistyped_path_is_exit_2(tmp_path):
    for asked in ({"baseline": tmp_path / "nowhere.json"}, {"policy": str(tmp_path / "nowhere.json")}):
        assert code(FINE, **asked) == 2
    assert code(tmp_path / "nowhere.json") == 2


def test_a_tolerance_without_a_baseline_is_exit_2():
    assert code(FINE, tolerances={"ece": 0.1}) == 2


def test_a_drift_equal_to_the_limit_passes_in_every_gate():
    """0.1 - 0.3 by floats is -0.19999999999999998, and 0.8 - 0.78 is 0.020000000000000018."""
    rule = {"slice": {"language": "zh"}, "metric": "choice_accuracy", "min_count": 1, "max_drop": 0.02}
    base = ours(zh={"choice_accuracy": 0.8})
    assert code(with_overall(ours(), choice_accuracy=0.78), baseline=ours(), tolerances={"choice_accuracy": 0.02}) == 0
    assert code(ours(zh={"choice_accuracy": 0.78}), baseline=base, policy={"version": 1, "rules": [rule]}) == 0
    assert code(with_overall(ours(), ece=0.1 + 0.2), thresholds=Thresholds.of(max_ece=0.3)) == 0


def test_what_a_tool_writes_it_reads_as_its_baseline(file):
    written = file({"config": {}, "overall": FINE, "slices": {}, "cases": []})
    verdict = judge(written, baseline=written)
    assert {check.drift for check in verdict.checks if check.kind == "baseline"} == {0.0}
    assert verdict.exit_code == 0


def test_a_gate_that_is_added_later_meets_old_results():
    card = scorecard_of(FINE)
    assert code(card) == 0
    assert code(card, thresholds=Thresholds.of(min_accuracy=0.9)) == 1


BROKEN = {
    "duplicate keys": b'{"version": 1, "version": 1, "rules": []}',
    "not UTF-8": b'{"ece": "\xff"}',
    "byte order mark": b'\xef\xbb\xbf{"ece": 0.1}',
    "over-nested": b'{"ece": ' + b"[" * 50_000,
    "empty": b"",
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_exit_2_and_one_line_wherever_it_is_given(case, file, tmp_path):
    path = file(BROKEN[case])
    assert code(FINE, baseline=path) == code(path) == code(FINE, policy=path) == 2
    assert code(FINE, baseline=tmp_path) == code(FINE, policy=tmp_path) == 2
    for read in (read_policy, lambda given: read_limits(given, "tolerance")):
        with pytest.raises(SweepError) as raised:
            read(path)
        assert str(raised.value).isprintable()
