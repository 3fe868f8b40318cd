"""`verify`: cell by cell against published figures in each of their three shapes."""

from __future__ import annotations

import json

import pytest
from stored_runs import choice_drafts, write_run

from laya_sweep.__main__ import main
from laya_sweep.documents.language_table import LanguageTable
from laya_sweep.documents.verification import verify_tables


def verify(capsys, *words):
    code = main(["verify", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err.splitlines()


def write(path, document):
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


REPORT = {"report": {"en": {"n": 2, "accuracy": 0.5, "ece": 0.1}, "de": {"n": 2, "accuracy": 1.0, "ece": 0.2}}}


@pytest.mark.reference
def test_the_served_rerun_against_the_committed_sweep(shared, capsys):
    golden = shared / "golden"
    words = ["--against", golden / "published_sweep_part_a.json", "--model", "english"]
    code, out, _ = verify(capsys, golden / "eval_english_51_languages.json", *words)
    assert code == 1
    assert "accuracy: exact 51/51, worst diff 0.0000 (af)" in out
    assert "macro_f1: exact 51/51, worst diff 0.0000 (af)" in out
    assert "ece: exact 0/51, worst diff 0.2808 (my)" in out
    assert out[-1].startswith("MISMATCH: ece, mean_confidence, acc_at_50_coverage")


@pytest.mark.reference
def test_the_served_rerun_against_the_same_branch_and_the_other_one(shared, capsys):
    golden = shared / "golden"
    words = [golden / "eval_english_51_languages.json", "--against", golden / "published_sweep_clamped.json"]
    code, out, _ = verify(capsys, *words, "--branch", "clamped_rerun")
    assert code == 0
    assert len([line for line in out if "exact 51/51" in line]) == 7
    assert out[-1].startswith("all agree: 7 metric(s) over 51 language(s)")
    assert verify(capsys, *words, "--branch", "committed")[0] == 1


@pytest.mark.reference
@pytest.mark.parametrize(
    ("against", "words", "said"),
    [
        ("published_sweep_part_a.json", [], "one of english, multilingual, got none named"),
        ("published_sweep_part_a.json", ["--model", "german"], "one of english, multilingual, got 'german'"),
        ("published_sweep_clamped.json", ["--branch", "served"], "one of committed, clamped_rerun, got 'served'"),
        ("eval_english_51_languages.json", ["--model", "english"], "'english' for documents that have none"),
        ("published_sweep_part_a.json", ["--model", "english", "--branch", "x"], "'x' for documents that have none"),
    ],
)
def test_models_and_branches_are_listed(shared, capsys, against, words, said):
    golden = shared / "golden"
    code, out, err = verify(capsys, golden / "eval_english_51_languages.json", "--against", golden / against, *words)
    assert (code, out, len(err)) == (2, [], 1)
    assert said in err[0]


def shapes(tmp_path):
    """The same figures in each shape, with the words that choose them."""
    languages = REPORT["report"]
    yield write(tmp_path / "a.json", REPORT), []
    models = {"mine": {"per_language": languages}, "other": {"per_language": {"en": {"n": 9}}}}
    yield write(tmp_path / "b.json", {"part_a": {"by_model": models}}), ["--model", "mine"]
    branches = {code: {"before": {"n": 9}, "after": entry} for code, entry in languages.items()}
    yield write(tmp_path / "c.json", {"per_language": branches}), ["--branch", "after"]


def test_each_shape_stands_on_either_side(tmp_path, capsys):
    found = [*shapes(tmp_path)]
    for left, left_words in found:
        for right, right_words in found:
            words = [left, "--against", right, *dict.fromkeys([*left_words, *right_words])]
            assert verify(capsys, *words)[0] == 0, words


def test_the_only_model_or_branch_needs_no_name(tmp_path, capsys):
    one = write(tmp_path / "b.json", {"part_a": {"by_model": {"m": {"per_language": REPORT["report"]}}}})
    branches = {code: {"b": entry} for code, entry in REPORT["report"].items()}
    other = write(tmp_path / "c.json", {"per_language": branches})
    assert verify(capsys, one, "--against", other)[0] == 0


def changed(**metrics):
    return {"report": {**REPORT["report"], "de": {**REPORT["report"]["de"], **metrics}}}


@pytest.mark.parametrize(
    ("metrics", "code", "line"),
    [
        ({"ece": 0.2 + 5e-5}, 0, "ece: exact 2/2, worst diff 0.0000 (de)"),
        ({"ece": 0.2001}, 1, "ece: exact 1/2, worst diff 0.0001 (de)"),
        ({"n": 3}, 1, "n: exact 1/2, worst diff 1.0000 (de)"),
        ({"ece": None}, 1, "ece: exact 1/2, worst diff 0.0000 (en), on one side only in de"),
        ({"ece": "0.2"}, 1, "ece: exact 1/2, worst diff 0.0000 (en)"),
        ({"new": 1}, 1, "not compared, on one side only: new"),
        ({"temperature": 0.5, "input_sha256": "a"}, 0, "not compared, on one side only: temperature"),
    ],
)
def test_the_tolerance_is_half_a_unit_of_the_fourth_decimal(tmp_path, capsys, metrics, code, line):
    left, right = write(tmp_path / "a.json", REPORT), write(tmp_path / "b.json", changed(**metrics))
    found, out, _ = verify(capsys, left, "--against", right)
    assert (found, line in out) == (code, True)
    assert verify(capsys, right, "--against", left)[0] == code


def test_languages_of_one_side_are_named_on_either(tmp_path, capsys):
    wide = {"report": {**REPORT["report"], "km": {"n": 1}, "my": {"n": 1}}}
    left, right = write(tmp_path / "a.json", REPORT), write(tmp_path / "b.json", wide)
    code, out, _ = verify(capsys, left, "--against", right)
    assert (code, "languages only in b.json: km, my" in out) == (0, True)
    code, out, _ = verify(capsys, right, "--against", left)
    assert (code, "languages only in b.json: km, my" in out) == (0, True)


def test_nothing_in_common_is_no_agreement(tmp_path, capsys):
    left = write(tmp_path / "a.json", REPORT)
    for other in ({"fr": {"n": 2}}, {"en": {"f1": 2}}):
        code, out, _ = verify(capsys, left, "--against", write(tmp_path / "b.json", {"report": other}))
        assert (code, out[-1][:9]) == (1, "MISMATCH:")


def test_a_language_that_failed_on_either_side_is_a_mismatch(tmp_path, capsys):
    broken = {"report": {**REPORT["report"], "de": {"error": "boom"}}}
    left, right = write(tmp_path / "a.json", broken), write(tmp_path / "b.json", REPORT)
    for words in ([left, "--against", right], [right, "--against", left]):
        code, out, _ = verify(capsys, *words)
        assert code == 1
        assert "failed in a.json: de: boom" in out
        assert out[-1].startswith("MISMATCH: failed languages (")


@pytest.mark.parametrize("nothing", [{}, {"temperature": 0.5}, {"n": 2, "input_sha256": "a", "temperature": 0.5}])
def test_a_side_without_a_figure_of_answers_verifies_nothing(tmp_path, capsys, nothing):
    full = {code: {**own, "temperature": 0.5, "input_sha256": "a"} for code, own in REPORT["report"].items()}
    one = write(tmp_path / "a.json", {"report": full})
    other = write(tmp_path / "b.json", {"report": dict.fromkeys(full, nothing)})
    for words in ([one, "--against", other], [other, "--against", one], [other, "--against", other]):
        code, out, _ = verify(capsys, *words)
        assert (code, out[-1]) == (1, "MISMATCH: no language and figure on both sides, so nothing was verified")


MEANS = {"languages": 2, "macro_accuracy": 0.75, "macro_ece": 0.15}


@pytest.mark.parametrize(
    ("summary", "line"),
    [
        ({**MEANS, "macro_accuracy": 0.9}, "summary of b.json: macro_accuracy 0.9000, its languages give 0.7500"),
        ({**MEANS, "macro_accuracy": 0.7502}, "summary of b.json: macro_accuracy 0.7502, its languages give 0.7500"),
        ({**MEANS, "macro_accuracy": None}, "summary of b.json: macro_accuracy None, its languages give 0.7500"),
        ({**MEANS, "macro_f1": 0.5}, "summary of b.json: macro_f1 0.5000, its languages give none"),
        ({**MEANS, "languages": 51}, "summary of b.json: languages 51, its report has 2"),
        ({**MEANS, "macro_accuracy": 0.7501}, "summary macro_accuracy: 0.7500 in a.json, 0.7501 in b.json"),
    ],
)
def test_a_false_summary_is_a_mismatch(tmp_path, capsys, summary, line):
    left = write(tmp_path / "a.json", {**REPORT, "summary": MEANS})
    right = write(tmp_path / "b.json", {**REPORT, "summary": summary})
    for words in ([left, "--against", right], [right, "--against", right]):
        code, out, _ = verify(capsys, *words)
        if "in a.json" not in line or left in words:
            assert (code, line in out) == (1, True)
            assert out[-1].startswith("MISMATCH: summary (")
    assert verify(capsys, left, "--against", left)[0] == 0


def test_a_summary_of_other_languages_is_no_mismatch(tmp_path, capsys):
    wide = {"report": {**REPORT["report"], "km": {"n": 2, "accuracy": 0.0, "ece": 0.3}}}
    wide["summary"] = {"languages": 3, "macro_accuracy": 0.5, "macro_ece": 0.2}
    left = write(tmp_path / "a.json", {**REPORT, "summary": MEANS})
    assert verify(capsys, left, "--against", write(tmp_path / "b.json", wide))[0] == 0


def test_a_run_is_held_against_a_summary(tmp_path, capsys):
    run = write_run(tmp_path / "run", {code: [*choice_drafts(code, 24)] for code in ("en", "de")})
    words = ["--format", "laya-eval", "--regime", "served", "--out", str(tmp_path / "d.json")]
    assert main(["export", str(run.folder), *words]) == 0
    document = json.loads((tmp_path / "d.json").read_text("utf-8"))
    document["summary"]["macro_f1"] += 0.00015
    code, out, _ = verify(capsys, run.folder, "--against", write(tmp_path / "d.json", document), "--regime", "served")
    assert (code, out[-1][:19]) == (1, "MISMATCH: summary (")
    assert sum(line.startswith("summary ") for line in out) >= 1


@pytest.mark.reference
def test_two_branches_of_one_file_are_compared(shared, capsys):
    table = shared / "golden" / "published_sweep_clamped.json"
    words = [table, "--left-branch", "committed", "--against", table, "--branch", "clamped_rerun"]
    code, out, _ = verify(capsys, *words)
    assert code == 1
    assert "accuracy: exact 51/51, worst diff 0.0000 (af)" in out
    assert "ece: exact 0/51, worst diff 0.2808 (my)" in out
    assert verify(capsys, table, "--against", table, "--branch", "committed")[0] == 0


def test_two_models_of_one_file_are_compared(tmp_path, capsys):
    other = {code: {**own, "ece": 0.3} for code, own in REPORT["report"].items()}
    models = {"one": {"per_language": REPORT["report"]}, "other": {"per_language": other}}
    table = write(tmp_path / "b.json", {"part_a": {"by_model": models}})
    code, out, _ = verify(capsys, table, "--left-model", "one", "--against", table, "--model", "other")
    assert (code, "ece: exact 0/2, worst diff 0.2000 (en)" in out) == (1, True)


def test_a_selector_of_the_left_side_needs_a_choice_there(tmp_path, capsys):
    plain = write(tmp_path / "a.json", REPORT)
    table = write(tmp_path / "b.json", {"part_a": {"by_model": {"one": {"per_language": REPORT["report"]}}}})
    for words, option in (
        ([plain, "--left-model", "one", "--against", table], "--left-model"),
        ([table, "--left-branch", "one", "--against", table], "--left-branch"),
        ([table, "--left-model", "one", "--against", plain, "--model", "one"], "--model"),
    ):
        code, _, err = verify(capsys, *words)
        assert (code, err) == (2, [err[0]])
        assert err[0].startswith(f"error: {option}: expected a document with several")


def test_a_run_is_verified_unrounded_and_needs_selectors(tmp_path, capsys):
    cases = {code: [*choice_drafts(code, 24)] for code in ("en", "de")}
    run = write_run(tmp_path / "run", cases)
    for regime in ("served", "raw"):
        words = ["--format", "laya-eval", "--regime", regime, "--out", str(tmp_path / f"{regime}.json")]
        assert main(["export", str(run.folder), *words]) == 0
    against = ["--against", tmp_path / "served.json"]
    code, out, _ = verify(capsys, run.folder, *against, "--regime", "served")
    assert code == 0
    assert out[-1].startswith("all agree: 8 metric(s) over 2 language(s)")
    code, out, _ = verify(capsys, run.folder, *against, "--regime", "raw")
    assert code == 1
    assert "accuracy: exact 2/2, worst diff 0.0000 (en)" in out
    assert "temperature: exact 0/2, worst diff 0.4000 (de)" in out
    code, _, err = verify(capsys, run.folder, *against)
    assert (code, "mine served baseline; mine raw baseline" in err[0]) == (2, True)


def test_a_language_that_failed_in_a_run_is_a_mismatch(tmp_path, capsys):
    run = write_run(tmp_path / "run", {"en": [*choice_drafts("en", 12)]}, asked=["en", "de"], failed={"de": "boom"})
    words = ["--regime", "served", "--out", str(tmp_path / "d.json")]
    assert main(["export", str(run.folder), "--format", "laya-eval", *words]) == 0
    code, out, _ = verify(capsys, run.folder, "--against", tmp_path / "d.json", "--regime", "served")
    assert (code, "failed in mine served baseline: de: boom" in out) == (1, True)


def test_other_inputs_are_seen(tmp_path, capsys):
    for name, options in (("a", 12), ("b", 6)):
        run = write_run(tmp_path / name, {"en": [*choice_drafts("en", 12, options=options)]})
        words = ["--regime", "raw", "--out", str(tmp_path / f"{name}.json")]
        assert main(["export", str(run.folder), "--format", "laya-eval", *words]) == 0
    code, out, _ = verify(capsys, tmp_path / "a.json", "--against", tmp_path / "b.json")
    assert (code, "input_sha256: exact 0/1, differs (en)" in out) == (1, True)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "one of the shapes"),
        ({"overall": {}}, "one of the shapes"),
        ([], "a list"),
        ({"report": []}, "report: expected an object, got a list"),
        ({"report": {}}, "at least one"),
        ({"report": {"en": 3}}, "en: expected an object, got a number"),
        ({"report": {"en": {"ece": [1]}}}, "en.ece: expected a number, a text or null, got a list"),
        ({"report": {"en": {"ece": True}}}, "en.ece"),
        ({"part_a": {}}, "part_a.by_model: expected an object, got a null"),
        ({"part_a": {"by_model": {}}}, "--model"),
        ({"part_a": {"by_model": {"m": {}}}}, "part_a.by_model.m.per_language"),
        ({"per_language": {"en": {"ece": 1}}}, "en.ece: expected an object"),
        ({"per_language": {}}, "--branch"),
    ],
)
def test_a_document_of_no_known_shape_is_exit_2(tmp_path, capsys, document, said):
    good, bad = write(tmp_path / "a.json", REPORT), write(tmp_path / "b.json", document)
    for words in ([good, "--against", bad], [bad, "--against", good]):
        code, out, err = verify(capsys, *words)
        assert (code, out, len(err)) == (2, [], 1)
        assert said in err[0]


def test_unreadable_files_and_idle_selectors_are_exit_2(tmp_path, capsys):
    good = write(tmp_path / "a.json", REPORT)
    (tmp_path / "empty.json").write_text("")
    folder = tmp_path / "folder"
    folder.mkdir()
    for words, said in (
        ([good, "--against", tmp_path / "nowhere.json"], "No such file"),
        ([good, "--against", folder], "directory"),
        ([good, "--against", tmp_path / "empty.json"], "empty file"),
        ([folder, "--against", good], "a folder with report.json"),
        ([good], "--against"),
        ([good, "--against", good, "--regime", "raw"], "a run folder to select from"),
    ):
        code, _, err = verify(capsys, *words)
        assert (code, len(err)) == (2, 1)
        assert said in err[0]


def test_tables_can_be_compared_from_python():
    left = LanguageTable("a", {"en": {"ece": 0.5}}, {})
    outcome = verify_tables(left, LanguageTable("b", {"en": {"ece": 0.25}}, {}))
    assert (outcome.agrees, outcome.shared, outcome.metrics[0].worst) == (False, ["en"], 0.25)
    assert verify_tables(left, left).agrees
