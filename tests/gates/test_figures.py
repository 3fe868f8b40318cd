"""Scorecards of our own metrics."""

import json

from decision_tables import decisions
from gate_cards import IDENTITY, key

from laya_sweep import compare
from laya_sweep.gates.figures import accepted_counts, with_figures
from laya_sweep.gates.scorecard import Count, Scorecard
from laya_sweep.judging.functions import judge
from laya_sweep.metrics import selective_accuracy, summarise


def card_of(columns, min_confidence=None, timings=None, **known):
    rows = summarise(columns, replicates=0, min_confidence=(0.5, 0.7))
    card = Scorecard("run", identity=IDENTITY, min_confidence=min_confidence, **known)
    return with_figures(card, rows, accepted_counts(columns), timings)


def test_every_figure_comes_with_count_interval_or_reason():
    columns = decisions(80, seed=3, kinds=(0,), unlabelled=0.1)
    rows = summarise(columns, replicates=0)
    card = card_of(columns)
    for row in rows:
        found = key(row.metric, row.slice_dimension, row.slice_value)
        assert card.value(found) == row.value
        assert card.counts[found].scored == row.n
        assert (found in card.missing) == (row.value is None)
        assert card.intervals.get(found) == (None if row.low is None else (row.low, row.high))
    assert card.missing[key("noul_accuracy")] == "no labelled noul answers"
    assert card.ours


def test_the_figures_of_other_thresholds_stay_out():
    columns = decisions(80, seed=3, kinds=(0,))
    assert "coverage" not in card_of(columns).overall
    rows = {
        row.min_confidence: row.value
        for row in summarise(columns, replicates=0, min_confidence=(0.5, 0.7))
        if (row.metric, row.slice_dimension) == ("coverage", "overall")
    }
    assert rows[0.5] != rows[0.7]
    for threshold in (0.5, 0.7):
        assert card_of(columns, threshold).overall["coverage"] == rows[threshold]


def test_accepted_counts_are_those_behind_the_figures():
    columns = decisions(90, seed=5, kinds=(0, 2), digits=1, unlabelled=0.2)
    accepted = accepted_counts(columns)
    answered = columns.correct >= 0
    confidence, right = columns.confidence[answered], columns.correct[answered]
    for percent in (50, 80):
        found = accepted[key(f"selective_accuracy@{percent}")]
        assert found >= percent / 100 * answered.sum()
        kept = sorted(zip(confidence, right, strict=True), key=lambda pair: -pair[0])[:found]
        share = selective_accuracy(confidence, right, percent / 100)
        assert sum(value for _, value in kept) / found == share
        assert len(confidence) == found or kept[-1][0] > sorted(confidence, reverse=True)[found]
    languages = {place.value for place in accepted if place.dimension == "language"}
    assert languages == set(columns.slices["language"].values)
    assert card_of(columns).counts[key("selective_accuracy@50")] == Count(
        int(answered.sum()), accepted[key("selective_accuracy@50")]
    )


def test_a_run_is_its_own_baseline_and_a_worse_one_is_not():
    columns = decisions(80, seed=3, kinds=(0, 1, 2))
    card = card_of(columns, timings={"latency_p50_ms": 3.5})
    verdict = compare(card, card)
    assert (verdict.mode, verdict.passed) == ("strict", True)
    assert {check.drift for check in verdict.checks if check.kind == "baseline"} == {0.0}
    assert "latency_p50_ms" in card.overall
    wrong = card_of(decisions(80, seed=4, kinds=(0, 1, 2)))
    assert not compare(wrong, card).passed
    json.dumps(verdict.document(), allow_nan=False)


def test_what_the_run_lacks_fails_its_gates():
    columns = decisions(40, seed=3, kinds=(0,))
    policy = {
        "version": 1,
        "rules": [
            {"slice": {"language": columns.slices["language"].values[0]}, "metric": "ece", "min_count": 1, "max": 1}
        ],
    }
    assert judge(card_of(columns), policy=policy).passed
    verdict = judge(card_of(columns, absent={"language=sv": "no such file"}), policy=policy)
    [failure] = verdict.failures
    assert failure.message == "candidate lacks data that was asked for: language=sv: no such file"
