"""Our reading of labelled sets beside the runtime's: its question check, its parser, its two fingerprints."""

from __future__ import annotations

import copy
import json
import random

import pytest
from labelled_sets import STRANGE, labelled_set, lines_of, mutated, places, question
from laya.agent import Agent
from laya.evals import Dataset, EvalError
from laya.evals import file_fingerprint as upstream_file
from laya.evals import questions_fingerprint as upstream_questions

from laya_sweep.__main__ import main
from laya_sweep.domain.fingerprint import file_fingerprint, questions_fingerprint
from laya_sweep.suites.labelled import parse_labelled, read_labelled
from laya_sweep.suites.question_check import question_refusals

GENERATED = 200

#: Where we refuse what upstream's parser and question check let pass; each with the words of its fault.
STRICTER = (
    "at least one question by id",
    "a text or a JSON document",
    "each key once in an object",
    "numbers that JSON has",
    "numbers that a 64-bit float holds",
    "texts of whole Unicode characters",
    "levels of nesting",
    "a list of texts",
    "a text that is not blank",
    "a text or a whole number",
    "true or false for a noul question",
    "a finite number for a score question",
    "one of the labels",
    "a text",
)


def accepted(qid, asked):
    try:
        Agent._check_question(qid, asked)
    except ValueError:
        return False
    return True


def damaged_question(seed):
    rng = random.Random(seed)
    made = question(rng)
    for _ in range(rng.randint(0, 2)):
        where = rng.choice(places(made))
        value = rng.choice([one for one in STRANGE if one == one])
        holder = made
        for key in where[:-1]:
            holder = holder[key]
        if not where:
            made[rng.choice(["labels", "option_order", "criteria", "type", "instructions"])] = copy.deepcopy(value)
        elif rng.random() < 0.2:
            del holder[where[-1]]
        else:
            holder[where[-1]] = copy.deepcopy(value)
    return made


def test_a_question_passes_exactly_where_the_runtime_takes_it():
    verdicts = []
    for seed in range(4000):
        asked = damaged_question(seed)
        found = question_refusals("q", asked)
        assert accepted("q", asked) is not bool(found), (asked, found)
        verdicts.append(bool(found))
    assert 500 < sum(verdicts) < 3500


@pytest.mark.parametrize("qid", ["", " ", "\n", "q", "0", "試"])
def test_a_question_id_passes_exactly_where_the_runtime_takes_it(qid):
    asked = {"type": "noul", "instructions": "Is it?"}
    assert accepted(qid, asked) is not bool(question_refusals(qid, asked))


@pytest.mark.parametrize("asked", [None, 7, "choice", ["choice"], {}])
def test_a_definition_that_is_none(asked):
    assert not accepted("q", asked)
    assert question_refusals("q", asked)


def same_fingerprints(path):
    ours, theirs = read_labelled(path), Dataset.from_jsonl(str(path))
    assert questions_fingerprint(ours.examples) == upstream_questions(theirs)
    assert file_fingerprint(path) == upstream_file(str(path)) == ours.sha256
    assert [one.state for one in ours.examples] == [one.state for one in theirs.examples]
    assert [one.expected for one in ours.examples] == [one.expected for one in theirs.examples]
    assert [one.tags for one in ours.examples] == [one.tags for one in theirs.examples]
    assert [(one.language, one.model) for one in ours.examples] == [(o.language, o.model) for o in theirs.examples]


@pytest.mark.reference
@pytest.mark.parametrize("name", ["fixture", "swedish_support"])
def test_fingerprints_of_the_reference_sets(shared, name):
    same_fingerprints(shared / "golden" / f"{name}.jsonl")


def test_fingerprints_of_generated_sets(tmp_path):
    path, seen = tmp_path / "set.jsonl", set()
    for seed in range(GENERATED):
        path.write_text(lines_of(labelled_set(seed)), "utf-8")
        same_fingerprints(path)
        seen.add(questions_fingerprint(read_labelled(path).examples))
    assert len(seen) > GENERATED * 0.9


def test_a_fingerprint_is_of_the_questions_whatever_the_rows(tmp_path):
    rows = labelled_set(3, rows=20)

    def fingerprint(changed):
        path = tmp_path / "set.jsonl"
        path.write_text(lines_of(changed), "utf-8")
        return questions_fingerprint(read_labelled(path).examples)

    before = fingerprint(rows)
    assert fingerprint([*reversed(rows)]) == before == fingerprint([row | {"state": "x"} for row in rows])
    for key, value in (("instructions", "Another?"), ("option_order", [1, 0])):
        other = copy.deepcopy(rows)
        asked = next(q for row in other for q in row["questions"].values() if q["type"] == "noul")
        asked[key] = value
        assert fingerprint(other) != before


@pytest.mark.slow
def test_mutated_files_pass_only_where_upstream_takes_them_too(tmp_path, capsys):
    """Through the command, 1,000 files: never a traceback, and 0 only where the file still validates.

    Nothing that the runtime refuses passes; what it takes and we refuse is one of a written list.
    """
    path, passed, stricter = tmp_path / "set.jsonl", 0, 0
    for seed in range(1000):
        path.write_bytes(mutated(seed))
        rows, faults = parse_labelled(path.read_bytes())
        upstream = upstream_takes(path)
        assert main(["validate", str(path)]) == (2 if faults else 0)
        said = capsys.readouterr()
        assert len(said.err.splitlines()) == len(faults)
        assert bool(said.out) is not bool(faults)
        if not faults:
            assert upstream, seed
            assert len(rows) == len(read_labelled(path).examples) == len(Dataset.from_jsonl(str(path)))
            passed += 1
        else:
            stricter += upstream
            if upstream:
                assert all(any(known in fault.expected for known in STRICTER) for fault in faults), (seed, faults)
    assert passed > 150
    assert stricter > 50


def upstream_takes(path):
    """Whether laya.evals parses the file and its runtime takes every question."""
    try:
        examples = Dataset.from_jsonl(str(path)).examples
    except EvalError:
        return False
    return all(accepted(qid, asked) for one in examples for qid, asked in one.questions.items())


def test_the_generated_sets_are_what_they_are_meant_to_be():
    kinds = [asked["type"] for seed in range(50) for row in labelled_set(seed) for asked in row["questions"].values()]
    assert min(kinds.count(kind) for kind in ("choice", "score", "noul")) > 50
    assert len({json.dumps(labelled_set(seed)) for seed in range(50)}) == 50
