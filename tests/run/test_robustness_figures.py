"""Robustness figures of a sweep on the reference checkpoints against a straight-line recomputation: three languages."""

from __future__ import annotations

import functools
import math
import random

import numpy as np
import pyarrow.parquet as pq
import pytest
from straight_line import choice_logits, choice_temperatures, load_agent, plain_ece, published_rows, softmax

from laya_sweep.__main__ import main

pytestmark = [pytest.mark.reference]

LANGUAGES = ["de", "en", "zh-CN"]
ROWS = 8
TOLERANCE = 2e-4


def canonical_logits(agent, row, order, names):
    """The options in this order and under these names, with the logits back in their own order."""
    pairs = list(row.criteria.items())
    canonical = np.empty(len(order))
    canonical[order] = choice_logits(agent, row.text, {names[i]: pairs[i][1] for i in order})
    return canonical


@functools.cache
def straight_line(folder, shared, language):
    """transform -> logits of each row, a list of float64[20]; and the gold index of each row."""
    agent, walk = load_agent(folder), random.Random(13)
    found = {"baseline": [], "option_order": [], "label_rename": []}
    gold = []
    for row in published_rows(shared, language, ROWS):
        names, count = [*row.criteria], len(row.criteria)
        order = list(range(count))
        random.Random(walk.getrandbits(64)).shuffle(order)
        shown = {
            "baseline": (list(range(count)), names),
            "option_order": (order, names),
            "label_rename": (list(range(count)), [chr(65 + i) for i in range(count)]),
        }
        for transform, (places, labels) in shown.items():
            found[transform].append(canonical_logits(agent, row, places, labels))
        gold.append(names.index(row.gold))
    return found, gold


def summary(before, after):
    """The figures of REQUIREMENTS C4 in plain loops."""
    agree, drift, largest, js, gain, worst = 0, 0.0, 0.0, 0.0, [], 0.0
    for p, q in zip(before, after, strict=True):
        same = int(p.argmax()) == int(q.argmax())
        agree += same
        changes = [abs(float(b - a)) for a, b in zip(p, q, strict=True)]
        drift += sum(changes) / len(changes)
        largest = max(largest, *changes)
        for a, b in zip(p, q, strict=True):
            middle = (a + b) / 2
            js += sum(x / 2 * math.log(x / middle) for x in (a, b) if x > 0)
        gain.append(float(q.max() - p.max()))
        worst = worst if same else max(worst, gain[-1])
    n = len(before)
    return {
        "semantic_agreement_rate": agree / n,
        "flip_rate": 1 - agree / n,
        "mean_probability_drift": drift / n,
        "max_probability_drift": largest,
        "mean_js_divergence": js / n,
        "mean_confidence_drift": sum(gain) / n,
        "mean_absolute_confidence_drift": sum(map(abs, gain)) / n,
        "worst_confidence_increase_on_disagreement": worst,
    }


@pytest.fixture(scope="module")
def figures(shared, tmp_path_factory):
    """(checkpoint, regime, transform, language) -> metric -> value, of one inline sweep."""
    folder = tmp_path_factory.mktemp("robustness")
    words = ["dataset=massive", f"dataset.path={shared}/data/amazon_massive_intent", "checkpoint=[]", "executor=inline"]
    words += [f"+checkpoints.{name}.source={shared}/checkpoints/{name}" for name in ("english", "multilingual")]
    words += ["transform=[baseline,option_order,label_rename]", "transform.option_order.sampler=published"]
    words += [f"languages=[{','.join(LANGUAGES)}]", f"dataset.per_lang={ROWS}", "min_confidence=null"]
    words += ["metrics.replicates=10"]  # intervals are tested elsewhere
    assert main([*words, f"store.uri={folder}/store", f"out_dir={folder}/run"]) == 0
    found = {}
    for row in pq.read_table(folder / "run" / "metrics.parquet").to_pylist():
        if row["slice"] == "language":
            key = (row["checkpoint"], row["regime"], row["transform"], row["slice_value"])
            found.setdefault(key, {})[row["metric"]] = row["value"]
    return found


@pytest.mark.parametrize("checkpoint", ["english", "multilingual"])
@pytest.mark.parametrize("regime", ["served", "raw"])
def test_three_languages_equal_the_straight_line(figures, shared, checkpoint, regime):
    folder, moved = shared / "checkpoints" / checkpoint, 0
    temperature = choice_temperatures(load_agent(folder), 20)[regime]
    for language in LANGUAGES:
        logits, gold = straight_line(folder, shared, language)
        found = {name: [softmax(z / temperature) for z in own] for name, own in logits.items()}
        right = {name: [int(p.argmax()) == g for p, g in zip(own, gold, strict=True)] for name, own in found.items()}
        for transform in ("option_order", "label_rename"):
            ours = figures[checkpoint, regime, transform, language]
            expected = summary(found["baseline"], found[transform])
            moved += expected["flip_rate"] > 0
            for metric, value in expected.items():
                assert ours[metric] == pytest.approx(value, abs=TOLERANCE), (language, transform, metric)
            drop = (sum(right["baseline"]) - sum(right[transform])) / ROWS
            assert ours["accuracy_drop"] == pytest.approx(drop)
        for transform, own in found.items():
            ours = figures[checkpoint, regime, transform, language]
            assert ours["choice_accuracy"] == pytest.approx(np.mean(right[transform]))
            confidence = np.array([p.max() for p in own])
            assert ours["ece"] == pytest.approx(plain_ece(confidence, np.array(right[transform])), abs=2e-3)
    assert moved
