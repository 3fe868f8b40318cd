"""The presentation checks through the whole house: cells, store, resume, tables, gates, exit codes.

The engine is scripted where a verdict must be known, and the small bundled checkpoint where the runtime's public
answers must agree.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from builders import design_document, write_checkpoint

from laya_sweep.__main__ import main
from laya_sweep.engines.scripted import ScriptedEngine
from laya_sweep.execution.inline import InlineBackend
from laya_sweep.execution.parity import PARITY_CASES
from laya_sweep.results.check_figure import check_result
from laya_sweep.results.check_readings import read_checks
from laya_sweep.run import inference
from laya_sweep.suites.check_design import parse_design

GATES = {"en": {"score_slot0_identical": {"min": -0.2}, "score_first_slot_permuted": {"min": 0.15}}}
STATES = [f"message {i}" for i in range(6)]


def hole(variant, qid):
    return [-1.0] + [0.0] * (len(variant.questions[qid]["criteria"]) - 1)


def by_text(variant, qid):
    """Order-invariant: a level's text decides, and ties are many."""
    return [float(len(text) % 2) for text in variant.questions[qid]["criteria"]]


class OneStateDisagrees(ScriptedEngine):
    """Its public answers are off on one case alone, which the sample of other suites passes over."""

    def predict(self, variant, min_confidence):
        answers = super().predict(variant, min_confidence)
        if variant.state == STATES[-1] and all("identical" in qid for qid in variant.questions):
            for answer in answers.values():
                answer["probabilities"] = {key: p + 2e-3 for key, p in answer["probabilities"].items()}
        return answers


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """`swept(script, ...)` is the exit code of the checks on a scripted engine."""
    monkeypatch.chdir(tmp_path)
    write_checkpoint(tmp_path / "ck")

    def run(script, *words, engine=ScriptedEngine, **document):
        named = {"states": STATES, "languages": ("en", "de"), "gates": GATES} | document
        Path("doc.json").write_text(json.dumps(design_document(**named)), "utf-8")

        def factory(checkpoint, device, threads):
            return engine(script, device, threads)

        backend = partial(inference.infer, backend_of=lambda settings: InlineBackend(factory))
        monkeypatch.setattr("laya_sweep.run.sweep.infer", backend)
        own = ["+sweep=presentation", "checkpoint=[]", "+checkpoints.mine.source=ck", "executor=inline"]
        return main([*own, "dataset.path=doc.json", "out_dir=OUT", *words])

    return run


def report():
    return json.loads(Path("OUT/report.json").read_text("utf-8"))


def checks(run=None):
    """(language, check) -> the report's entry."""
    [result] = report()["results"]
    return {(check["language"], check["check"]): check for check in result["checks"]}


def metrics():
    return {
        (row["slice"], row["slice_value"], row["metric"]): row
        for row in pq.read_table("OUT/metrics.parquet").to_pylist()
    }


def test_a_slot_0_hole_fails_both_checks_and_the_run(swept, capsys):
    assert swept(hole) == 1
    found = checks()
    assert found["en", "score_first_slot_permuted"]["value"] == 0.0
    assert found["en", "score_slot0_identical"]["value"] == pytest.approx(-np.mean([2 / 3, 3 / 4, 4 / 5]))
    assert [found["en", check]["passed"] for check in GATES["en"]] == [False, False]
    assert [found["de", check]["passed"] for check in GATES["en"]] == [None, None]
    out = capsys.readouterr().out
    assert "mine en score_first_slot_permuted 0.0000 (leave-one-out 0.0000 .. 0.0000) n=36 gate >= 0.15: FAIL" in out
    assert "mine de score_first_slot_permuted 0.0000 (leave-one-out 0.0000 .. 0.0000) n=36 no gate" in out
    assert "mine checks: 0 of 2 gated figures pass" in out
    assert json.loads(Path("OUT/verdict.json").read_text("utf-8"))["passed"] is False
    assert "| en | score_first_slot_permuted | 0.0000 |" in Path("OUT/report.md").read_text("utf-8")


def test_an_order_invariant_engine_gives_one_third_and_passes(swept, capsys):
    assert swept(by_text) == 0
    row = metrics()["language", "en", "score_first_slot_permuted"]
    assert (row["value"], row["n"], row["n_clusters"]) == (1 / 3, 36, 6)
    assert row["reason"] == "no interval: all 6 states give the same value"
    assert {key[2] for key in metrics()} == set(GATES["en"])
    assert metrics()["overall", "", "score_first_slot_permuted"]["n"] == 72
    assert metrics()["model", "mine", "score_slot0_identical"]["value"] == 0.0
    assert "mine checks: 2 of 2 gated figures pass" in capsys.readouterr().out


def test_every_state_is_compared_before_anything_is_kept(swept, capsys):
    assert len(STATES) * 2 > PARITY_CASES
    assert swept(by_text, "languages=[en]", engine=OneStateDisagrees, languages=("en",)) == 2
    assert "parity" in capsys.readouterr().err
    assert not [*Path("outputs/store").rglob("*.parquet")]
    assert not Path("OUT/report.json").exists()


def test_other_languages_are_gated_by_whom_asks(swept, capsys):
    gate = "gate.checks={de: {score_slot0_identical: {max: -0.5}}, en: {score_slot0_identical: {min: -9}}}"
    assert swept(hole, gate, "languages=[de]") == 1  # en is gated by name and was not asked
    assert "language=en" in capsys.readouterr().out
    assert swept(hole, "gate.checks={de: {score_slot0_identical: {max: -0.5}}}", "languages=[de]") == 0
    assert checks()["de", "score_slot0_identical"]["passed"] is True
    assert swept(hole, "languages=[de]") == 0
    assert "no gate applies to these languages" in capsys.readouterr().out
    assert swept(hole, "languages=[de]", "gate.max.score_slot0_identical=-1") == 1


def test_figures_are_rederived_from_the_tables_alone(swept):
    swept(hole)
    config = report()["config"]["dataset"]
    design, states = parse_design(config["document"], "report.json"), {}
    for case in pq.read_table("OUT/cases.parquet").to_pylist():
        states[case["case_id"]] = case["row_index"]
    logits = pq.read_table("OUT/logits.parquet")
    for code, language in design.languages.items():
        own = logits.filter(np.array([value == code for value in logits["language"].to_pylist()]))
        for readings in read_checks(code, language, own, states):
            again = check_result(readings, design.gates.get(code, {}).get(readings.check)).document()
            assert again == checks()[code, readings.check]


def test_a_second_run_does_nothing_and_writes_the_same_bytes(swept, capsys):
    swept(hole)
    names = ("metrics.parquet", "logits.parquet", "decisions.parquet", "report.json", "report.md", "verdict.json")
    before = {name: Path("OUT", name).read_bytes() for name in names}
    capsys.readouterr()
    assert swept(hole) == 1
    assert "0 forwards done" in capsys.readouterr().err
    assert {name: Path("OUT", name).read_bytes() for name in names} == before


class Poisoned(ScriptedEngine):
    """Cannot answer one state."""

    def forward(self, rows):
        if any(row.item["variant"].state == STATES[2] for row in rows):
            raise ValueError("the poison case")
        return super().forward(rows)

    def predict(self, variant, min_confidence):
        return {}


def test_a_state_without_an_answer_leaves_no_figure(swept, capsys, monkeypatch):
    monkeypatch.setattr("laya_sweep.execution.worker.check_parity", lambda *_, **__: _agreed())
    assert swept(by_text, "languages=[en]", engine=Poisoned) == 1  # absent data fails the gate, and 1 outranks 3
    assert report()["results"][0]["checks"] == []
    assert "en failed" in capsys.readouterr().out
    assert swept(by_text, "languages=[en]", "on_error=skip", engine=Poisoned) == 1
    assert checks()["en", "score_slot0_identical"]["reason"] == "6 of 36 readings are missing"
    assert checks()["en", "score_slot0_identical"]["value"] is None


def _agreed():
    from laya_sweep.execution.contract import Parity

    return Parity(1, 0.0, 0, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["languages=[xx]"], "languages of the checks"),
        (["gate.checks={en: {urgency: {min: 0}}}"], "gate.checks.en.urgency"),
        (["gate.checks={en: {score_slot0_identical: {least: 0}}}"], "min, max"),
        (["gate.checks=3"], "gate.checks"),
        (["dataset.path=nothing.json"], "nothing.json"),
        (["dataset.seed=3"], "dataset.seed"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(swept, capsys, words, said):
    assert swept(hole, *words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not Path("OUT").exists()


def test_gates_of_checks_need_the_checks(capsys):
    assert main(["gate.checks={en: {score_slot0_identical: {min: 0}}}", "executor=inline"]) == 2
    assert "gate.checks" in capsys.readouterr().err


def test_the_verb_is_the_same_sweep_on_a_real_checkpoint(tmp_path, monkeypatch, capsys):
    """The small bundled checkpoint: the runtime's public answers agree, and the figures are those of plain numpy."""
    monkeypatch.chdir(tmp_path)
    document = design_document(states=["all is well", "it burns: call now"], languages=("en", "de"), gates=GATES)
    Path("d o=c.json").write_text(json.dumps(document), "utf-8")
    words = ["checks", "--checkpoint", "bundled:demo_english", "--states", "d o=c.json", "--out", "OUT"]
    code = main([*words, "--lang", "en,de"])
    out, err = capsys.readouterr()
    assert out.startswith("demo_english en score_slot0_identical ")
    assert "on 8 cases" in err
    assert {language for language, _ in checks()} == {"en", "de"}
    rows = pq.read_table("OUT/logits.parquet").to_pylist()
    own = [row["logits"] for row in rows if row["language"] == "en" and "identical" in row["question"]]
    excess = [logits[0] - np.mean(logits) for logits in own]
    assert metrics()["language", "en", "score_slot0_identical"]["value"] == pytest.approx(np.mean(excess), abs=1e-6)
    passed = [check["passed"] for (language, _), check in checks().items() if language == "en"]
    assert code == (0 if all(passed) else 1)
    assert f"{sum(passed)} of 2 gated figures pass" in out
    assert main([*words, "--lang", "xx"]) == 2
    assert main(["checks"]) == 2
    Path("empty").mkdir()
    assert main(["checks", "--checkpoint", "./empty"]) == 2
