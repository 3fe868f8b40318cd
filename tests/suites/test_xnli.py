"""XNLI as a suite: the layout of the Hub dataset in a folder, premises that tie rows, languages of its own."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import HubDouble, NoHub, dataset_settings

from laya_sweep.errors import DatasetError
from laya_sweep.suites.languages import LANGUAGES, XNLI_LANGUAGES
from laya_sweep.suites.source import LanguageError
from laya_sweep.suites.suite import make_suite
from laya_sweep.suites.xnli import XnliSuite

LABELS = ["entailment", "neutral", "contradiction"]


def rows_of(count=6, language="en"):
    return [
        {"premise": f"{language} premise {i // 3}", "hypothesis": f"{language} hypothesis {i}", "label": (i * 2) % 3}
        for i in range(count)
    ]


def write(root, language, rows, name="test-00000-of-00001.parquet"):
    path = root / language / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def suite_of(root, hub=None, **changes):
    values = {"repo": None, "split": "test", "per_lang": None, "n_opts": 0, "seed": 0, "sampling": ""} | changes
    return make_suite(dataset_settings(root, name="xnli", **values), hub or NoHub())


def test_a_row_is_a_choice_of_three_in_the_order_of_the_dataset(tmp_path):
    write(tmp_path, "bg", rows_of(language="bg"))
    suite = suite_of(tmp_path)
    assert isinstance(suite, XnliSuite)
    cases = suite.cases("bg")
    assert [case.expected["relation"] for case in cases] == [LABELS[i] for i in (0, 2, 1, 0, 2, 1)]
    assert cases[4].state == {"premise": "bg premise 1", "hypothesis": "bg hypothesis 4"}
    for case in cases:
        assert [*case.questions["relation"]["criteria"]] == LABELS
    assert [case.source_id for case in cases] == ["premise 0"] * 3 + ["premise 3"] * 3


def test_the_languages_are_those_of_the_folder(tmp_path):
    for code in ("zh", "bg", "en", "all_languages"):
        write(tmp_path, code, rows_of())
    write(tmp_path, "de", rows_of(), "validation-00000-of-00001.parquet")
    suite = suite_of(tmp_path)
    assert suite.languages(None) == ("bg", "en", "zh")
    assert suite.languages(["zh"]) == ("zh",)
    with pytest.raises(DatasetError) as caught:
        suite.languages(["de", "xx"])
    assert [problem.got for problem in caught.value.problems] == ["'de'", "'xx'"]
    assert "bg, en, zh" in caught.value.problems[1].expected
    assert len(XNLI_LANGUAGES) == 15
    assert {"bg", "zh"} <= set(XNLI_LANGUAGES) - set(LANGUAGES)


def test_shards_join_and_jsonl_with_words_is_the_same(tmp_path):
    rows = rows_of(7)
    write(tmp_path / "a", "en", rows)
    write(tmp_path / "b", "en", rows[:4], "test-00000-of-00002.parquet")
    write(tmp_path / "b", "en", rows[4:], "test-00001-of-00002.parquet")
    write(tmp_path / "c", "en", [row | {"label": LABELS[row["label"]]} for row in rows], "test.jsonl")
    suites = [suite_of(tmp_path / name) for name in "abc"]
    assert suites[0].cases("en") == suites[1].cases("en") == suites[2].cases("en")
    assert len({json.dumps(suite.recipe("en")) for suite in suites}) == 3
    assert len({suite.dataset_digest(suite.cases("en")) for suite in suites}) == 1


def test_fewer_rows_are_the_first_and_the_same_cells(tmp_path):
    write(tmp_path, "en", rows_of(9))
    few, whole = suite_of(tmp_path, per_lang=4), suite_of(tmp_path)
    assert few.cases("en") == whole.cases("en")[:4]
    assert few.recipe("en") == whole.recipe("en")


@pytest.mark.parametrize("label", [3, -1, True, None, "neutrall", 1.0])
def test_a_broken_row_fails_its_language_with_the_count_and_the_first(tmp_path, label):
    rows = [dict(row) for row in rows_of()]
    rows[2] |= {"label": label}
    rows[4] |= {"premise": " "}
    write(tmp_path, "de", rows, "test.jsonl")
    write(tmp_path, "en", rows_of())
    suite = suite_of(tmp_path)
    with pytest.raises(LanguageError, match=r"^de: 2 faults, the first: .*line 3, label: expected 0, 1 or 2") as caught:
        suite.cases("de")
    assert "\n" not in str(caught.value)
    assert len(suite.cases("en")) == 6


def test_a_damaged_file_fails_its_language(tmp_path):
    path = write(tmp_path, "de", rows_of())
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(LanguageError, match=r"^de: 1 faults, the first: .*a whole Parquet file"):
        suite_of(tmp_path).cases("de")


@pytest.mark.parametrize("make", [False, True])
def test_a_folder_that_is_no_xnli_is_refused_as_a_whole(tmp_path, make):
    if make:
        write(tmp_path / "data", "en", rows_of(), "train.jsonl")
    with pytest.raises(DatasetError) as caught:
        suite_of(tmp_path / "data")
    [problem] = caught.value.problems
    assert problem.what == f"dataset.path {tmp_path / 'data'}"


def test_the_hub_is_asked_for_a_config_a_language_at_one_commit():
    hub = HubDouble(rows=rows_of())
    suite = suite_of(None, hub, repo="org/xnli", revision="r1")
    assert suite.languages(None) == tuple(XNLI_LANGUAGES)
    assert len(suite.cases("sw")) == 6
    assert suite.recipe("sw")["source"] == {"repo": "org/xnli", "commit": "commit-of-org/xnli-r1"}
    assert hub.asked == [("org/xnli", "commit-of-org/xnli-r1", "sw", "test")]
    hub.served[1] = {"premise": "x", "hypothesis": None, "label": 0}
    with pytest.raises(LanguageError, match=r"^sw: 1 faults, the first: row 2, hypothesis: expected a text"):
        suite.cases("sw")
    hub.served.clear()
    with pytest.raises(LanguageError, match="at least 1 row"):
        suite.cases("sw")
