"""The document of the checks: what is read, and every fault of it named at once."""

import json
import re
from pathlib import Path

import pytest
from builders import PERMUTED, SLOT0, design_document, design_of

from laya_sweep.errors import DatasetError, UsageError
from laya_sweep.suites.check_design import parse_design, read_design
from laya_sweep.suites.check_gates import CheckLimits, overlaid, parse_gates, policy_rules

SWAP = {"instructions": "?", "criteria": {"false": "no way", "true": "sure"}, "words": [["A", "B"]]}


def faults(document):
    with pytest.raises(DatasetError) as caught:
        parse_design(document, "doc")
    return [str(problem) for problem in caught.value.problems]


def one_check(check="score_slot0_identical", base=SLOT0, **changes):
    texts = {key: value for key, value in (base | changes).items() if value is not ...}
    return design_document({check: texts})


@pytest.mark.parametrize(
    ("document", "where", "said"),
    [
        (one_check(levels=[1]), "levels", "each from 2 to 20"),
        (one_check(levels=[3, 3]), "levels", "distinct numbers"),
        (one_check(levels=[True]), "levels", "[True]"),
        (one_check(levels=[]), "levels", "[]"),
        (one_check(texts=["a", "a"]), "texts", "distinct texts"),
        (one_check(texts=["a", " "]), "texts", "distinct texts"),
        (one_check(instructions=...), "instructions", "a text, got none"),
        (one_check(instructions=" "), "instructions", "a text, got ' '"),
        (one_check(colour="red"), "colour", "known keys (instructions, texts, levels)"),
        (one_check("score_first_slot_permuted", PERMUTED, levels=["one"]), "levels", "2 to 4"),
        (one_check("score_first_slot_permuted", PERMUTED, levels=[*"abcde"]), "levels", "2 to 4"),
        (one_check("noul_label_swap", SWAP, words=[["A", "A"]]), "words", "distinct"),
        (one_check("noul_label_swap", SWAP, words=[["A"]]), "words", "pairs"),
        (one_check("noul_label_swap", SWAP, words=[["A|B", "C"], ["A", "B|C"]]), "noul_label_swap", "two of one name"),
        (one_check("noul_label_swap", SWAP, criteria="x"), "criteria", "an object"),
        (one_check("noul_label_swap", SWAP, criteria={"false": "no way"}), "noul_label_swap.criteria.true", "a text"),
        (one_check("noul_label_swap", SWAP, word=[]), "noul_label_swap.word", "known keys (words, instructions"),
        (one_check("score_slot_0_identical"), "score_slot_0_identical", "a check (score_slot0_identical"),
        (design_document({}), "checks", "at least one check"),
        (design_document(states=["only one"]), "states", "at least 2"),
        (design_document(states=["a", "a"]), "states", "distinct"),
        (design_document(states=["a", 3]), "states", "texts, objects or lists"),
        (design_document(languages=()), "languages", "at least one language"),
        (design_document(gates={"en": {"score_slot0_identical": {"min": "low"}}}), "gates.en", "a finite number"),
        (design_document(gates={"en": {"score_slot0_identical": {}}}), "gates.en", "min or max"),
        (design_document(gates={"en": {"noul_label_swap": {"min": 0}}}), "gates.en", "a check that this language is"),
        (design_document(gates={"de": {"score_slot0_identical": {"min": 0}}}), "gates.de", "a check that this"),
        (design_document(gates={"en": {"urgency": {"min": 0}}}), "gates.en.urgency", "a check (score_slot0_identical"),
        (design_document(gates=["en"]), "gates", "an object"),
        ([], "doc", "an object with version 1"),
        ({**design_document(), "version": 2}, "doc version", "expected 1, got 2"),
        ({"version": 1, "languages": {}}, "doc gates", "an object, which may be empty, got none"),
        ({**design_document(), "gate": {}}, "doc gate", "known keys (gates, version, languages)"),
    ],
)
def test_a_fault_is_named_where_it_stands(document, where, said):
    fault = faults(document)[0]
    assert where in fault.split(": expected")[0]
    assert said in fault
    assert "\n" not in fault


def test_every_fault_is_found_in_one_reading():
    checks = {
        "score_slot0_identical": {**SLOT0, "levels": [0], "texts": []},
        "unheard_of": {},
        "noul_label_swap": {**SWAP, "words": [["A", "A"]], "word": "A"},
    }
    document = design_document(
        checks, states=[], gates={"en": {"urgency": {"min": 0}, "noul_label_swap": {"least": 0}}}
    )
    asked = "doc languages.en.checks"
    assert [fault.split(": expected")[0] for fault in faults(document)] == [
        "doc languages.en.states",
        f"{asked}.score_slot0_identical.texts",
        f"{asked}.score_slot0_identical.levels",
        f"{asked}.unheard_of",
        f"{asked}.noul_label_swap.words",
        f"{asked}.noul_label_swap.word",
        "doc gates.en.urgency",
        "doc gates.en.noul_label_swap.least",
    ]


def test_a_state_is_whatever_the_model_takes():
    states = ["text", {"message": "hi", "n": 1}, ["turn one", "turn two"]]
    assert design_of(states=states).languages["en"].states == tuple(states)


def test_a_file_is_read_strictly(tmp_path):
    path = tmp_path / "doc.json"
    path.write_text(json.dumps(design_document()), "utf-8")
    assert read_design(path).document == design_document()
    path.write_text('{"version": 1, "version": 1}', "utf-8")
    with pytest.raises(UsageError, match="each key once in an object"):
        read_design(path)
    with pytest.raises(UsageError, match=r"nothing\.json"):
        read_design(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    ("limits", "value", "kept"),
    [
        (CheckLimits(min=-0.2), -0.2, True),
        (CheckLimits(min=-0.2), -0.2 - 1e-9, False),
        (CheckLimits(min=0.3), 0.1 + 0.2, True),
        (CheckLimits(max=0.3), 0.1 + 0.2, True),
        (CheckLimits(min=0.0, max=1.0), 1.1, False),
        (CheckLimits(min=0.0), None, False),
        (CheckLimits(min=0.0), float("nan"), False),
    ],
)
def test_equal_passes_and_no_value_does_not(limits, value, kept):
    assert limits.keeps(value) is kept


def test_a_runs_own_gates_lie_over_those_of_the_document():
    gates = parse_gates({"en": {"score_slot0_identical": {"min": -0.2}, "noul_label_swap": {"min": 0.5}}}, "g", [])
    own = parse_gates({"en": {"noul_label_swap": {"min": 0.9}}, "de": {"noul_label_swap": {"max": 1}}}, "g", [])
    merged = overlaid(gates, own)
    assert {
        language: {check: str(limits) for check, limits in checks.items()} for language, checks in merged.items()
    } == {
        "en": {"score_slot0_identical": ">= -0.2", "noul_label_swap": ">= 0.9"},
        "de": {"noul_label_swap": "<= 1"},
    }
    assert policy_rules("de", merged["de"], {"noul_label_swap": 30}) == [
        {"slice": {"language": "de"}, "metric": "noul_label_swap", "min_count": 30, "max": 1.0}
    ]


def test_the_documented_document_is_one():
    text = (Path(__file__).parents[2] / "docs" / "checks.md").read_text("utf-8")
    [example] = re.findall(r"^```json\n(.*?)^```", text, re.M | re.S)
    design = parse_design(json.loads(example), "docs")
    assert design.gates["nl"]["score_slot0_identical"] == CheckLimits(min=-0.2, max=1.0)
