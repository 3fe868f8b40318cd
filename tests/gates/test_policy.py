"""Reading a gate policy: every fault at once, and never a traceback."""

import copy
import json
import random

import gate_documents as documents
import pytest

from laya_sweep.errors import UsageError
from laya_sweep.gates.policy import parse_policy, read_policy
from laya_sweep.gates.scorecard import FigureKey

RULE = {"slice": {"language": "zh"}, "metric": "choice_accuracy", "min_count": 50, "max_drop": 0.05}


def policy(*rules):
    return {"version": 1, "rules": [*rules]}


def changed(**changes):
    """The rule with some keys changed; a key set to ... is dropped."""
    rule = {**RULE, **changes}
    return {name: value for name, value in rule.items() if value is not ...}


def faults(document):
    with pytest.raises(UsageError) as raised:
        parse_policy(document)
    assert all(str(problem).isprintable() for problem in raised.value.problems)
    return raised.value.problems


def test_a_whole_policy():
    absolute = {"slice": {"qid": " intent "}, "metric": "ece", "min_count": 1, "max": 0}
    found = parse_policy(policy(RULE, absolute))
    first, second = found.rules
    assert first.figure == FigureKey("language", "zh", "choice_accuracy")
    assert (first.index, first.min_count, first.limit_name, first.limit, first.relative) == (
        1,
        50,
        "max_drop",
        0.05,
        True,
    )
    assert (second.figure.value, second.limit_name, second.limit, second.relative) == (" intent ", "max", 0.0, False)
    assert found.needs_baseline
    assert not parse_policy(policy(absolute)).needs_baseline
    assert found.document == policy(RULE, absolute)


FRAMES = {
    "null": (None, "null"),
    "a list": ([RULE], "[{"),
    "no version": ({"rules": [RULE]}, "none"),
    "no rules": ({"version": 1}, "none"),
    "another key": ({**policy(RULE), "mode": "strict"}, "'strict'"),
    "version 2": ({**policy(RULE), "version": 2}, "2"),
    "version true": ({**policy(RULE), "version": True}, "True"),
    "version 1.0": ({**policy(RULE), "version": 1.0}, "1.0"),
    "version text": ({**policy(RULE), "version": "1"}, "'1'"),
    "empty rules": (policy(), "[]"),
    "rules as object": ({"version": 1, "rules": {"0": RULE}}, "{'0'"),
    "rules null": ({"version": 1, "rules": None}, "null"),
}


@pytest.mark.parametrize("case", FRAMES)
def test_a_broken_frame(case):
    document, got = FRAMES[case]
    [problem] = faults(document)
    assert problem.got.startswith(got)


RULES = {
    "null": (None, "rule 1"),
    "a list": ([], "rule 1"),
    "no slice": (changed(slice=...), "slice"),
    "no metric": (changed(metric=...), "metric"),
    "no min_count": (changed(min_count=...), "min_count"),
    "no limit": (changed(max_drop=...), "rule 1"),
    "two limits": (changed(min=0.5), "rule 1"),
    "another key": (changed(note="why"), "note"),
    "two slices": (changed(slice={"language": "zh", "tag": "vip"}), "slice"),
    "no slice inside": (changed(slice={}), "slice"),
    "another dimension": (changed(slice={"script": "Han"}), "slice"),
    "overall": (changed(slice={"overall": ""}), "slice overall"),
    "slice as text": (changed(slice="language=zh"), "slice"),
    "slice value a number": (changed(slice={"tag": 1}), "slice tag"),
    "slice value false": (changed(slice={"language": False}), "slice language"),
    "slice value blank": (changed(slice={"language": " \t"}), "slice language"),
    "slice value list": (changed(slice={"language": ["zh"]}), "slice language"),
    "metric blank": (changed(metric=""), "metric"),
    "metric null": (changed(metric=None), "metric"),
    "min_count 0": (changed(min_count=0), "min_count"),
    "min_count negative": (changed(min_count=-5), "min_count"),
    "min_count float": (changed(min_count=50.0), "min_count"),
    "min_count true": (changed(min_count=True), "min_count"),
    "min_count text": (changed(min_count="50"), "min_count"),
    "limit true": (changed(max_drop=True), "max_drop"),
    "limit text": (changed(max_drop="0.05"), "max_drop"),
    "limit null": (changed(max_drop=None), "max_drop"),
    "limit NaN": (changed(max_drop=float("nan")), "max_drop"),
    "limit infinite": (changed(max_drop=float("inf")), "max_drop"),
    "limit too large": (changed(max_drop=10**5000), "max_drop"),
    "relative limit negative": (changed(max_drop=-0.01), "max_drop"),
    "increase negative": (changed(max_drop=..., max_increase=-1), "max_increase"),
    "min minus infinity": (changed(max_drop=..., min=float("-inf")), "min"),
}


@pytest.mark.parametrize("case", RULES)
def test_a_broken_rule_names_its_fault(case):
    rule, what = RULES[case]
    [problem] = faults(policy(RULE, rule))
    assert problem.what.startswith("gate policy rule 2")
    assert problem.what.endswith(what.replace("rule 1", "rule 2"))


def test_an_absolute_limit_may_be_negative():
    assert parse_policy(policy(changed(max_drop=..., min=-1.5))).rules[0].limit == -1.5


def test_every_fault_of_a_file_is_found_in_one_reading(tmp_path):
    path = tmp_path / "gates.json"
    broken = [rule for rule, _ in RULES.values() if rule not in (changed(max_drop=10**5000),)]
    path.write_text(json.dumps({"version": 2, "rules": broken, "x": 1}), "utf-8")
    with pytest.raises(UsageError) as raised:
        read_policy(path)
    problems = raised.value.problems
    assert len(problems) == 2 + len(broken)
    assert all(str(path) in problem.what for problem in problems)
    assert {int(problem.what.split(" rule ")[1].split()[0]) for problem in problems[2:]} == set(
        range(1, len(broken) + 1)
    )


def test_one_rule_may_have_several_faults():
    assert len(faults(policy({"slice": {"x": 1}, "metric": 1, "min_count": 0, "min": "a", "max_drop": -1}))) == 6


def test_a_duplicate_key_is_refused(tmp_path):
    path = tmp_path / "gates.json"
    path.write_text(json.dumps(policy(RULE)).replace('"max_drop": 0.05', '"max_drop": 0.05, "max_drop": 0.5'), "utf-8")
    with pytest.raises(UsageError, match="'max_drop' twice"):
        read_policy(path)


def valid(document):
    """Whether version 1 allows a document; its own few lines, to judge the reader by."""
    try:
        assert {*document} == {"version", "rules"}
        assert type(document["version"]) is int
        assert document["version"] == 1
        assert type(document["rules"]) is list
        assert document["rules"]
        for rule in document["rules"]:
            [limit] = {*rule} & {"min", "max", "max_drop", "max_increase"}
            assert {*rule} == {"slice", "metric", "min_count", limit}
            [(dimension, value)] = rule["slice"].items()
            assert dimension in ("language", "model", "qid", "tag")
            assert value.strip()
            assert rule["metric"].strip()
            assert type(rule["min_count"]) is int
            assert rule["min_count"] > 0
            assert type(rule[limit]) in (int, float)
            lowest = 0 if limit.startswith("max_") else -1e308
            assert lowest <= rule[limit] <= 1e308
    except (AssertionError, AttributeError, KeyError, TypeError, ValueError):
        return False
    return True


def test_a_thousand_mutated_policies_are_read_or_refused(tmp_path):
    path, seen, said = tmp_path / "gates.json", {True: 0, False: 0}, []
    for seed in range(1000):
        rng = random.Random(10**6 + seed)
        text = documents.mutated(rng, documents.policy(rng))
        path.write_text(text, "utf-8")
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        try:
            read_policy(path)
            accepted = True
        except UsageError as error:
            accepted = False
            said += error.problems
        assert accepted == valid(document), (seed, text)
        seen[accepted] += 1
    assert min(seen.values()) > 50, seen
    assert all(str(problem).isprintable() for problem in said)


def test_reading_does_not_change_the_document():
    document = policy(RULE)
    before = copy.deepcopy(document)
    parse_policy(document)
    assert document == before
