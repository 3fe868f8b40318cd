"""A sweep whose rows are routed, from a labelled file to figures and exports; the bundled checkpoints are routes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

import laya
import pyarrow.parquet as pq
import pytest
from labelled_sets import labelled_set, lines_of
from laya.evals import Dataset, ScoreWithin, default_evaluators, evaluate
from laya.evals_cli import RouterRunner
from laya.lang import analyse

from laya_sweep.__main__ import main
from laya_sweep.demo.bundled import CHECKPOINTS_FOLDER
from laya_sweep.documents.laya_evals import laya_evals_document
from laya_sweep.store.schemas import TABLES
from laya_sweep.store.stored_run import StoredRun

CLOSE = 2e-4
AUTO = [f"checkpoints.auto.routes.{name}=bundled:demo_{name}" for name in ("english", "multilingual")]
TEXTS = [
    "Where is my parcel, I have been waiting for it",
    "Wo bleibt mein Paket, ich warte schon lange",
    "荷物はどこですか",
]


def rows_of():
    """Generated rows of all question types; a third in each of three languages, some of which name a checkpoint."""
    rows = labelled_set(24, rows=24)
    return [
        {**row, "state": {"body": f"{TEXTS[i % 3]} {i}"}, "language": ["en", "de", "ja"][i % 3]}
        for i, row in enumerate(rows)
    ]


def swept(path, *words):
    own = ["dataset=jsonl", f"dataset.path={path}", "executor=inline", "min_confidence=0.5", *AUTO]
    return main(
        [*own, "checkpoint=auto", *words]
        if not any(word.startswith("checkpoint=") for word in words)
        else [*own, *words]
    )


def table(name, folder="OUT"):
    return pq.read_table(Path(folder) / f"{name}.parquet").to_pylist()


def report(folder="OUT"):
    return json.loads(Path(folder, "report.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the set, a run of `auto` alone, and one of it beside both checkpoints in the same store."""
    folder = tmp_path_factory.mktemp("routed")
    (folder / "set.jsonl").write_text(lines_of(rows_of()), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert swept("set.jsonl", "out_dir=OUT") == 0
        words = ["checkpoint=[auto,demo_english,demo_multilingual]", "regime=[served,raw]"]
        assert swept("set.jsonl", *words, "out_dir=BESIDE") == 0
    return folder


@pytest.fixture
def inside(place, monkeypatch):
    monkeypatch.chdir(place)
    return place


def test_every_case_is_answered_by_the_routers_choice(inside):
    router, rows = laya.Router(), rows_of()
    chosen = [router.route(row["state"], row["questions"], model=row.get("model")) for row in rows]
    assert {choice.model for choice in chosen} == {"english", "multilingual"}
    assert sum(row.get("model") is not None for row in rows) > 2
    decisions = table("decisions")
    assert {(row["row_index"], row["model"]) for row in decisions} == {(i, one.model) for i, one in enumerate(chosen)}
    assert {row["checkpoint"] for row in decisions} == {"auto"}
    routes = {row["row_index"]: row for row in table("routes")}
    for i, (row, choice) in enumerate(zip(rows, chosen, strict=True)):
        assert (routes[i]["asked"], routes[i]["model"], routes[i]["reason"]) == (
            row.get("model"),
            choice.model,
            choice.reason,
        )
        assert routes[i]["detected_script"] == analyse(row["state"])["script"]
        assert routes[i]["language"] == row["language"]


def answered_by(document):
    """Who answered what, and whether it abstained; our cases go by language, those of others by row."""
    return Counter(
        (case["model"], case["qid"], case["language"], str(case["expected"]), case["answer"].get("abstention"))
        for case in document["cases"]
    )


def test_figures_are_those_of_upstreams_harness_with_the_runtimes_router(inside, tmp_path):
    router = laya.Router()
    for name in ("english", "multilingual"):
        shutil.copytree(CHECKPOINTS_FOLDER / f"demo_{name}", tmp_path / name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            router.attach(name, laya.load(str(tmp_path / name), device="cpu"))
    dataset = Dataset.from_jsonl("set.jsonl")
    theirs = evaluate(
        RouterRunner(router), dataset, [*default_evaluators(), ScoreWithin(0.25)], min_confidence=0.5
    ).to_json()
    ours = laya_evals_document(StoredRun.open(Path("OUT")).select(regime="served"), 0.5)
    assert theirs["slices"]["model"].keys() == ours["slices"]["model"].keys() == {"english", "multilingual"}
    pairs = [(ours["overall"], theirs["overall"])]
    pairs += [
        (ours["slices"][name][value], own) for name in theirs["slices"] for value, own in theirs["slices"][name].items()
    ]
    for own, other in pairs:
        for metric, value in other.items():
            if not metric.endswith("_ms"):
                assert own[metric] == pytest.approx(value, abs=CLOSE), metric
    assert answered_by(ours) == answered_by(theirs)
    assert (ours["config"]["model"], [*ours["config"]["revisions"]]) == ("auto", ["english", "multilingual"])
    assert ours["config"]["timing"]["min_confidence_sent"] is True


def test_it_shares_its_logits_with_the_checkpoints_that_answered(inside):
    questions = sum(len(row["questions"]) for row in rows_of())
    provenance = json.loads(Path("BESIDE/provenance.json").read_text("utf-8"))
    assert (
        provenance["forward_rows"] == questions
    )  # of 3 results' 3 * questions, questions were there and as many shared
    logits = {}
    for row in table("logits", "BESIDE"):
        logits.setdefault(row.pop("checkpoint"), {})[row["case_id"], row["question"]] = row
    assert [len(logits[name]) for name in ("auto", "demo_english", "demo_multilingual")] == [questions] * 3
    decisions = [row for row in table("decisions", "BESIDE") if row["checkpoint"] == "auto"]
    named = {
        (row["checkpoint"], row["regime"], row["case_id"], row["question"]): row
        for row in table("decisions", "BESIDE")
        if row["checkpoint"] != "auto"
    }
    assert len(decisions) == 2 * questions
    for row in decisions:
        twin = named[f"demo_{row['model']}", row["regime"], row["case_id"], row["question"]]
        assert twin["model"] == twin["checkpoint"] == f"demo_{row['model']}"
        assert {**row, "checkpoint": "", "model": ""} == {**twin, "checkpoint": "", "model": ""}
        assert (
            logits["auto"][row["case_id"], row["question"]]
            == logits[twin["checkpoint"]][row["case_id"], row["question"]]
        )
    assert (
        len({row["temperature"] for row in decisions if row["regime"] == "raw"}) > 2
    )  # each under its own checkpoint's
    alone = [row for row in table("decisions") if row["regime"] == "served"]
    assert alone == [row for row in decisions if row["regime"] == "served"]


def test_the_report_has_the_routes_and_the_slice_of_who_answered(inside):
    [result] = [one for one in report()["results"] if one["regime"] == "served"]
    routes = Counter((row["language"], row["model"]) for row in table("routes"))
    for code, own in result["routes"].items():
        assert own["models"] == {
            model: count for (language, model), count in sorted(routes.items()) if language == code
        }
        assert own["asked"] == sum(row["language"] == code and row["asked"] is not None for row in table("routes"))
    decisions = [row for row in table("decisions") if row["regime"] == "served"]
    assert [*result["slices"]["model"]] == ["english", "multilingual"]
    for model, block in result["slices"]["model"].items():
        noul = [row["correct"] for row in decisions if row["model"] == model and row["question_type"] == "noul"]
        known = [right for right in noul if right is not None]
        assert block["metrics"]["noul_accuracy"]["n"] == len(known)
        assert block["metrics"]["noul_accuracy"]["value"] == pytest.approx(sum(known) / len(known))
    page = Path("OUT/report.md").read_text("utf-8")
    assert "| language | cases | rows that chose | to english | to multilingual | detected scripts |" in page
    assert "\n| ja | 8 |" in page
    assert "\n| model | n | choice_accuracy |" in page
    config = report()["config"]["checkpoints"]["auto"]
    assert [*config["routes"]] == ["english", "multilingual"]
    assert config["routes"]["english"]["source"] == "bundled:demo_english"
    served = {(row["model"], row["bucket"]): row["temperature_served"] for row in table("checkpoints")}
    assert served["english", "noul:2"] == config["routes"]["english"]["temperatures"]["noul:2"]["served"]


def test_a_policy_and_a_baseline_judge_by_who_answered(inside, tmp_path):
    rule = {"slice": {"model": "multilingual"}, "metric": "noul_accuracy", "min_count": 1}
    same = shutil.copytree("OUT", tmp_path / "SAME")
    for name, own, code in (("low", {"min": 0.0}, 0), ("high", {"min": 1.01}, 1), ("drop", {"max_drop": 0.0}, 0)):
        policy = tmp_path / f"{name}.json"
        policy.write_text(json.dumps({"version": 1, "rules": [{**rule, **own}]}), "utf-8")
        assert main(["gate", "OUT", "--policy", str(policy), "--baseline", str(same)]) == code
    lost = tmp_path / "lost.json"
    lost.write_text(json.dumps({"version": 1, "rules": [{**rule, "slice": {"model": "auto"}, "min": 0.0}]}), "utf-8")
    assert main(["gate", "OUT", "--policy", str(lost)]) == 1


def test_again_it_computes_nothing_and_loads_no_torch(inside, tmp_path):
    probe = (
        "import sys; from laya_sweep.__main__ import main; code = main(sys.argv[1:]);"
        "loaded = {'torch', 'ray', 'transformers', 'datasets'} & set(sys.modules); sys.exit(code or bool(loaded))"
    )
    words = ["dataset=jsonl", "dataset.path=set.jsonl", "checkpoint=auto", *AUTO, "min_confidence=0.5"]
    done = subprocess.run(
        [sys.executable, "-c", probe, *words, f"out_dir={tmp_path / 'AGAIN'}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "0 forwards done" in done.stderr
    for name in [*(f"{name}.parquet" for name in TABLES), "report.json", "report.md", "timing.json"]:
        assert (tmp_path / "AGAIN" / name).read_bytes() == Path("OUT", name).read_bytes(), name


def test_a_row_that_names_no_route_is_exit_2_before_anything(inside, tmp_path, capsys):
    row = {**rows_of()[0], "model": "mulitlingual"}
    (tmp_path / "bad.jsonl").write_text(lines_of([row]), "utf-8")
    assert swept(tmp_path / "bad.jsonl", f"out_dir={tmp_path / 'NEVER'}") == 2
    assert (
        "model of row 0: expected a route of auto (multilingual, english, typed-decisions)" in capsys.readouterr().err
    )
    assert not (tmp_path / "NEVER").exists()
    assert swept("set.jsonl", "dry_run=true") == 0
    assert "auto goes to: english " in capsys.readouterr().out


def test_the_published_document_says_who_answered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["languages=[en,hi]", "dataset.per_lang=2", "executor=inline", "regime=[served]", "out_dir=OUT", *AUTO]
    assert main(["checkpoint=auto", *words]) == 0
    assert main(["export", "OUT", "--format", "laya-eval", "--out", "auto.json"]) == 0
    document = json.loads(Path("auto.json").read_text("utf-8"))
    models = {(case["lang"], case["index"]): case["model"] for case in document["cases"]}
    assert models == {(row["language"], row["row_index"]): row["model"] for row in table("routes")}
    assert {model for (code, _), model in models.items() if code == "hi"} == {"multilingual"}
    assert [*document["config"]["temperatures"]] == [*document["config"]["routes"]] == sorted(set(models.values()))
    capsys.readouterr()
    assert main(["verify", "OUT", "--against", "auto.json"]) == 0
    assert main(["import", "auto.json", "--out", "BACK"]) == 0
    assert Counter(row["model"] for row in table("decisions", "BACK")) == Counter(models.values())
    assert main(["export", "BACK", "--format", "laya-eval", "--out", "again.json"]) == 0
    assert json.loads(Path("again.json").read_text("utf-8"))["cases"] == document["cases"]


def test_variants_go_where_their_case_goes(inside, tmp_path):
    words = ["checkpoint=[auto,demo_multilingual]", "transform=[baseline,reverse]", "regime=[served,unit]"]
    assert swept("set.jsonl", "checkpoint=auto", *words[1:], f"out_dir={tmp_path / 'ALONE'}") == 0
    assert swept("set.jsonl", *words, f"out_dir={tmp_path / 'BOTH'}") == 0
    shown = table("variants", tmp_path / "ALONE")
    assert shown == table("variants", tmp_path / "BOTH")  # each case once, whether one cell has them all or none does
    assert len(shown) == 2 * sum(len(row["questions"]) for row in rows_of())
    routes = {(row["language"], row["case_id"]): row["model"] for row in table("routes", tmp_path / "ALONE")}
    decisions = table("decisions", tmp_path / "ALONE")
    assert len(decisions) == 2 * len(shown)
    assert all(row["model"] == routes[row["language"], row["case_id"]] for row in decisions)
    pairs = table("pairs", tmp_path / "ALONE")
    assert len(pairs) == len(shown)
    assert all(row["model"] == routes[row["language"], row["case_id"]] for row in pairs)
    keys = {(row["case_id"], row["question"], row["transform"]): row["cell_key"] for row in decisions}
    assert all(row["baseline_cell_key"] == keys[row["case_id"], row["question"], "baseline"] for row in pairs)
    counted = Counter(row["model"] for row in pairs if row["regime"] == "served")
    found = {
        row["slice_value"]: row["n"]
        for row in table("metrics", tmp_path / "ALONE")
        if (row["transform"], row["regime"], row["slice"], row["metric"])
        == ("reverse", "served", "model", "semantic_agreement_rate")
    }
    assert found == counted
    assert [row for row in table("pairs", tmp_path / "BOTH") if row["checkpoint"] == "auto"] == pairs


def test_a_routed_checkpoint_stands_in_a_drift_table_that_is_asked_for(inside, tmp_path):
    words = [
        "checkpoint=[auto,demo_english,demo_multilingual]",
        "drift=demo_english",
        "regime=[served]",
        f"out_dir={tmp_path / 'DRIFT'}",
    ]
    assert swept("set.jsonl", *words) == 0
    [drift] = report(tmp_path / "DRIFT")["drift"]
    assert [(row["checkpoint"], row["engine"]) for row in drift["rows"]] == [
        ("demo_english", "torch"),
        ("auto", "auto"),
        ("demo_multilingual", "torch"),
    ]
    shares = {row["checkpoint"]: row["label_agreement"] for row in drift["rows"]}
    assert shares["demo_english"] == 1.0
    assert shares["demo_multilingual"] < shares["auto"] < 1.0
    assert "drift" not in report("BESIDE")


def test_a_map_is_applied_to_each_that_answers_and_is_not_served(inside, tmp_path):
    fitted = {"temperature": [2.0, 1.5, 0.75], "temperature_by_options": {}}
    (tmp_path / "map.json").write_text(json.dumps(fitted), "utf-8")
    words = ["regime=[served,map]", f"regime.map.path={tmp_path / 'map.json'}", f"out_dir={tmp_path / 'MAP'}"]
    assert swept("set.jsonl", *words) == 0
    mapped = [row for row in table("decisions", tmp_path / "MAP") if row["regime"] == "map"]
    applied = {(row["model"], row["question_type"], row["temperature"]) for row in mapped}
    kinds = {"choice": 2.0, "score": 1.5, "noul": 0.75}
    assert applied == {(model, kind, value) for model in ("english", "multilingual") for kind, value in kinds.items()}
    assert {one["regime"]: one["served"] for one in report(tmp_path / "MAP")["results"]} == {
        "map": False,
        "served": True,
    }
    run = StoredRun.open(tmp_path / "MAP")
    assert {mark["regime"]: mark["min_confidence_sent"] for mark in run.marks} == {"map": True, "served": True}


def test_what_several_answered_is_not_calibrated_as_one(inside, tmp_path, capsys):
    assert main(["calibrate", "OUT", "--out", str(tmp_path / "map.json")]) == 2
    assert "the routed checkpoint auto, which is several" in capsys.readouterr().err
    assert not (tmp_path / "map.json").exists()


def test_two_names_of_one_checkpoint_cost_one_and_both_have_results(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    twin = ["checkpoint=[demo_english]", "+checkpoints.twin.source=bundled:demo_english"]
    assert main([*twin, "languages=[en]", "dataset.per_lang=2", "executor=inline", "regime=[raw]", "out_dir=OUT"]) == 0
    assert json.loads(Path("OUT/provenance.json").read_text("utf-8"))["forward_rows"] == 2
    figures = {one["checkpoint"]: one["overall"]["metrics"]["choice_accuracy"] for one in report()["results"]}
    assert figures["demo_english"] == figures["twin"]
    assert figures["twin"]["n"] == 2
    assert "2 rows: 0 cached, 2 to run" in capsys.readouterr().err
