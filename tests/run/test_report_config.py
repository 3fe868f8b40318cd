"""What was asked, of what: documents that move with nothing else, and lines for a person."""

import dataclasses
import json

import pytest
from builders import (
    NoHub,
    checkpoint_settings,
    dataset_settings,
    executor_settings,
    language_rows,
    make_settings,
    write_checkpoint,
    write_language,
)

from laya_sweep.checkpoints.checkpoint import locate
from laya_sweep.checkpoints.temperatures import TemperatureFact
from laya_sweep.documents.evals_config import evals_config
from laya_sweep.domain.settings import RegimeSettings
from laya_sweep.gates.judgement import Demands
from laya_sweep.gates.policy import parse_policy
from laya_sweep.gates.thresholds import Thresholds
from laya_sweep.run.notes import dry_run_text
from laya_sweep.run.plan import make_plan
from laya_sweep.run.provenance import environment_document
from laya_sweep.run.report_config import config_document
from laya_sweep.run.tables import checkpoints_table
from laya_sweep.store.case_table import cases_table
from laya_sweep.store.facts import FactStore
from laya_sweep.store.schemas import CASES, CHECKPOINTS
from laya_sweep.suites.intent import IntentSuite, published_input_digest
from laya_sweep.suites.language import build_languages

FACTS = [
    TemperatureFact("choice", "choice:11+", 0.1006, 0.5, "choice:11+"),
    TemperatureFact("noul", "noul:2", None, 1.0, "noul:2"),
]


@pytest.fixture
def asked(tmp_path):
    """Settings and plan of one checkpoint, a good and a broken language."""
    write_checkpoint(tmp_path / "c")
    write_language(tmp_path / "data", "en", language_rows(5))
    write_language(tmp_path / "data", "de", [])
    settings = make_settings(
        checkpoints=(checkpoint_settings(tmp_path / "c"),),
        languages=("en", "de"),
        dataset=dataset_settings(tmp_path / "data", per_lang=4),
        regimes=(RegimeSettings("served", "served", None), RegimeSettings("warm", "fixed", 1.7)),
        min_confidence=(None, 0.0, 0.5),
    )
    return settings, plan_of(settings, tmp_path)


def document_of(settings, plan):
    return config_document(settings, IntentSuite(settings.dataset, NoHub()), plan, {"mine": FACTS}, {}, Demands())


def plan_of(settings, root):
    languages = build_languages(IntentSuite(settings.dataset, NoHub()), settings.languages)
    located = [locate(checkpoint, NoHub()) for checkpoint in settings.checkpoints]
    return make_plan(settings, located, languages, FactStore(root / "store"))


def test_cases_are_written_whole(asked):
    _, plan = asked
    table = cases_table(case for language in plan.languages for case in language.cases)
    assert table.schema.equals(CASES)
    assert table["language"].to_pylist() == ["en"] * 4
    for row, case in zip(table.to_pylist(), plan.languages[0].cases, strict=True):
        assert (row["case_id"], row["source_id"], row["row_index"]) == (case.case_id, case.source_id, case.row_index)
        assert json.loads(row["state_json"]) == case.state
        assert [*json.loads(row["questions_json"])["intent"]["criteria"]] == [*case.questions["intent"]["criteria"]]
        assert json.loads(row["expected_json"]) == case.expected
        assert row["input_sha256"] == case.input_sha256


def test_checkpoints_are_written_with_their_temperatures(asked):
    _, plan = asked
    table = checkpoints_table(plan.results, {"mine": FACTS})
    assert table.schema.equals(CHECKPOINTS)
    shown = ["checkpoint", "max_len", "head_max_len", "bucket"]
    shown += ["temperature_raw", "temperature_served", "temperature_source"]
    assert [[*row.values()] for row in table.select(shown).to_pylist()] == [
        ["mine", 512, 192, "choice:11+", 0.1006, 0.5, "choice:11+"],
        ["mine", 512, 192, "noul:2", None, 1.0, "noul:2"],
    ]
    assert set(table["digest"].to_pylist()) == {plan.checkpoints[0].digest}
    assert set(table["weights_sha256"].to_pylist()) == {plan.checkpoints[0].digests["weights"]}


def test_the_config_document_says_what_was_measured(asked):
    settings, plan = asked
    document = json.loads(json.dumps(document_of(settings, plan), allow_nan=False))
    assert document["languages"]["en"]["n_cases"] == 4
    assert document["languages"]["en"]["input_sha256"] == published_input_digest(plan.languages[0].cases)
    assert document["languages"]["de"] == {"error": plan.failed_languages["de"]}
    assert document["checkpoints"]["mine"]["temperatures"] == {
        "choice:11+": {"raw": 0.1006, "served": 0.5},
        "noul:2": {"raw": None, "served": 1.0},
    }
    assert document["checkpoints"]["mine"]["digests"] == plan.checkpoints[0].digests
    assert document["regimes"]["warm"] == {"kind": "fixed", "temperature": 1.7}
    assert document["min_confidence"] == [None, 0.0, 0.5]
    assert (document["device"], document["dtype"], document["dataset"]["seed"]) == ("cpu", "float32", 13)
    assert {"laya", "torch", "transformers", "tokenizers", "laya-sweep"} <= set(document["library_versions"])


def test_the_config_document_moves_with_no_actor_batch_or_folder_of_results(asked, tmp_path):
    settings, plan = asked
    other = dataclasses.replace(
        settings,
        executor=executor_settings(name="ray", num_actors=9, num_cpus=2, address="auto"),
        batch_size=7,
        batch_tokens=11,
        shard_cases=3,
        out_dir=tmp_path / "elsewhere",
    )
    assert document_of(other, plan) == document_of(settings, plan)


def test_a_dry_run_counts_what_the_grid_would_cost(asked):
    lines = dry_run_text(*asked).splitlines()
    assert lines[0] == "plan: 1 checkpoint(s) x 2 language(s) x 1 transform(s) = 1 cells"
    assert lines[1] == "derived from them: 2 regime(s) x 3 threshold(s) = 6 grid points"
    assert lines.pop(2) == "min_confidence: none, 0, 0.5"
    assert lines[2] == "  mine: 1 cells, 4 forwards: 0 cached, 4 to run"
    assert lines[3].startswith("  language de fails: de: ")
    assert lines[-1] == "forwards: 0 cached, 4 to run; one pass per grid point would be 24"


def test_the_environment_names_every_library_that_takes_part():
    document = environment_document()
    assert {"python", "platform", "laya", "torch", "ray", "pyarrow", "numpy", "hydra-core"} <= set(document)
    assert all(isinstance(value, str) and value for value in document.values())


def test_the_gate_stands_in_the_report_and_under_upstream_s_names_in_an_export(asked):
    settings, plan = asked
    policy = parse_policy({"version": 1, "rules": [{"slice": {"qid": "q"}, "metric": "ece", "min_count": 1, "max": 1}]})
    demands = Demands(Thresholds.of({"auroc": 0.5}, None, 0.25, 0.75), {"ece": 0.125}, policy)
    suite = IntentSuite(settings.dataset, NoHub())
    document = json.loads(json.dumps(config_document(settings, suite, plan, {"mine": FACTS}, {}, demands)))
    assert document["gate_policy"] == policy.document
    assert (document["onnx"], document["calibration"]) == ({}, {})
    made = evals_config(
        {},
        versions={"laya": "1", "laya-sweep": "1"},
        timing={},
        tolerances=(),
        errored=(),
        asked=document,
        overall={"choice_accuracy": 0.5},
    )
    assert made["thresholds"] == {
        "min": {"auroc": 0.5, "choice_accuracy": 0.25},
        "max": {"ece": 0.75},
        "baseline_tolerance": {"ece": 0.125},
    }
    assert made["gate_policy"] == policy.document
    nothing = evals_config({}, versions={"laya": "1", "laya-sweep": "1"}, timing={}, tolerances=(), errored=())
    assert nothing["thresholds"] == {"min": {}, "max": {}, "baseline_tolerance": {}}
    assert "gate_policy" not in nothing
