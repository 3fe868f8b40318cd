"""An imported run is a run: its names, its folder, and what each verb makes of it, with cases or with figures alone."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from stored_runs import choice_drafts, write_run

from laya_sweep.__main__ import main

FIGURES = {
    "en": {"n": 24, "accuracy": 0.75, "ece": 0.125, "macro_f1": 0.5},
    "de": {"n": 24, "accuracy": 0.5, "ece": 0.25, "macro_f1": 0.25},
}
SUMMARY = {"languages": 2, "macro_accuracy": 0.625, "macro_ece": 0.1875, "macro_f1": 0.375}


def said(capsys, *words):
    """Exit code, lines of the output, lines of errors."""
    capsys.readouterr()
    code = main([*map(str, words)])
    text = capsys.readouterr()
    return code, text.out.splitlines(), text.err.splitlines()


def write(path, document):
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.fixture
def document(tmp_path):
    """A document with cases, of the served regime."""
    run = write_run(tmp_path / "own", {code: [*choice_drafts(code, 12)] for code in ("en", "de")})
    words = ["--format", "laya-eval", "--regime", "served", "--out", str(tmp_path / "d.json")]
    assert main(["export", str(run.folder), *words]) == 0
    return tmp_path / "d.json"


def shapes(tmp_path):
    """Documents without cases, the words that choose in them, and what they call their result."""
    yield write(tmp_path / "a.json", {"report": FIGURES, "summary": SUMMARY}), [], ("published", "published")
    models = {"one": {"per_language": FIGURES}, "two": {"per_language": {"en": {"accuracy": 0.1}}}}
    yield write(tmp_path / "b.json", {"part_a": {"by_model": models}}), ["--model", "one"], ("one", "published")
    branches = {code: {"old": {"accuracy": 0.1}, "new": own} for code, own in FIGURES.items()}
    yield write(tmp_path / "c.json", {"per_language": branches}), ["--branch", "new"], ("published", "new")


def test_a_document_without_cases_is_imported_as_figures_that_compare_and_gate(tmp_path, capsys):
    for path, words, names in shapes(tmp_path):
        run = tmp_path / f"run of {path.stem}"
        code, out, _ = said(capsys, "import", path, "--out", run, *words)
        assert (code, out[1]) == (0, "figures alone: they can be compared and gated, and not be derived again")
        rows = {(row["slice_value"], row["metric"]): row for row in pq.read_table(run / "metrics.parquet").to_pylist()}
        assert (rows["en", "choice_accuracy"]["value"], rows["en", "choice_accuracy"]["n"]) == (0.75, 24)
        [result] = json.loads((run / "report.json").read_text("utf-8"))["results"]
        assert (result["checkpoint"], result["regime"]) == names
        assert result["languages"]["de"]["metrics"]["macro_f1_slot"]["value"] == 0.25
        assert not (run / "decisions.parquet").exists()

        whole = ["compare", run, "--baseline", path, *words]
        assert said(capsys, *whole)[0] == 0
        assert said(capsys, "verify", run, "--against", path, *words)[0] == 0
        worse = {"report": {**FIGURES, "de": {**FIGURES["de"], "accuracy": 0.75}}}
        assert said(capsys, "compare", run, "--baseline", write(tmp_path / "w.json", worse))[0] == 1
        assert said(capsys, "verify", run, "--against", tmp_path / "w.json")[0] == 1


def test_figures_alone_are_exported_as_they_stood(tmp_path, capsys):
    (path, *_), *_ = shapes(tmp_path)
    assert main(["import", str(path), "--out", str(tmp_path / "run")]) == 0
    assert main(["export", str(tmp_path / "run"), "--format", "laya-eval", "--out", str(tmp_path / "x.json")]) == 0
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == json.loads(path.read_text("utf-8"))
    code, _, err = said(capsys, "export", tmp_path / "run", "--format", "laya-evals")
    assert (code, len(err)) == (2, 1)


def test_an_upstream_report_is_imported_as_figures(tmp_path, capsys):
    run = write_run(tmp_path / "own", {"en": [*choice_drafts("en", 12)]}, min_confidence=(None,))
    words = ["--format", "laya-evals", "--regime", "served", "--out", str(tmp_path / "r.json")]
    assert main(["export", str(run.folder), *words]) == 0
    assert main(["import", str(tmp_path / "r.json"), "--out", str(tmp_path / "run"), "--as", "mine/served"]) == 0
    assert said(capsys, "compare", tmp_path / "run", "--baseline", tmp_path / "r.json")[0] == 0
    assert said(capsys, "gate", tmp_path / "run", "--min", "choice_accuracy=1")[0] == 1
    words = ["--format", "laya-evals", "--out", str(tmp_path / "x.json")]
    assert main(["export", str(tmp_path / "run"), *words]) == 0
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == json.loads((tmp_path / "r.json").read_text("utf-8"))


@pytest.mark.reference
def test_the_published_tables_are_imported(shared, tmp_path, capsys):
    golden = shared / "golden"
    for name, words, n in (
        ("eval_english_51_languages.json", [], 51 * 5 + 3),
        ("published_sweep_part_a.json", ["--model", "english"], 51 * 5),
        ("published_sweep_clamped.json", ["--branch", "committed"], 51 * 5),
    ):
        code, out, _ = said(capsys, "import", golden / name, "--out", tmp_path / name, *words, "--as", "english/served")
        assert (code, out[0]) == (0, f"{n} figures of 51 language(s) in {tmp_path / name}")
        assert said(capsys, "verify", tmp_path / name, "--against", golden / name, *words)[0] == 0


def test_other_files_are_no_documents_to_import(tmp_path, capsys, document):
    report = tmp_path / "own" / "report.json"
    for path, got in (
        (report, "got the report.json of a run"),
        (write(tmp_path / "e.json", {"accuracy": 0.5}), "got another document"),
        (write(tmp_path / "f.json", {"report": {"en": {"ece": "x"}}}), "report.en.ece: expected a finite number"),
    ):
        code, _, err = said(capsys, "import", path, "--out", tmp_path / "run")
        assert (code, len(err), got in err[0]) == (2, 1, True), err
    assert not (tmp_path / "run").exists()


def test_names_are_mapped(tmp_path, capsys, document):
    assert main(["import", str(document), "--out", str(tmp_path / "run"), "--as", "org/english/raw"]) == 0
    [result] = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))["results"]
    assert (result["checkpoint"], result["regime"], result["transform"]) == ("org/english", "raw", "baseline")
    decisions = pq.read_table(tmp_path / "run" / "decisions.parquet").to_pylist()
    assert {(row["checkpoint"], row["model"], row["regime"]) for row in decisions} == {
        ("org/english", "org/english", "raw")
    }
    words = ["--format", "laya-eval", "--out", str(tmp_path / "x.json")]
    assert main(["export", str(tmp_path / "run"), *words]) == 0
    assert json.loads((tmp_path / "x.json").read_text("utf-8")) == json.loads(document.read_text("utf-8"))
    for wrong in ("english", "/served", "english/"):
        code, _, err = said(capsys, "import", document, "--out", tmp_path / "other", "--as", wrong)
        assert (code, err) == (
            2,
            [f"error: --as: expected CHECKPOINT/REGIME, as english/served, got {wrong!r}; name both"],
        )


def test_a_folder_with_another_run_is_left_alone(tmp_path, capsys, document):
    before = {path.name: path.read_bytes() for path in (tmp_path / "own").iterdir()}
    code, _, err = said(capsys, "import", document, "--out", tmp_path / "own")
    assert (code, len(err)) == (2, 1)
    assert "got a run of a sweep; name another folder, or add --overwrite" in err[0]
    assert {path.name: path.read_bytes() for path in (tmp_path / "own").iterdir()} == before

    run, other = tmp_path / "run", write(tmp_path / "a.json", {"report": FIGURES})
    assert main(["import", str(document), "--out", str(run)]) == 0
    assert main(["import", str(document), "--out", str(run)]) == 0, "the same again"
    code, _, err = said(capsys, "import", other, "--out", run)
    assert (code, "got another imported document" in err[0]) == (2, True)
    assert main(["import", str(other), "--out", str(run), "--overwrite"]) == 0
    assert sorted(path.name for path in run.iterdir()) == ["metrics.parquet", "report.json", "report.md"]
    assert main(["import", str(document), "--out", str(tmp_path / "own"), "--overwrite"]) == 0
    assert not (tmp_path / "own" / "logits.parquet").exists(), "nothing of the sweep is left beside the import"


def test_every_verb_works_on_an_import_or_says_what_is_not_in_it(tmp_path, capsys, document):
    assert main(["import", str(document), "--out", str(tmp_path / "run")]) == 0
    assert main(["import", str(write(tmp_path / "a.json", {"report": FIGURES})), "--out", str(tmp_path / "bare")]) == 0
    told = json.loads(document.read_text("utf-8"))
    for case in told["cases"]:
        del case["gate_confidence"]
    assert main(["import", str(write(tmp_path / "o.json", told)), "--out", str(tmp_path / "old")]) == 0

    code, out, _ = said(capsys, "curve", tmp_path / "run")
    assert (code, len(out)) == (0, 3)
    for name in ("old", "bare"):
        code, _, err = said(capsys, "curve", tmp_path / name)
        assert (code, len(err)) == (2, 1)
        assert "got an imported document, which tells no gate_confidence" in err[0]
    for name in ("run", "old", "bare"):
        assert said(capsys, "gate", tmp_path / name, "--min", "language=en:choice_accuracy=0")[0] in (0, 1, 2)
        for verb in (["calibrate", "--out", tmp_path / "m.json"], ["advise", "--target-accuracy", "0.5"]):
            code, _, err = said(capsys, verb[0], tmp_path / name, *verb[1:])
            assert (code, len(err)) == (2, 1)
            assert "expected a run with logits, got an imported document, which has none" in err[0]
