"""Generated report documents, tolerances and policies: mostly whole, sometimes broken in one way or another."""

from __future__ import annotations

import copy
import json

LANGUAGES = ("en", "de", "zh")
MODELS = ("english", "multilingual")
QUESTIONS = ("intent", "urgent")
TAGS = ("vip", "late", "café")
SCORES = ("choice_accuracy", "noul_accuracy", "score_mae", "mean_confidence", "score_within_0.25")
PAIRED = ("ece", "brier", "aurc", "selective_accuracy@50", "selective_accuracy@80")
METRICS = (*SCORES, *PAIRED)
TIMINGS = ("latency_p50_ms", "cost_per_decision_p95_ms")
DIMENSIONS = {"language": LANGUAGES, "model": MODELS, "qid": QUESTIONS, "tag": TAGS}
#: Few values, so that equal figures and drifts equal to their limits are common.
GRID = (0.0, 0.1, 0.3, 0.7, 0.78, 0.8, 0.82, 0.9, 1.0)


def case(rng):
    """One case record as upstream writes it, sometimes with holes."""
    confidence = rng.choice([0.5, 0.9, 0.9, 1.0, round(rng.random(), 4)])
    if rng.random() < 0.05:
        confidence = rng.choice([None, float("nan"), "0.5", True])
    return {
        "qid": rng.choice(QUESTIONS),
        "language": rng.choice([*LANGUAGES, None]),
        "model": rng.choice(MODELS),
        "tags": rng.sample(TAGS, rng.randrange(3)),
        "confidence": confidence,
        "correct": rng.choice([True, True, False, None, 1]) if rng.random() < 0.2 else rng.choice([True, False]),
        "scores": {metric: rng.choice([0.0, 1.0, 0.25, None]) for metric in SCORES},
    }


def figures(rng, metrics=METRICS):
    return {metric: rng.choice(GRID) for metric in metrics if rng.random() < 0.9}


def report(rng):
    """A whole `laya-evals-report/1` of a few cases."""
    return {
        "config": {
            "schema": "laya-evals-report/1",
            "dataset_sha256": "d" * 64,
            "questions_sha256": "q" * 64,
            "coverage_metric_definition": 2,
            "timing": {"min_confidence": rng.choice([None, 0.0, 0.7])},
        },
        "overall": figures(rng) | {"choice_accuracy": rng.choice(GRID)} | dict.fromkeys(TIMINGS, 12.5),
        "slices": {
            dimension: {value: figures(rng) for value in values if rng.random() < 0.9}
            for dimension, values in DIMENSIONS.items()
        },
        "cases": [case(rng) for _ in range(rng.choice([0, 3, 10, 25]))],
    }


def moved(rng, document):
    """A candidate for this baseline: the same measurement, with some figures elsewhere."""
    other = copy.deepcopy(document)
    groups = [other["overall"], *(group for values in other["slices"].values() for group in values.values())]
    for group in groups:
        for metric in [*group]:
            if rng.random() < 0.25:
                group[metric] = rng.choice(GRID)
            elif rng.random() < 0.02:
                del group[metric]
    return other


def _threshold(rng, document):
    document["config"]["timing"] = rng.choice([None, {}, {"batch_size": 4}])


def _identity(rng, document):
    key = rng.choice(["schema", "dataset_sha256", "questions_sha256"])
    action = rng.randrange(4)
    if action == 0:
        document["config"].pop(key, None)
    elif action == 1:
        document["config"][key] = rng.choice(["other", None, 1, ["x"], {"a": 1}])
    elif action == 2:
        document[key] = document["config"].pop(key, "top")
    else:
        document["config"] = document["config"] | {
            "schema": "laya-tournament-evals-report/1",
            "tournament_group_size": rng.choice([2, 4]),
        }


def _definition(rng, document):
    if rng.random() < 0.4:
        document["config"].pop("coverage_metric_definition", None)
    else:
        document["config"]["coverage_metric_definition"] = rng.choice([1, 2.0, "2", None, True, "x" * 100])


def _errored(rng, document):
    document["config"]["errored"] = rng.choice([[], [{"index": 0, "error": "boom"}], "yes", 0, 3, None, {}])


def _overall(rng, document):
    action = rng.randrange(6)
    broken = ["text", None, True, [1], {"a": 1}, float("nan"), float("inf"), -float("inf"), 10**20]
    if action == 0:
        document["overall"] = rng.choice([{}, None, [], "text", 3, True])
    elif action == 1:
        document["overall"] = dict.fromkeys(TIMINGS, 1.0)
    else:
        document["overall"][rng.choice([*METRICS, "made_up"])] = rng.choice(broken)


def _slices(rng, document):
    if rng.random() < 0.2:
        document["slices"]["language"] = {"None": dict.fromkeys(METRICS, 0.5)}
        return
    if rng.random() < 0.3:
        document["slices"] = rng.choice([None, [], "text", 3, {"language": None}, {"language": {"en": [1]}}])
        return
    groups = document["slices"].get(rng.choice([*DIMENSIONS])) or {}
    for group in groups.values():
        if isinstance(group, dict):
            group[rng.choice(METRICS)] = rng.choice(["0.5", None, True, float("nan"), float("inf"), {}])


def _cases(rng, document):
    document["cases"] = rng.choice([None, [], {}, "text", [None, 3, "x"], [{"tags": "vip", "scores": []}], 5])


def _drop(rng, document):
    document.pop(rng.choice(["config", "overall", "slices", "cases"]), None)


def _config(rng, document):
    document["config"] = rng.choice([None, [], "text", 4])


BREAKS = (_identity, _threshold, _definition, _errored, _overall, _slices, _cases, _drop, _config)


def broken(rng, document):
    """The document with one or two things wrong, or merely unusual."""
    for _ in range(rng.randint(1, 2)):
        if isinstance(document.get("config"), dict) and all(
            isinstance(document.get(k), dict) for k in ("overall", "slices")
        ):
            rng.choice(BREAKS)(rng, document)
    return document


def tolerances(rng):
    """Words of a command line, metric=value: none, exact, just enough, ample, sometimes nonsense."""
    names = rng.sample([*METRICS, *TIMINGS, "made_up"], rng.randrange(6))
    values = ["0", "0.02", "0.1", "0.2", "0.5", "1", "30", "-0.1"]
    if rng.random() < 0.05:
        values += ["nan", "inf", "1e999", "x", ""]
    return [f"{name}={rng.choice(values)}" for name in names]


def easy_policy(rng):
    """A policy that most reports meet, so that what is wrong beside the rules decides."""
    return {"version": 1, "rules": [_easy(rng, rule(rng))]}


def _easy(rng, found):
    kept = {name: found[name] for name in ("slice", "metric")}
    return kept | {"min_count": 1} | rng.choice([{"min": -1}, {"max": 2}, {"max_drop": 1}, {"max_increase": 1}])


def rule(rng):
    """One valid rule of a policy."""
    dimension = rng.choice([*DIMENSIONS])
    limit = rng.choice(["min", "max", "max_drop", "max_increase"])
    values = [*DIMENSIONS[dimension], "nowhere", "None"] if rng.random() < 0.2 else DIMENSIONS[dimension]
    return {
        "slice": {dimension: rng.choice(values)},
        "metric": rng.choice(METRICS),
        "min_count": rng.choice([1, 1, 2, 5]),
        limit: rng.choice([0, 0.02, 0.1, 0.2, 0.1 + 0.2, 0.5, 1]),
    }


def policy(rng):
    return {"version": 1, "rules": [rule(rng) for _ in range(rng.randint(1, 3))]}


_ODD = (None, True, False, 0, 1, 2, -1, 1.0, 1e999, float("nan"), 10**400, "", " ", "en", "1", [], {}, [1], {"a": "b"})


def mutated(rng, document):
    """A JSON text near a valid policy: one value, key or character changed, most often into something invalid."""
    found = copy.deepcopy(document)
    for _ in range(rng.randint(0, 2)):
        holders = [
            found,
            *_rules(found),
            *[r["slice"] for r in _rules(found) if isinstance(r.get("slice"), dict)],
        ]
        holder = rng.choice(holders)
        keys = [*holder]
        action = rng.randrange(4)
        if action == 0 and keys:
            holder[rng.choice(keys)] = copy.deepcopy(rng.choice(_ODD))
        elif action == 1 and keys:
            del holder[rng.choice(keys)]
        elif action == 2:
            holder[rng.choice(["min", "max_drop", "qid", "extra", "Version", ""])] = copy.deepcopy(rng.choice(_ODD))
        elif keys:
            key = rng.choice(keys)
            holder[key] = [holder[key]] if rng.random() < 0.5 else str(holder[key])
    text = json.dumps(found)
    if rng.random() < 0.2:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", '"', "{", "]", ",", "\\", "\x00", "9", "é", "﻿"]) + text[at + 1 :]
    return text


def _rules(document):
    rules = document.get("rules")
    return [r for r in rules if isinstance(r, dict)] if isinstance(rules, list) else []
