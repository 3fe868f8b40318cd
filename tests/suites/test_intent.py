"""MASSIVE as a suite: the published cases, and languages whose files are broken."""

import csv
import gzip
import json
import random

import pytest
from builders import HubDouble, NoHub, dataset_settings, language_rows, write_language

from laya_sweep.errors import DatasetError
from laya_sweep.suites.intent import INSTRUCTIONS, IntentSuite, published_input_digest
from laya_sweep.suites.source import LanguageError


def suite_of(root, **changes):
    return IntentSuite(dataset_settings(root, **changes), NoHub())


@pytest.fixture(scope="session")
def published_cases(shared):
    return suite_of(shared / "data" / "amazon_massive_intent").cases("en")


@pytest.mark.reference
def test_all_gold_positions_of_the_published_run_come_out(shared, published_cases):
    with (shared / "golden" / "massive_en_release_cases.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(published_cases) == 100
    for row, case in zip(rows, published_cases, strict=True):
        options = [*case.questions["intent"]["criteria"]]
        assert case.row_index == int(row["index"])
        assert case.expected == {"intent": row["gold_label"]}
        assert options.index(row["gold_label"]) == int(row["gold_index"])
        assert options[int(row["pred_index"])] == row["pred_label"]


@pytest.mark.reference
def test_the_digest_of_the_inputs_is_the_published_one(shared, published_cases):
    document = json.loads((shared / "golden" / "massive_en_release.json").read_text("utf-8"))
    assert published_input_digest(published_cases) == document["report"]["en"]["input_sha256"]
    for case, shown in zip(published_cases, document["cases"], strict=True):
        question = case.questions["intent"]
        assert case.state == shown["state"]
        assert question["instructions"] == shown["instructions"] == INSTRUCTIONS
        assert [*question["criteria"]] == shown["options"]
        assert [*question["criteria"].values()] == shown["option_texts"]


@pytest.mark.reference
def test_the_same_utterance_has_one_source_id_in_all_languages(shared):
    root = shared / "data" / "amazon_massive_intent"
    languages = {code: suite_of(root, per_lang=30).cases(code) for code in ("en", "de", "km")}
    assert len({tuple(case.source_id for case in cases) for cases in languages.values()}) == 1
    assert len({case.case_id for cases in languages.values() for case in cases}) == 90


def test_a_case_is_the_published_question(tmp_path):
    write_language(tmp_path, "en", language_rows(3, labels=("alarm_set", "iot_wemo.on")))
    case = suite_of(tmp_path).cases("en")[1]
    assert case.state == {"utterance": "text 1"}
    assert (case.source_id, case.row_index, case.language) == ("101", 1, "en")
    [(qid, question)] = case.questions.items()
    assert (qid, question["type"], question["instructions"]) == ("intent", "choice", INSTRUCTIONS)
    assert question["criteria"] == {"alarm_set": "alarm set", "iot_wemo.on": "iot wemo: on"}
    assert case.expected == {"intent": "iot_wemo.on"}


def test_the_scenario_suite_asks_for_what_stands_before_the_first_underscore(tmp_path):
    labels = ("iot_hue_lightchange", "alarm_set", "iot_cleaning", "qa_maths", "general")
    write_language(tmp_path, "en", language_rows(10, labels=labels))
    suite = suite_of(tmp_path, name="massive_scenario", n_opts=3)
    cases = suite.cases("en")
    assert [case.expected["scenario"] for case in cases[:5]] == ["iot", "alarm", "iot", "qa", "general"]
    generator = random.Random(13)
    for case in cases:
        gold = case.expected["scenario"]
        options = [gold, *generator.sample([s for s in ("alarm", "general", "iot", "qa") if s != gold], 2)]
        generator.shuffle(options)
        assert [*case.questions["scenario"]["criteria"]] == options
    assert case.questions["scenario"]["instructions"] == suite.document()["instructions"] != INSTRUCTIONS
    assert suite.input_digest(cases) != suite_of(tmp_path).input_digest(suite_of(tmp_path).cases("en"))
    assert suite.recipe("en") != suite_of(tmp_path, n_opts=3).recipe("en")


@pytest.mark.reference
def test_the_reference_data_has_18_scenarios_in_every_language(shared):
    suite = suite_of(shared / "data" / "amazon_massive_intent", name="massive_scenario", per_lang=5)
    for code in ("en", "km"):
        for case in suite.cases(code):
            assert len(case.questions["scenario"]["criteria"]) == 18


def test_labels_are_those_of_the_whole_split_sorted(tmp_path):
    """Labels that occur only after the first `per_lang` rows are drawn too, and file order does not matter."""
    late = language_rows(4, labels=("b", "d")) + language_rows(4, labels=("a", "c"))
    write_language(tmp_path, "en", late)
    write_language(tmp_path, "de", late[:4] + late[:3:-1])
    drawn = [suite_of(tmp_path, per_lang=4, n_opts=4).cases(code) for code in ("en", "de")]
    assert all(set(case.questions["intent"]["criteria"]) == {"a", "b", "c", "d"} for case in drawn[0])
    assert [case.case_id for case in drawn[0]] == [case.case_id for case in drawn[1]]


@pytest.mark.parametrize("sampling", ["published", "by_row"])
def test_a_wider_per_lang_keeps_the_ids_of_the_first_cases(tmp_path, sampling):
    write_language(tmp_path, "en", language_rows(30, labels=[f"label_{i}" for i in range(9)]))
    narrow, wide = (suite_of(tmp_path, sampling=sampling, n_opts=4, per_lang=n).cases("en") for n in (10, 25))
    assert wide[:10] == narrow
    assert len(wide) == 25


def test_fewer_rows_than_asked_for_are_all_of_them(tmp_path):
    write_language(tmp_path, "en", language_rows(5))
    assert len(suite_of(tmp_path, per_lang=100).cases("en")) == 5


def test_identical_rows_of_a_file_are_cases_of_their_own(tmp_path):
    row = {"id": "1", "text": "quiet", "label_text": "mute"}
    write_language(tmp_path, "en", [row, {"id": "3", "text": "x", "label_text": "y"}, row])
    first, _, second = suite_of(tmp_path, sampling="by_row", n_opts=2).cases("en")
    assert first.input_sha256 == second.input_sha256
    assert [case.case_id for case in (first, second)] == [f"{first.input_sha256[:32]}-{i}" for i in (0, 1)]
    assert [case.row_index for case in (first, second)] == [0, 2]


def test_an_unpacked_file_is_read_where_there_is_no_packed_one(tmp_path):
    path = write_language(tmp_path, "en", language_rows(4))
    before = suite_of(tmp_path).cases("en")
    path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
    path.unlink()
    assert suite_of(tmp_path).cases("en") == before


def broken(data):
    """Bytes of a good packed file -> kinds of damage by name: (bytes, what the message must say)."""
    text = gzip.decompress(data).decode()
    first, second, *rest = text.splitlines(keepends=True)
    half = '{"id": "1", "text": "\\ud800", "label_text": "a"}\n'
    no_label = json.dumps({"id": "1", "text": "hello"}) + "\n"

    def pack(changed):
        return gzip.compress(changed if isinstance(changed, bytes) else changed.encode())

    return {
        "truncated": (data[: len(data) // 2], "test.jsonl.gz"),
        "corrupt stream": (data[:40] + bytes(200) + data[240:], "test.jsonl.gz"),
        "not gzip": (text.encode(), "test.jsonl.gz"),
        "no bytes": (b"", "at least 1 row"),
        "no rows": (pack("\n\n"), "at least 1 row"),
        "bad json": (pack(first + "{'id': 1}\n" + second), "line 2"),
        "cut line": (pack(first + second[:20]), "line 2"),
        "nested too deep": (pack(first + "[" * 200_000 + "\n"), "line 2"),
        "no object": (pack(first + second + "[1, 2]\n"), "row 3"),
        "missing field": (pack(first + no_label), "row 2"),
        "number as text": (pack(first + json.dumps({"id": "1", "text": 5, "label_text": "a"})), "row 2"),
        "empty text": (pack(first + json.dumps({"id": "1", "text": "", "label_text": "a"})), "row 2"),
        "number as id": (pack(first + json.dumps({"id": 1, "text": "x", "label_text": "a"})), "row 2"),
        "half a character": (pack(first + half + "".join(rest)), "row 2"),
        "one label": (pack(first + first), "at least 2 labels"),
        "bad utf-8": (pack(first.encode() + b'{"id": "\xff"}\n'), "utf-8"),
    }


@pytest.mark.parametrize("damage", broken(gzip.compress(b'{"id":"1"}\n{}\n{}\n')))
def test_a_broken_language_says_what_is_wrong_and_leaves_the_others(tmp_path, damage):
    path = write_language(tmp_path, "de", language_rows(400))
    write_language(tmp_path, "en", language_rows(4))
    data, said = broken(path.read_bytes())[damage]
    path.write_bytes(data)
    suite = suite_of(tmp_path)
    with pytest.raises(LanguageError) as caught:
        suite.cases("de")
    message = str(caught.value)
    assert message.startswith("de: ")
    assert said in message
    assert "\n" not in message
    assert len(message) < 400
    assert len(suite.cases("en")) == 4


def test_the_bundled_corpus_is_a_parallel_suite_without_a_hub():
    suite = IntentSuite(dataset_settings(name="demo", repo=None, n_opts=10), NoHub())
    english, khmer = suite.cases("en"), suite.cases("km")
    assert [case.source_id for case in english] == [case.source_id for case in khmer]
    assert len({case.case_id for case in [*english, *khmer]}) == 2 * len(english) > 20
    with pytest.raises(DatasetError) as caught:
        IntentSuite(dataset_settings(name="demo", split="nowhere"), NoHub())
    assert [problem.what for problem in caught.value.problems] == ["dataset.split"]


@pytest.mark.parametrize("what", ["cases", "recipe"])
def test_a_language_without_a_file_is_a_broken_language(tmp_path, what):
    write_language(tmp_path, "en", language_rows(4))
    with pytest.raises(LanguageError, match=r"^de: .*test\.jsonl\.gz"):
        getattr(suite_of(tmp_path), what)("de")


@pytest.mark.parametrize(("make", "got"), [(False, "no such folder"), (True, "no data/<language>/dev.jsonl.gz in it")])
def test_a_folder_that_is_no_dataset_is_refused_as_a_whole(tmp_path, make, got):
    root = tmp_path / "data set"
    if make:
        write_language(root, "en", language_rows(3), split="test")
    with pytest.raises(DatasetError) as caught:
        suite_of(root, split="dev")
    [problem] = caught.value.problems
    assert (problem.what, problem.got) == (f"dataset.path {root}", got)


def test_a_local_folder_asks_no_hub(tmp_path):
    write_language(tmp_path, "en", language_rows(3))
    double = HubDouble()
    suite = IntentSuite(dataset_settings(tmp_path), double)
    suite.cases("en")
    assert set(suite.recipe("en")["source"]) == {"sha256"}
    assert (double.resolved, double.downloaded, double.asked) == ([], [], [])


def test_the_recipe_is_content_and_draw_never_how_many_nor_where(tmp_path):
    for root in ("one", "two"):
        write_language(tmp_path / root, "en", language_rows(6))
        write_language(tmp_path / root, "de", language_rows(7))
    recipe = suite_of(tmp_path / "one").recipe("en")
    assert suite_of(tmp_path / "two", per_lang=3).recipe("en") == recipe
    assert suite_of(tmp_path / "one").recipe("de") != recipe
    for change in ({"seed": 14}, {"n_opts": 5}, {"sampling": "by_row"}):
        assert suite_of(tmp_path / "one", **change).recipe("en") != recipe
    write_language(tmp_path / "one", "en", language_rows(8))
    assert suite_of(tmp_path / "one").recipe("en") != recipe


def options_of(suite):
    return {case.source_id: case.questions["intent"]["criteria"] for case in suite.cases("en")}


def test_rows_in_a_folder_of_their_own_keep_their_options_where_the_labels_are_stated(tmp_path):
    rows = language_rows(80, labels=[f"l_{i:02}" for i in range(40)])
    write_language(tmp_path / "all", "en", rows)
    write_language(tmp_path / "some", "en", rows[30:50][::-1])
    labels = tuple((f"l_{i:02}", None) for i in reversed(range(40)))
    drawn = {"sampling": "by_row", "n_opts": 5}
    whole = options_of(suite_of(tmp_path / "all", **drawn))
    stated = options_of(suite_of(tmp_path / "some", labels=labels, **drawn))
    assert stated == {source: whole[source] for source in stated}
    assert len(stated) == 20
    assert [*map(list, stated.values())] == [list(whole[source]) for source in stated]
    (tmp_path / "labels.json").write_text(json.dumps([label for label, _ in labels]), "utf-8")
    assert options_of(suite_of(tmp_path / "some", labels=tmp_path / "labels.json", **drawn)) == stated
    few = options_of(suite_of(tmp_path / "all", per_lang=3, **drawn))
    assert few == {source: whole[source] for source in few}  # of the whole split, whatever is taken of it


def test_stated_labels_are_identity_in_whichever_order_and_may_have_texts(tmp_path):
    write_language(tmp_path, "en", language_rows(6, labels=("b", "a_x")))
    suite = suite_of(tmp_path, labels=(("b", None), ("a_x", None), ("c", "see")))
    turned = suite_of(tmp_path, labels=(("c", "see"), ("b", None), ("a_x", None)))
    assert suite.recipe("en") == turned.recipe("en") != suite_of(tmp_path).recipe("en")
    assert options_of(suite) == options_of(turned)
    assert options_of(suite)["100"] == {"b": "b", "a_x": "a x", "c": "see"}
    assert suite.document()["labels"] == {"a_x": None, "b": None, "c": "see"}
    assert "labels" not in suite_of(tmp_path).document()


def test_a_row_whose_label_is_not_stated_is_named(tmp_path):
    write_language(tmp_path, "en", language_rows(6, labels=("b", "a", "z")))
    suite = suite_of(tmp_path, labels=(("b", None), ("a", None)))
    with pytest.raises(DatasetError) as caught:
        suite.cases("en")
    [problem] = caught.value.problems
    assert (problem.what, problem.got) == ("dataset.labels: language en, row 102", "'z'")
