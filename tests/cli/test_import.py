"""`import`: a published document with cases becomes tables that give its figures, and the document, back."""

from __future__ import annotations

import copy
import json
import random

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from laya_sweep.__main__ import main
from laya_sweep.store.schemas import TABLES

UNKNOWN = ("probabilities", "entropy_confidence", "margin")


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """A published document of our own, from a demo sweep."""
    folder = tmp_path_factory.mktemp("import")
    words = ["languages=[en,de]", "executor=inline", "checkpoint=[demo_english]", "dataset.per_lang=9"]
    assert main([*words, f"store.uri={folder}/store", f"out_dir={folder}/run"]) == 0
    words = ["--regime", "served", "--format", "laya-eval", "--out", str(folder / "document.json")]
    assert main(["export", str(folder / "run"), *words]) == 0
    return folder


def document_of(ours):
    return json.loads((ours / "document.json").read_text("utf-8"))


def write(path, document):
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


def back(run, path):
    assert main(["export", str(run), "--format", "laya-eval", "--out", str(path)]) == 0
    return json.loads(path.read_text("utf-8"))


@pytest.mark.reference
def test_the_published_english_run_gives_its_figures_and_its_document_back(shared, tmp_path, capsys):
    golden = shared / "golden" / "massive_en_release.json"
    assert main(["import", str(golden), "--out", str(tmp_path / "run")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("100 cases of 1 language(s)")
    assert lines[-1].startswith("all agree: 8 metric(s) over 1 language(s)")
    metrics = pq.read_table(tmp_path / "run" / "metrics.parquet").to_pylist()
    overall = {row["metric"]: row["value"] for row in metrics if row["slice"] == "overall"}
    figures = {"accuracy": 0.82, "macro_f1_slot": 0.7876, "ece": 0.1382, "mean_confidence": 0.9582}
    for name, value in {**figures, "acc_at_50_coverage": 0.98}.items():
        assert round(overall[name], 4) == value, name
    assert back(tmp_path / "run", tmp_path / "again.json") == json.loads(golden.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.reference
def test_an_imported_case_has_the_id_that_our_own_sweep_gives_it(english, shared, tmp_path):
    words = [*english, "languages=[en]", "dataset.per_lang=5", "executor=inline"]
    assert main([*words, f"store.uri={tmp_path}/store", f"out_dir={tmp_path}/own"]) == 0
    assert main(["import", f"{shared}/golden/massive_en_release.json", "--out", f"{tmp_path}/run"]) == 0
    own, imported = (pq.read_table(tmp_path / name / "cases.parquet").to_pylist() for name in ("own", "run"))
    keys = ("case_id", "input_sha256", "row_index", "state_json", "questions_json", "expected_json")
    assert [[row[key] for key in keys] for row in own] == [[row[key] for key in keys] for row in imported[:5]]


def test_our_own_document_comes_back_as_it_was(ours, tmp_path):
    assert main(["import", str(ours / "document.json"), "--out", str(tmp_path / "run")]) == 0
    assert back(tmp_path / "run", tmp_path / "again.json") == document_of(ours)
    for name in ("cases", "decisions", "metrics"):
        assert pq.read_schema(tmp_path / "run" / f"{name}.parquet").equals(TABLES[name])


def test_what_the_document_does_not_tell_is_null(ours, tmp_path):
    assert main(["import", str(ours / "document.json"), "--out", str(tmp_path / "run")]) == 0
    rows = pq.read_table(tmp_path / "run" / "decisions.parquet").to_pylist()
    own = pq.read_table(ours / "run" / "decisions.parquet").filter(pc.field("regime") == "served").to_pylist()
    assert len(rows) == len(own) == 18
    told = (
        "source_id",
        "gate_confidence",
        "case_id",
        "language",
        "pred_label",
        "gold_label",
        "correct",
        "n_options",
        "temperature",
        "options",
    )
    for row, original in zip(rows, own, strict=True):
        assert [row[name] for name in UNKNOWN] == [None] * len(UNKNOWN)
        assert [row[name] for name in told] == [original[name] for name in told]
        assert row["p_pred"] == original["p_pred"]
    assert not (tmp_path / "run" / "logits.parquet").exists()


def test_an_imported_run_has_no_upstream_report(ours, tmp_path, capsys):
    assert main(["import", str(ours / "document.json"), "--out", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main(["export", str(tmp_path / "run"), "--format", "laya-evals"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "a laya-eval document, which does not tell what it holds; export it with --format laya-eval" in line


def test_a_figure_that_its_cases_do_not_give_is_a_mismatch(ours, tmp_path, capsys):
    document = document_of(ours)
    document["report"]["de"]["ece"] += 0.001
    assert main(["import", write(tmp_path / "d.json", document), "--out", str(tmp_path / "run")]) == 1
    assert "ece: exact 1/2, worst diff 0.0010 (de)" in capsys.readouterr().out


def test_a_language_without_cases_is_incomplete(ours, tmp_path, capsys):
    document = document_of(ours)
    document["cases"] = [case for case in document["cases"] if case["lang"] == "en"]
    document["report"]["km"] = {"error": "boom"}
    document["summary"]["complete"] = False
    path = write(tmp_path / "d.json", document)
    assert main(["import", path, "--out", str(tmp_path / "run")]) == 3
    [result] = json.loads((tmp_path / "run" / "report.json").read_text("utf-8"))["results"]
    assert result["failed"] == {"de": "the published document has no cases of it", "km": "boom"}
    assert result["macro"]["metrics"]["accuracy"]["value"] is None
    assert back(tmp_path / "run", tmp_path / "again.json")["report"] == document["report"]


def test_unknown_config_keys_are_kept_and_missing_option_texts_stay_missing(ours, tmp_path):
    document = document_of(ours)
    document["config"]["taut_version"] = "0.3.6"
    document["cases_note"] = "kept"
    for case in document["cases"]:
        del case["option_texts"]
    for entry in document["report"].values():
        del entry["input_sha256"]
    assert main(["import", write(tmp_path / "d.json", document), "--out", str(tmp_path / "run")]) == 0
    assert back(tmp_path / "run", tmp_path / "again.json") == document


def broken(document, change):
    changed = copy.deepcopy(document)
    change(changed)
    return changed


FAULTS = [
    (lambda d: d.update(cases=[]), "an empty list"),
    (lambda d: d.pop("config"), "config: expected an object, got none"),
    (lambda d: d.update(report=[1]), "report: expected an object"),
    (lambda d: d.update(summary=None), "summary: expected an object"),
    (lambda d: d["report"].update(en=3), "report.en: expected an object, got number"),
    (lambda d: d["cases"].__setitem__(0, 3), "cases[0]: expected an object, got a number"),
    (lambda d: d["cases"][1].pop("options"), "cases[1].options: expected a list of different labels, got none"),
    (lambda d: d["cases"][1].update(options=["a", "a"]), "cases[1].options"),
    (lambda d: d["cases"][1].update(probability=1.5), "cases[1].probability: expected a number in [0, 1], got 1.5"),
    (lambda d: d["cases"][1].update(confidence=True), "cases[1].confidence"),
    (lambda d: d["cases"][1].update(temperature=0), "cases[1].temperature: expected a positive number"),
    (lambda d: d["cases"][1].update(correct=2), "cases[1].correct: expected 0 or 1"),
    (lambda d: d["cases"][1].update(correct=1 - d["cases"][1]["correct"]), "cases[1].correct: expected 1 exactly"),
    (lambda d: d["cases"][1].update(gold_label="x"), "cases[1].gold_label: expected the option at gold_index"),
    (lambda d: d["cases"][1].update(pred_index=99), "cases[1].pred_label: expected the option at pred_index 99"),
    (lambda d: d["cases"][1].update(option_texts=["x"]), "cases[1].option_texts"),
    (lambda d: d["cases"][0].update(gold_index=None, correct=0), "cases[0].gold_index: expected an index, got None"),
    (lambda d: d["cases"][1].update(unrounded={"probability": 1}), "cases[1].unrounded: expected the numbers that"),
    (lambda d: d["cases"][1].update(source_id=3), "cases[1].source_id: expected a text, got 3"),
    (lambda d: d["cases"][1].update(tags="x"), "cases[1].tags: expected a list of texts"),
    (lambda d: d["cases"][1].update(occurrence=-1), "cases[1].occurrence: expected a whole number"),
    (lambda d: d["cases"][1].update(gate_confidence=2), "cases[1].gate_confidence: expected a number in [0, 1], got 2"),
    (lambda d: d["cases"][1].update(questions={"q": {}}), "cases[1].questions: expected one choice question"),
    (lambda d: d["cases"][1].update(canonical_indices=[0, 0]), "cases[1].canonical_indices: expected an index among"),
    (lambda d: d["cases"][1].update(shortlist=3), "cases[1].shortlist: expected the labels that were kept"),
    (lambda d: d.update(measured=[{"metric": "ece"}]), "measured[0]: expected a figure as a metrics table has it"),
    (lambda d: d["config"].update(min_confidence=[2]), "config.min_confidence: expected min_confidences"),
    (lambda d: d["cases"].append(d["cases"][0]), "cases[18]: expected one case per language and index"),
]


@pytest.mark.parametrize(("change", "said"), FAULTS, ids=[said for _, said in FAULTS])
def test_a_broken_document_is_named_and_nothing_is_written(ours, tmp_path, capsys, change, said):
    path = write(tmp_path / "d.json", broken(document_of(ours), change))
    assert main(["import", path, "--out", str(tmp_path / "run")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert said in lines[0]
    assert all(line.startswith("error: ") for line in lines)
    assert not (tmp_path / "run").exists()


def test_every_fault_is_shown_up_to_a_limit(ours, tmp_path, capsys):
    def change(document):
        for case in document["cases"]:
            del case["state"], case["lang"]

    path = write(tmp_path / "d.json", broken(document_of(ours), change))
    assert main(["import", path, "--out", str(tmp_path / "run")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 21
    assert "16 more" in lines[-1]


@pytest.mark.slow
def test_mutated_documents_never_end_in_a_traceback(ours, tmp_path):
    """Values swapped for others at random places: a document is refused, disagrees, is incomplete, or still valid."""
    rng, codes = random.Random(3), []
    values = [None, "", "x", -1, 0.5, 10**30, True, [], {}, {"error": "e"}, [None]]
    for i in range(150):
        document = document_of(ours)
        document["cases"] = document["cases"][:3]
        place = document
        while isinstance(place, dict | list) and place:
            key = rng.choice([*place]) if isinstance(place, dict) else rng.randrange(len(place))
            if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.2:
                place[key] = rng.choice(values)
                break
            place = place[key]
        path = write(tmp_path / "d.json", document)
        codes.append(main(["import", path, "--out", str(tmp_path / f"run{i}")]))
    assert set(codes) <= {0, 1, 2, 3}
    assert codes.count(2) > 20
