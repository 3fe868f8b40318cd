"""`export` and `import`: a document says what was shown, and gives back the run that it came from."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from many_options import jsonl, rows
from stored_runs import choice_drafts, write_run

from laya_sweep.__main__ import main

#: What a document does not tell, or tells of itself.
UNTOLD = {"cell_key", "temperature_source", "probabilities", "margin", "entropy_confidence"}

TRANSFORMS = ("baseline", "option_order", "label_rename", "reverse")


def odd_rows():
    """Rows of a file as people have them: lists and descriptions, an order of their own, one input three times."""
    found = []
    for i, row in enumerate(rows(8)):
        [question] = row["questions"].values()
        labels = [*question["criteria"]][:8]
        texts = {label: None if i % 4 else question["criteria"][label] for label in labels}
        own = {**question, "criteria": labels if i % 2 else texts}
        own |= {"option_order": [*reversed(range(8))]} if i % 3 == 0 else {}
        asked = {"questions": {"request": own}, "expected": {"request": labels[i]}}
        found.append({**row, **asked, "id": f"id {i}"} | ({"model": "demo_english"} if i == 5 else {}))
    found.insert(3, {**found[0], "id": "again", "language": "de"})
    return [*found, {**found[0], "id": "third"}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs of transforms, of a shortlist, a knockout and of a file; tests read them."""
    path, before = tmp_path_factory.mktemp("round"), Path.cwd()
    own = ["checkpoint=[demo_english]", "executor=inline", "regime=[served]", "store.uri=store", "metrics.replicates=0"]
    file = ["dataset=jsonl", "min_confidence=null"]
    os.chdir(path)
    try:
        Path("set.jsonl").write_text(jsonl(8))
        Path("odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in odd_rows()))
        words = ["languages=[en,de]", "dataset.per_lang=6", f"transform=[{','.join(TRANSFORMS)}]"]
        assert main([*own, *words, "transform.option_order.variants=2", "out_dir=shown"]) == 0
        words = [*file, "dataset.path=set.jsonl"]
        assert main([*own, *words, "narrowing=shortlist", "narrowing.k=6", "out_dir=shortlist"]) == 0
        assert main([*own, *words, "narrowing=knockout", "narrowing.group_size=16", "out_dir=knockout"]) == 0
        assert main([*own, *file, "dataset.path=odd.jsonl", "out_dir=odd"]) == 0
    finally:
        os.chdir(before)
    return path


def exported(run, path, *words):
    assert main(["export", str(run), "--format", "laya-eval", *words, "--out", str(path)]) == 0
    return json.loads(path.read_text("utf-8"))


def table(run, name, transform=None):
    found = pq.read_table(run / f"{name}.parquet").to_pylist()
    return [row for row in found if transform is None or row["transform"] == transform]


EVERY = [*(("shown", name) for name in TRANSFORMS), *((name, "baseline") for name in ("shortlist", "knockout", "odd"))]


@pytest.mark.parametrize(("run", "transform"), EVERY)
def test_an_export_comes_back_as_the_run_that_it_was(folder, tmp_path, run, transform):
    exported(folder / run, tmp_path / "d.json", "--transform", transform)
    assert main(["import", str(tmp_path / "d.json"), "--out", str(tmp_path / "run")]) == 0
    exported(tmp_path / "run", tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "d.json").read_bytes()

    for name in ("decisions", "cases"):
        own = table(folder / run, name, transform if name == "decisions" else None)
        back = table(tmp_path / "run", name)
        for found in (own, back) if name == "cases" else ():
            found.sort(key=lambda row: (row["language"], row["row_index"]))
        assert [{key: row[key] for key in row.keys() - UNTOLD} for row in back] == [
            {key: row[key] for key in row.keys() - UNTOLD} for row in own
        ]


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_options_stand_as_they_were_shown_and_the_digest_is_of_them(folder, tmp_path, transform):
    document = exported(folder / "shown", tmp_path / "d.json", "--transform", transform)
    cases = {row["case_id"]: row for row in table(folder / "shown", "cases")}
    shown = {
        (row["language"], cases[row["case_id"]]["row_index"], row["variant"]): row
        for row in table(folder / "shown", "variants", transform)
    }
    assert len(document["cases"]) == len(shown) == (24 if transform == "option_order" else 12)
    keys = ("lang", "index", "state", "instructions", "options", "option_texts", "gold_index")
    for case in document["cases"]:
        own = shown[case["lang"], case["index"], case.get("variant", "baseline")]
        assert case["options"] == own["presented_keys"]
        assert case["options"][case["gold_index"]] == case["gold_label"]
        assert case["options"][case["pred_index"]] == case["pred_label"]
        canonical = own["transformed_to_canonical"]
        assert case["option_texts"] == [label.replace("_", " ") for label in canonical]
    for code, entry in document["report"].items():
        asked = [{key: case[key] for key in keys} for case in document["cases"] if case["lang"] == code]
        text = json.dumps(asked, ensure_ascii=False, separators=(",", ":"))
        assert entry["input_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert document["config"]["transform"] == transform
    assert [*document["config"].get("transforms", {})] == ([] if transform == "baseline" else [transform])


def test_a_narrowed_document_holds_what_was_kept_and_is_no_figure_of_all_options(folder, tmp_path, capsys):
    document = exported(folder / "shortlist", tmp_path / "d.json")
    decisions = {row["row_index"]: row for row in table(folder / "shortlist", "decisions")}
    assert [case["index"] for case in document["cases"]] == [*range(8)]
    for case in document["cases"]:
        own = decisions[case["index"]]
        assert case["options"] == [own["options"][i] for i in own["kept"]]
        missed = own["narrowing_status"] == "retrieval_miss"
        assert (case["gold_index"] is None) == missed
        assert (case["gold_label"], case["correct"]) == (own["gold_label"], int(own["correct"]))
    assert any(case["gold_index"] is None for case in document["cases"])
    assert document["config"]["narrowing"]["k"] == 6

    plain = {code: {"accuracy": entry["accuracy"]} for code, entry in document["report"].items()}
    (tmp_path / "plain.json").write_text(json.dumps({"report": plain}), "utf-8")
    capsys.readouterr()
    words = [str(tmp_path / "plain.json"), "--against", str(tmp_path / "d.json")]
    assert main(["verify", *words]) == 1
    assert 'narrowing: none in plain.json, {"embedder' in capsys.readouterr().out
    one, other = str(tmp_path / "d.json"), str(tmp_path / "plain.json")
    for words in ([one, "--baseline", other], [other, "--baseline", one]):
        assert main(["compare", *words]) == 1
        assert "baseline is not comparable: options (of a question)" in capsys.readouterr().out
    assert main(["compare", one, "--baseline", one]) == 0


def test_cases_and_error_indices_stand_in_the_order_of_the_file(folder, tmp_path):
    document = exported(folder / "odd", tmp_path / "d.json")
    asked = odd_rows()
    assert [case["source_id"] for case in document["cases"]] == [row["id"] for row in asked]
    words = ["--format", "laya-evals", "--out", str(tmp_path / "r.json")]
    assert main(["export", str(folder / "odd"), *words]) == 0
    report = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert [case["language"] for case in report["cases"]] == [row["language"] for row in asked]
    assert [case["expected"] for case in report["cases"]] == [row["expected"]["request"] for row in asked]


def test_an_unknown_kind_of_regime_is_refused_and_not_exported_as_served(tmp_path, capsys):
    run = write_run(tmp_path / "run", {"en": [*choice_drafts("en", 6)]}, min_confidence=(None,))
    report = json.loads((run.folder / "report.json").read_text("utf-8"))
    report["config"]["regimes"]["served"]["kind"] = "annealed"
    (run.folder / "report.json").write_text(json.dumps(report), "utf-8")
    for shape in ("laya-eval", "laya-evals"):
        capsys.readouterr()
        assert main(["export", str(run.folder), "--format", shape, "--regime", "served"]) == 2
        [line] = capsys.readouterr().err.splitlines()
        assert "expected one of the kinds served, raw, unit, fixed, map, got 'annealed'" in line


def test_keys_that_nobody_knows_are_kept_with_their_case(folder, tmp_path):
    document = exported(folder / "shown", tmp_path / "d.json", "--transform", "option_order")
    for i, case in enumerate(document["cases"]):
        case |= {"note": f"note {i}", "scores": [i]} if i % 3 else {}
    (tmp_path / "d.json").write_text(json.dumps(document), "utf-8")
    assert main(["import", str(tmp_path / "d.json"), "--out", str(tmp_path / "run")]) == 0
    assert exported(tmp_path / "run", tmp_path / "again.json") == document


@pytest.mark.parametrize(("run", "transform"), EVERY)
def test_an_imported_run_compares_with_the_run_it_came_from(folder, tmp_path, capsys, run, transform):
    exported(folder / run, tmp_path / "d.json", "--transform", transform)
    assert main(["import", str(tmp_path / "d.json"), "--out", str(tmp_path / "run")]) == 0
    for words in ([tmp_path / "run", folder / run], [folder / run, tmp_path / "run"]):
        capsys.readouterr()
        code = main(["compare", str(words[0]), "--baseline", str(words[1]), "--transform", transform])
        said = capsys.readouterr()
        assert code == 0, said
        assert "(strict)" in said.out


def test_a_metamorphic_document_gives_the_run_back(folder, tmp_path, capsys):
    words = ["export", "--format", "laya-metamorphic", "--out"]
    assert main([*words, str(tmp_path / "m.json"), str(folder / "shown")]) == 0
    assert main(["import", str(tmp_path / "m.json"), "--out", str(tmp_path / "run")]) == 0
    assert "60 answers of 4 transforms" in capsys.readouterr().out
    assert main([*words, str(tmp_path / "again.json"), str(tmp_path / "run")]) == 0
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()
    untold = {"cell_key", "baseline_cell_key", "margin", "entropy_confidence"}
    for name in ("cases", "decisions", "variants", "pairs"):
        found = [table(run, name) for run in (folder / "shown", tmp_path / "run")]
        own, back = (sorted(({k: r[k] for k in r.keys() - untold} for r in rows), key=repr_of) for rows in found)
        assert back == own, name
    for words in ([tmp_path / "run", folder / "shown"], [folder / "shown", tmp_path / "run"]):
        assert main(["compare", str(words[0]), "--baseline", str(words[1])]) == 0

    document = json.loads((tmp_path / "m.json").read_text("utf-8"))
    document["report"]["en"]["quality"]["baseline"]["accuracy"] += 0.25
    (tmp_path / "m.json").write_text(json.dumps(document), "utf-8")
    assert main(["import", str(tmp_path / "m.json"), "--out", str(tmp_path / "other")]) == 1
    del document["cases"][0]["variants"][0]["pred_index"]
    (tmp_path / "m.json").write_text(json.dumps(document), "utf-8")
    capsys.readouterr()
    assert main(["import", str(tmp_path / "m.json"), "--out", str(tmp_path / "none")]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "expected a whole laya-metamorphic document of `export`, got KeyError: 'pred_index'" in line
    assert not (tmp_path / "none").exists()


def repr_of(row):
    return [str(row.get(name)) for name in ("transform", "language", "case_id", "variant", "question")]
