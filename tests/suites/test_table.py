"""A text/label file as a suite: typed states, labels, drawings, every fault at once, ids that hold."""

import dataclasses
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import NoHub, dataset_settings

from laya_sweep.domain.fingerprint import questions_fingerprint
from laya_sweep.domain.settings import TableMapping
from laya_sweep.errors import DatasetError
from laya_sweep.suites.suite import make_suite
from laya_sweep.suites.table import TableSuite

MAPPING = TableMapping(
    format=None, quoted=None, text="text", label="label", language=None, id=None, tags=(),
    question="label", instructions="Which?",
)  # fmt: skip


def suite_of(path, per_lang=None, n_opts=0, seed=13, sampling="published", labels=None, **mapping):
    settings = dataset_settings(
        path, name="table", repo=None, split="", per_lang=per_lang, n_opts=n_opts, seed=seed, sampling=sampling,
        labels=labels, mapping=dataclasses.replace(MAPPING, **mapping),
    )  # fmt: skip
    return make_suite(settings, NoHub())


def jsonl(tmp_path, rows, name="t.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def every_case(suite):
    cases = [case for code in suite.languages(None) for case in suite.cases(code)]
    return sorted(cases, key=lambda case: case.row_index)


def problems_of(path, **mapping):
    with pytest.raises(DatasetError) as caught:
        suite_of(path, **mapping)
    return [(problem.what.removeprefix(f"{path}").removeprefix(": "), problem.got) for problem in caught.value.problems]


def some(count=30, labels=("b", "a", "c", "d")):
    rng = random.Random(count)
    return [
        {"text": f"text {i}", "label": rng.choice(labels), "lang": "de" if i % 3 else "en", "key": f"m{i // 2}"}
        for i in range(count)
    ]


def test_a_row_is_a_question_over_the_sorted_labels_of_the_file(tmp_path):
    suite = suite_of(
        jsonl(tmp_path, [{"text": "x", "label": "no"}, {"text": "y", "label": 7}, {"text": "x", "label": "001"}])
    )
    assert isinstance(suite, TableSuite)
    cases = every_case(suite)
    asked = {"type": "choice", "instructions": "Which?", "criteria": ["001", "7", "no"]}
    assert [case.questions for case in cases] == [{"label": asked}] * 3
    assert [case.expected for case in cases] == [{"label": label} for label in ("no", "7", "001")]
    assert [case.state for case in cases] == ["x", "y", "x"]
    assert (cases[0].input_sha256, cases[0].source_id) == (cases[2].input_sha256, "row 0")
    assert len({case.case_id for case in cases}) == 3


def test_states_keep_their_type(tmp_path):
    states = ["text", {"from": "a", "n": 1}, [{"role": "user", "text": "hi"}], ["one", "two"]]
    rows = [{"text": state, "label": "ab"[i % 2], "n": 2.5} for i, state in enumerate(states)]
    assert [case.state for case in every_case(suite_of(jsonl(tmp_path, rows)))] == states
    both = every_case(suite_of(jsonl(tmp_path, rows), text=(("amount", "n"), ("body", "text"))))
    assert [json.dumps(case.state) for case in both] == [json.dumps({"amount": 2.5, "body": state}) for state in states]
    pq.write_table(pa.table({"text": [["one", "two"], ["x"]], "label": [0, 1]}), tmp_path / "t.parquet")
    assert [case.state for case in every_case(suite_of(tmp_path / "t.parquet"))] == [["one", "two"], ["x"]]


def test_labels_with_descriptions_keep_their_order_and_may_be_unused(tmp_path):
    labels = (("d", "the fourth"), ("b", None), ("a", "the first"), ("c", "x"), ("never", "y"))
    path = jsonl(tmp_path, some())
    suite = suite_of(path, labels=labels)
    for case in every_case(suite):
        assert [*case.questions["label"]["criteria"].items()] == [*labels]
    assert suite.notes()[1] == "labels that no row has: never"
    (tmp_path / "labels.json").write_text(json.dumps(dict(labels)))
    named = suite_of(path, labels=tmp_path / "labels.json")
    assert every_case(named) == every_case(suite)
    assert named.recipe("") == suite.recipe("")


def test_language_id_and_tags(tmp_path):
    rows = [
        {"text": "x", "label": "a", "lang": "no", "key": 1, "vip": True, "plan": "001"},
        {"text": "y", "label": "b", "lang": "", "key": None, "vip": None, "plan": ""},
        {"text": "z", "label": "b", "key": "1", "vip": "yes", "plan": 5},
    ]
    suite = suite_of(jsonl(tmp_path, rows), language="lang", id="key", tags=("vip", "plan"))
    assert suite.languages(None) == ("", "no")
    cases = every_case(suite)
    assert [case.language for case in cases] == ["no", "", ""]
    assert [case.source_id for case in cases] == ["1", "row 1", "1"]
    assert [case.tags for case in cases] == [("vip=true", "plan=001"), (), ("vip=yes", "plan=5")]
    with pytest.raises(DatasetError) as caught:
        suite.languages(["no", "xx", "yy"])
    assert [problem.got for problem in caught.value.problems] == ["'xx'", "'yy'"]
    assert "no" in caught.value.problems[0].expected


def test_the_published_drawing_walks_each_language_by_itself(tmp_path):
    rows = some(labels=[f"l{i}" for i in range(9)])
    suite = suite_of(jsonl(tmp_path, rows), language="lang", n_opts=4)
    labels = sorted({row["label"] for row in rows})
    for code in ("de", "en"):
        generator = random.Random(13)
        own = [row for row in rows if row["lang"] == code]
        assert len(suite.cases(code)) == len(own)
        for case, row in zip(suite.cases(code), own, strict=True):
            options = [row["label"], *generator.sample([label for label in labels if label != row["label"]], 3)]
            generator.shuffle(options)
            assert case.questions["label"]["criteria"] == options


def test_a_part_of_the_rows_has_the_ids_of_the_whole(tmp_path):
    path = jsonl(tmp_path, some())
    whole, few = (suite_of(path, language="lang", n_opts=3, per_lang=n) for n in (None, 4))
    assert few.cases("de") == whole.cases("de")[:4]
    assert few.recipe("de") == whole.recipe("de")
    assert few.dataset_digest(few.cases("de")) != whole.dataset_digest(whole.cases("de"))


def test_drawn_by_row_a_row_keeps_its_options_when_others_go(tmp_path):
    rows = some(labels=[f"l{i}" for i in range(9)])
    labels = tuple((f"l{i}", None) for i in range(9))
    drawn = {"n_opts": 4, "sampling": "by_row", "labels": labels, "id": "text"}
    whole = {case.state: case for case in every_case(suite_of(jsonl(tmp_path, rows), **drawn))}
    part = every_case(suite_of(jsonl(tmp_path, rows[::-2], "part.jsonl"), **drawn))
    assert len(part) == 15
    assert [case.questions for case in part] == [whole[case.state].questions for case in part]


def test_the_recipe_moves_with_what_is_asked_and_with_nothing_else(tmp_path):
    path = jsonl(tmp_path, some())
    recipe = suite_of(path).recipe("")
    for change in ({"seed": 5}, {"sampling": "by_row"}, {"tags": ("key",)}, {"id": "key"}, {"per_lang": 2}):
        assert suite_of(path, **change).recipe("") == recipe, change
    changes = [
        {"instructions": "What?"}, {"question": "q"}, {"text": "key"}, {"n_opts": 2}, {"n_opts": 2, "seed": 5},
        {"n_opts": 2, "sampling": "by_row"}, {"n_opts": 2, "sampling": "by_row", "id": "key"}, {"label": "lang"},
        {"labels": tuple((label, "x") for label in "abcd")}, {"language": "lang"},
    ]  # fmt: skip
    recipes = [json.dumps(suite_of(path, **change).recipe("de" if "language" in change else "")) for change in changes]
    assert len({json.dumps(recipe), *recipes}) == len(changes) + 1
    other = suite_of(jsonl(tmp_path, some(31), "other.jsonl")).recipe("")
    assert other != recipe


def test_the_same_rows_in_another_format_are_the_same_dataset(tmp_path):
    rows = some()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    suites = [suite_of(jsonl(tmp_path, rows)), suite_of(tmp_path / "t.parquet")]
    cases = [every_case(suite) for suite in suites]
    assert cases[0] == cases[1]
    assert len({suite.dataset_digest(own) for suite, own in zip(suites, cases, strict=True)}) == 1
    assert len({questions_fingerprint(own) for own in cases}) == 1
    other = suite_of(jsonl(tmp_path, rows), text="key")
    assert other.dataset_digest(every_case(other)) != suites[0].dataset_digest(cases[0])


def test_every_fault_of_a_file_is_shown_with_its_place(tmp_path):
    rows = [
        {"text": "x", "label": "a"},
        {"text": " ", "label": True},
        {"text": 5, "label": "c", "lang": 3, "vip": 1.5},
        {"label": "a", "key": 2.5},
        {"text": {}, "label": None},
        {"text": "x", "label": "b"},
    ]
    path = jsonl(tmp_path, rows)
    chosen = {"language": "lang", "id": "key", "tags": ("vip",), "labels": (("a", None), ("b", None))}
    assert problems_of(path, **chosen) == [
        ("line 2, text", "' '"),
        ("line 2, label", "True"),
        ("line 3, text", "5"),
        ("line 3, lang", "3"),
        ("line 3, vip", "1.5"),
        ("line 4, text", "nothing"),
        ("line 4, key", "2.5"),
        ("line 5, text", "{}"),
        ("line 5, label", "nothing"),
    ]
    sound = jsonl(tmp_path, [{"text": "x", "label": label} for label in ("a", "c", "d")], "sound.jsonl")
    assert problems_of(sound, labels=(("a", None), ("b", None))) == [("line 2, label", "'c'"), ("line 3, label", "'d'")]


def test_columns_of_an_object_may_be_empty_but_not_all_of_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("subject,body,label\n,hello,a\n, ,b\nx,,b\n")
    text = (("subject", "subject"), ("body", "body"))
    assert problems_of(path, text=text) == [("line 3, subject", "none")]
    path.write_text("subject,body,label\n,hello,a\nx,,b\n")
    assert [case.state for case in every_case(suite_of(path, text=text))] == [
        {"subject": "", "body": "hello"},
        {"subject": "x", "body": ""},
    ]
    pq.write_table(pa.table({"s": [1.0, float("nan")], "b": ["x", "y"], "label": ["a", "b"]}), tmp_path / "t.parquet")
    assert problems_of(tmp_path / "t.parquet", text=(("s", "s"), ("b", "b"))) == [("row 2, s", "nan")]


def test_one_label_is_no_choice(tmp_path):
    assert problems_of(jsonl(tmp_path, [{"text": "x", "label": "a"}] * 3)) == [("label", "1")]


LABEL_FILES = {
    "number": ("5", "a list of labels or a map"),
    "one label": ('["a"]', "at least 2 labels"),
    "twice": ('["a", "b", "a"]', "each label once"),
    "key twice": ('{"a": null, "a": null, "b": null}', "each key once"),
    "bool": ('["a", "b", true]', "labels that are texts"),
    "description": ('{"a": 5, "b": null}', "a description of 'a'"),
    "no json": ("{", "JSON"),
}


@pytest.mark.parametrize("name", LABEL_FILES)
def test_a_broken_file_of_labels(tmp_path, name):
    text, expected = LABEL_FILES[name]
    labels = tmp_path / "labels.json"
    labels.write_text(text)
    with pytest.raises(DatasetError) as caught:
        suite_of(jsonl(tmp_path, some()), labels=labels)
    [problem] = caught.value.problems
    assert problem.what == f"dataset.labels {labels}"
    assert problem.expected.startswith(expected)
